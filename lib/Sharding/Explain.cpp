#include <algorithm>
#include <string>

#include "Sharding/Candidates.h"
#include "Sharding/Conversion.h"
#include "Sharding/Interleave.h"
#include "Sharding/Rule.h"

namespace vescale::sharding {
namespace {

using Kind = Placement::Kind;

// Says why inputs move on one axis.
class AxisExplanation {
 public:
  AxisExplanation(const Problem& problem, const Decided& decided, const Candidate& choice)
      : problem_(problem), decided_(decided), choice_(choice), axis_(decided.axes.chosen.size()) {}

  std::string reason(std::size_t input) const {
    switch (choice_.kind) {
      case Candidate::Kind::Factor:
        return factor_reason(input);
      case Candidate::Kind::PartialPass:
        return partial_reason(input);
      case Candidate::Kind::Replicate:
        break;
    }
    return replicate_reason(input);
  }

 private:
  const Placement& from(std::size_t input) const { return problem_.inputs[input].placements[axis_]; }

  std::string leader() const {
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
      const auto factors = factors_at(decided_.axes, problem_.rule.inputs[i], from(i));
      if (std::find(factors.begin(), factors.end(), choice_.factor) != factors.end()) {
        return "input " + std::to_string(i);
      }
    }
    return "the result";
  }

  std::string factor_reason(std::size_t input) const {
    const Placement& to = choice_.inputs[input];
    if (to.is_sharded()) return "it is split as " + leader() + " is";
    if (to.is_partial()) return "the result is a partial sum, to which it is added on one rank only";
    if (from(input).is_invariant()) return gradient_reason();
    if (from(input).is_partial()) return "its open reduction can't meet the shards of " + leader();
    return "the op is split as " + leader() +
           " is, which does not split this dim; moving the other moves more";
  }

  std::string partial_reason(std::size_t input) const {
    if (choice_.inputs[input].is_partial())
      return "the result stays a partial sum, to which it is added on one rank only";
    if (from(input).is_partial())
      return "the op is linear in one input at a time, and another one stays partial";
    if (from(input).is_sharded()) return "another input stays partial, which needs this one whole";
    return gradient_reason();
  }

  static std::string gradient_reason() {
    return "each rank uses it for a part of the result, so its gradient is summed over the axis";
  }

  std::string replicate_reason(std::size_t input) const {
    if (from(input).is_invariant()) return "another input is R+, so its gradient is summed over the axis";
    if (from(input).kind == Kind::Replicate) return "self is R, so its gradient is taken from one rank";
    if (from(input).is_partial()) {
      return problem_.rule.linearity == Linearity::None
                 ? "the op is not linear, so it needs the reduced value"
                 : "the other inputs don't let its reduction stay open";
    }
    return whole_reason(input);
  }

  // Why the shards of an input could not stay.
  std::string whole_reason(std::size_t input) const {
    const std::string dim = "dim " + std::to_string(from(input).dim);
    const auto factors = factors_at(decided_.axes, problem_.rule.inputs[input], from(input));
    const bool shardable = std::any_of(factors.begin(), factors.end(),
                                       [&](int factor) { return problem_.rule.factors[factor].shardable; });
    if (!shardable) return "the op needs " + dim + " whole";
    for (const Candidate& other : candidates(problem_, decided_)) {
      if (std::find(factors.begin(), factors.end(), other.factor) != factors.end()) return "this moves least";
    }
    if (problem_.fixed_output) return "the result can't be split like this in place";
    return "the pieces of " + dim + " are not the pieces of the result's dims";
  }

  const Problem& problem_;
  const Decided& decided_;
  const Candidate& choice_;
  const std::size_t axis_;
};

std::string movements(const Placement& from, const Placement& to, bool differentiable) {
  const Conversion moves = conversion(from, to);
  std::string text = from.to_string() + " -> " + to.to_string();
  text += " (" + std::string(to_string(moves.forward));
  if (differentiable && moves.backward != Movement::None)
    text += ", backward " + std::string(to_string(moves.backward));
  return text + ")";
}

}  // namespace

std::string explain(const MeshShape& mesh, const ShardingRule& given, const std::vector<TensorFacts>& inputs,
                    const std::vector<Placement>* fixed_output) {
  const ShardingRule rule = with_sections(given, inputs);
  const Problem problem{mesh, rule, inputs, fixed_output};
  const auto taken = decide(problem);
  if (!taken) return "no placement of the inputs gives the result the placement it must have\n";
  std::string text;
  Decided decided = undecided(problem);
  for (const Candidate& choice : *taken) {
    const std::size_t axis = decided.axes.chosen.size();
    const AxisExplanation explanation(problem, decided, choice);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Placement& from = inputs[i].placements[axis];
      if (from == choice.inputs[i]) continue;
      text += "input " + std::to_string(i) + ", " + mesh.names[axis] + ": " +
              movements(from, choice.inputs[i], problem.differentiable(i)) + ": " + explanation.reason(i) +
              "\n";
    }
    take(decided, choice);
  }
  return text;
}

}  // namespace vescale::sharding
