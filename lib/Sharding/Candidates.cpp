#include "Sharding/Candidates.h"

#include <algorithm>
#include <set>

namespace vescale::sharding {
namespace {

using Kind = Placement::Kind;

class AxisCandidates {
 public:
  AxisCandidates(const Problem& problem, const Decided& decided)
      : problem_(problem), decided_(decided), axis_(decided.axes.chosen.size()) {}

  std::vector<Candidate> all() && {
    for (int factor : factors()) add_factor(factor);
    if (problem_.rule.linearity == Linearity::Movement) add_movement();
    if (problem_.rule.linearity == Linearity::Joint) add_joint();
    if (problem_.rule.linearity == Linearity::Multilinear) add_multilinear();
    add_replicate(any_replicate());
    // An in-place op on an R value takes R+ operands by giving their gradient from one rank.
    if (fixed() && fixed()->is_invariant() && any_replicate()) add_replicate(false);
    return std::move(result_);
  }

 private:
  const Placement& from(std::size_t input) const { return problem_.inputs[input].placements[axis_]; }
  bool differentiable(std::size_t input) const { return problem_.differentiable(input); }
  bool unread(std::size_t input) const { return problem_.use(input) == InputUse::Nothing; }

  // Whole on each rank, as the computation needs it. A value without a gradient stays as it is, R or R+; of
  // one whose sizes alone are read even an open reduction stays.
  Placement whole(std::size_t input, bool shares_gradient) const {
    const InputUse use = problem_.use(input);
    if (use == InputUse::Nothing || (use == InputUse::Sizes && from(input).is_partial())) return from(input);
    if (!differentiable(input)) return from(input).is_replicated() ? from(input) : Placement::invariant();
    return shares_gradient ? Placement::replicate() : Placement::invariant();
  }

  bool linear(std::size_t input) const {
    const std::vector<bool>& linear = problem_.rule.linear_inputs;
    if (problem_.use(input) != InputUse::Values) return false;
    return linear.empty() || (input < linear.size() && linear[input]);
  }
  const Placement* fixed() const {
    return problem_.fixed_output ? &(*problem_.fixed_output)[axis_] : nullptr;
  }

  bool any_replicate() const {
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
      const bool steers = differentiable(i) || problem_.use(i) == InputUse::Lookup;
      if (steers && from(i).kind == Kind::Replicate) return true;
    }
    return false;
  }

  bool any_differentiable() const {
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
      if (differentiable(i)) return true;
    }
    return false;
  }

  std::set<int> factors() const {
    std::set<int> result;
    const auto add = [&](const TensorFactors& tensor, const Placement& placement) {
      for (int factor : factors_at(decided_.axes, tensor, placement)) result.insert(factor);
    };
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
      if (!unread(i)) add(problem_.rule.inputs[i], from(i));
    }
    if (fixed() && !problem_.rule.outputs.empty()) add(problem_.rule.outputs.front(), *fixed());
    return result;
  }

  // Where `factor` lies in each tensor; nothing if some tensor can't express it.
  std::optional<std::vector<FactorLocation>> locate_all(const std::vector<TensorFactors>& tensors,
                                                        int factor) const {
    std::vector<FactorLocation> result;
    for (const TensorFactors& tensor : tensors) {
      result.push_back(locate(decided_.axes, tensor, factor));
      if (result.back().kind == FactorLocation::Kind::Inexpressible) return std::nullopt;
    }
    return result;
  }

  void add_factor(int factor) {
    const Factor& facts = problem_.rule.factors[factor];
    const auto of_inputs = locate_all(problem_.rule.inputs, factor);
    const auto of_outputs = locate_all(problem_.rule.outputs, factor);
    if (!facts.shardable || !of_inputs || !of_outputs) return;
    Candidate candidate;
    candidate.kind = Candidate::Kind::Factor;
    candidate.factor = factor;
    const auto found = [](const FactorLocation& location) {
      return location.kind == FactorLocation::Kind::Found;
    };
    for (const FactorLocation& location : *of_outputs) {
      candidate.outputs.push_back(found(location) ? location.placement : Placement::partial(facts.reduce));
    }
    const bool sums = !of_outputs->empty() && !found(of_outputs->front());
    if (sums && facts.reduce != ReduceOp::Sum && has_additive()) return;
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
      const FactorLocation& location = (*of_inputs)[i];
      if (found(location) && !unread(i)) {
        candidate.inputs.push_back(location.placement);
      } else if (sums && problem_.rule.inputs[i].additive) {
        candidate.inputs.push_back(Placement::partial());
      } else {
        candidate.inputs.push_back(whole(i, true));
      }
    }
    if (align(candidate)) add(std::move(candidate));
  }

  bool has_additive() const {
    return std::any_of(problem_.rule.inputs.begin(), problem_.rule.inputs.end(),
                       [](const TensorFactors& input) { return input.additive; });
  }

  // Whether shards of the candidate's tensors, with the axes decided before, are the parts of the factors.
  bool align(Candidate& candidate) const {
    AxisFactors axes = decided_.axes;
    axes.chosen.push_back(candidate.factor);
    const std::int64_t never = problem_.rule.factors[candidate.factor].never;
    if (never >= 0 && has_piece_of(axes, candidate.factor, never)) return false;
    if (!reduces_pieces(candidate, axes)) return false;
    const auto aligned = [&](const TensorFactors& tensor, const std::vector<std::int64_t>& sizes,
                             std::vector<Placement> placements, const Placement& next) {
      placements.push_back(next);
      const Alignment result = alignment(axes, tensor, sizes, placements);
      candidate.assumed |= result == Alignment::Assumed;
      return result != Alignment::Broken;
    };
    for (std::size_t i = 0; i < candidate.inputs.size(); ++i) {
      if (unread(i)) continue;
      if (!aligned(problem_.rule.inputs[i], problem_.inputs[i].sizes, decided_.inputs[i],
                   candidate.inputs[i])) {
        return false;
      }
    }
    for (std::size_t o = 0; o < candidate.outputs.size(); ++o) {
      const auto sizes =
          o < problem_.rule.output_sizes.size() ? problem_.rule.output_sizes[o] : std::vector<std::int64_t>();
      if (!aligned(problem_.rule.outputs[o], sizes, decided_.outputs[o], candidate.outputs[o])) return false;
    }
    return true;
  }

  // Whether the pieces' results combine to the whole's: an empty piece has no average, maximum or minimum,
  // and averages of unequal pieces weigh too much or too little.
  bool reduces_pieces(const Candidate& candidate, const AxisFactors& axes) const {
    const Factor& factor = problem_.rule.factors[candidate.factor];
    const bool open = std::any_of(candidate.outputs.begin(), candidate.outputs.end(),
                                  [](const Placement& output) { return output.is_partial(); });
    const bool average = factor.reduce == ReduceOp::Avg;
    if (!open || !(average || factor.reduce == ReduceOp::Max || factor.reduce == ReduceOp::Min)) return true;
    if (has_piece_of(axes, candidate.factor, 0)) return false;
    std::int64_t pieces = 1;
    for (std::size_t axis = 0; axis < axes.chosen.size(); ++axis) {
      if (axes.chosen[axis] == candidate.factor) pieces *= axes.mesh->sizes[axis];
    }
    return !average || factor.size == unknown_size || factor.size % pieces == 0;
  }

  Candidate with_outputs(Candidate::Kind kind, const Placement& output) const {
    Candidate candidate;
    candidate.kind = kind;
    candidate.outputs.assign(problem_.rule.outputs.size(), output);
    return candidate;
  }

  // Moved elements keep every kind of open reduction, if all values among the inputs have the same.
  void add_movement() {
    std::optional<ReduceOp> op;
    for (std::size_t i = 0; i < problem_.inputs.size() && !op; ++i) {
      if (linear(i) && from(i).is_partial()) op = from(i).reduce;
    }
    if (!op) return;
    Candidate candidate = with_outputs(Candidate::Kind::PartialPass, Placement::partial(*op));
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
      const bool moved = linear(i) && (differentiable(i) || from(i).is_partial());
      if (moved && from(i) != Placement::partial(*op)) return;
      candidate.inputs.push_back(moved ? from(i) : whole(i, true));
    }
    add(std::move(candidate));
  }

  // Sums and averages pass an op that is linear in its inputs together, if all are open.
  void add_joint() {
    std::optional<ReduceOp> op;
    for (std::size_t i = 0; i < problem_.inputs.size() && !op; ++i) {
      if (linear(i) && passes_linear(from(i))) op = from(i).reduce;
    }
    if (!op) return;
    Candidate candidate = with_outputs(Candidate::Kind::PartialPass, Placement::partial(*op));
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
      // Shards as summands are right but keep the sum open; only an in-place op must take them.
      if (linear(i) && from(i).is_sharded() && (!fixed() || *op != ReduceOp::Sum)) return;
      candidate.inputs.push_back(linear(i) ? Placement::partial(*op) : whole(i, true));
    }
    add(std::move(candidate));
  }

  // One open sum or average passes an op that is linear in it, with all else replicated.
  void add_multilinear() {
    for (std::size_t open = 0; open < problem_.inputs.size(); ++open) {
      if (!linear(open) || problem_.rule.inputs[open].additive || !passes_linear(from(open))) continue;
      Candidate candidate = with_outputs(Candidate::Kind::PartialPass, from(open));
      for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
        const bool stays_open = i == open || problem_.rule.inputs[i].additive;
        candidate.inputs.push_back(stays_open ? from(open) : whole(i, true));
      }
      add(std::move(candidate));
    }
  }

  static bool passes_linear(const Placement& placement) {
    return placement.is_partial() && (placement.reduce == ReduceOp::Sum || placement.reduce == ReduceOp::Avg);
  }

  void add_replicate(bool shares_gradient) {
    const Placement output = shares_gradient ? Placement::replicate() : Placement::invariant();
    Candidate candidate = with_outputs(Candidate::Kind::Replicate, output);
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
      candidate.inputs.push_back(whole(i, shares_gradient));
    }
    add(std::move(candidate));
  }

  void add(Candidate candidate) {
    for (std::size_t i = 0; i < candidate.inputs.size(); ++i) {
      const Placement& to = candidate.inputs[i];
      if (from(i).is_partial() && to.is_partial() && from(i) != to) return;  // two kinds of reduction
    }
    if (fixed() && !keeps_fixed(candidate)) return;
    result_.push_back(std::move(candidate));
  }

  bool keeps_fixed(Candidate& candidate) const {
    if (candidate.outputs.empty()) return false;
    Placement& output = candidate.outputs.front();
    // Without a gradient R and R+ are the same.
    if (!any_differentiable() && output.is_replicated() && fixed()->is_replicated()) output = *fixed();
    if (output != *fixed()) return false;
    return !problem_.self_stays() || candidate.inputs.front() == from(0);
  }

  const Problem& problem_;
  const Decided& decided_;
  const std::size_t axis_;
  std::vector<Candidate> result_;
};

}  // namespace

std::vector<Candidate> candidates(const Problem& problem, const Decided& decided) {
  return AxisCandidates(problem, decided).all();
}

}  // namespace vescale::sharding
