// What candidates cost, and the choice axis by axis.
#include <algorithm>
#include <tuple>

#include "Sharding/Candidates.h"
#include "Sharding/Conversion.h"

namespace vescale::sharding {
namespace {

// Stands for a size that is not known, so that choices don't depend on what the tool could not see.
constexpr std::int64_t nominal_size = 1024;

double nominal_elements(const TensorFacts& input) {
  double elements = 1;
  for (std::int64_t size : input.sizes)
    elements *= static_cast<double>(size == unknown_size ? nominal_size : size);
  return std::max(elements, 1.0);  // an empty tensor does not move for nothing
}

// Placements depend on the mesh's axes, not on whether an axis has one rank in this run.
std::int64_t nominal_ranks(const MeshShape& mesh, std::size_t axis) {
  return std::max<std::int64_t>(mesh.sizes[axis], 2);
}

// Elements of an input that the ranks of `axis` hold together.
double elements_along(const Problem& problem, const Decided& decided, std::size_t input, std::size_t axis) {
  double elements = nominal_elements(problem.inputs[input]);
  const std::vector<Placement>& given = problem.inputs[input].placements;
  for (std::size_t other = 0; other < given.size(); ++other) {
    const Placement& placement = other < axis ? decided.inputs[input][other] : given[other];
    if (other != axis && placement.is_sharded()) {
      elements /= static_cast<double>(nominal_ranks(problem.mesh, other));
    }
  }
  return elements;
}

// Shards of later axes nest in this axis' shards of the same dim, so they are gathered and cut again.
double nested_elements(const Problem& problem, std::size_t input, std::size_t axis, const Placement& to,
                       double elements) {
  const std::vector<Placement>& given = problem.inputs[input].placements;
  double moved = 0;
  for (std::size_t later = axis + 1; later < given.size(); ++later) {
    if (!given[later].is_sharded()) continue;
    const std::int64_t ranks = nominal_ranks(problem.mesh, later);
    if (given[axis].is_sharded_on(given[later].dim) || to.is_sharded_on(given[later].dim)) {
      moved += movement_bytes(Movement::AllGather, elements * static_cast<double>(ranks), ranks);
    }
  }
  return moved;
}

}  // namespace

bool operator<(const Cost& a, const Cost& b) {
  return std::tie(a.forward, a.cut, a.backward) < std::tie(b.forward, b.cut, b.backward);
}

Cost cost(const Problem& problem, const Decided& decided, const Candidate& candidate) {
  const std::size_t axis = decided.axes.chosen.size();
  const std::int64_t ranks = nominal_ranks(problem.mesh, axis);
  Cost result;
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    const Placement& from = problem.inputs[i].placements[axis];
    const Placement& to = candidate.inputs[i];
    if (from == to) continue;
    const Conversion needed = conversion(from, to);
    const double elements = elements_along(problem, decided, i, axis);
    result.forward += movement_bytes(needed.forward, elements, ranks);
    result.forward += nested_elements(problem, i, axis, to, elements);
    result.cut += needed.forward == Movement::Slice || needed.forward == Movement::KeepFirst ||
                  needed.forward == Movement::ZeroPad;
    if (problem.differentiable(i)) {
      result.backward += movement_bytes(needed.backward, elements, ranks);
    }
  }
  return result;
}

Decided undecided(const Problem& problem) {
  Decided decided;
  decided.axes = {&problem.mesh, &problem.rule.factors, {}};
  decided.inputs.resize(problem.inputs.size());
  decided.outputs.resize(problem.rule.outputs.size());
  return decided;
}

void take(Decided& decided, const Candidate& candidate) {
  decided.axes.chosen.push_back(candidate.factor);
  for (std::size_t i = 0; i < candidate.inputs.size(); ++i) decided.inputs[i].push_back(candidate.inputs[i]);
  for (std::size_t o = 0; o < candidate.outputs.size(); ++o)
    decided.outputs[o].push_back(candidate.outputs[o]);
}

std::optional<std::vector<Candidate>> decide(const Problem& problem) {
  Decided decided = undecided(problem);
  std::vector<Candidate> taken;
  for (std::int64_t axis = 0; axis < problem.mesh.num_axes(); ++axis) {
    std::vector<Candidate> ways = candidates(problem, decided);
    if (ways.empty()) return std::nullopt;
    std::size_t best = 0;
    Cost least = cost(problem, decided, ways.front());
    for (std::size_t way = 1; way < ways.size(); ++way) {
      const Cost of_way = cost(problem, decided, ways[way]);
      if (of_way < least) {
        least = of_way;
        best = way;
      }
    }
    take(decided, ways[best]);
    taken.push_back(std::move(ways[best]));
  }
  return taken;
}

}  // namespace vescale::sharding
