#include "Comm/Settle.h"

#include <algorithm>
#include <cstdint>

#include "Comm/Proposals.h"
#include "Sharding/Conversion.h"

namespace vescale::comm {
namespace {

using facts::ExprId;
using inference::Applied;
using inference::Forced;
using inference::Need;
using inference::Refused;
using inference::Trace;

constexpr int most_rounds = 16;

// What a conversion is applied to can change with others: one that does not fit all its contexts goes.
bool drop_wrong(const facts::Program& program, const Trace& trace, Forced& forced, Refused& refused) {
  bool dropped = false;
  std::map<std::pair<Written, std::size_t>, std::set<std::string>> from;
  for (const auto& [key, target] : forced) {
    const auto seen = trace.seen.find(key);
    if (seen == trace.seen.end()) continue;
    auto& texts = from[{inference::written(program, key.first), key.second}];
    for (const auto& [context, placement] : seen->second) {
      if (placement != target.to.to_string()) texts.insert(placement);
    }
  }
  for (const auto& [place, texts] : from) {
    if (texts.size() < 2 && !texts.count("?")) continue;
    for (const ExprId id : expressions_at(program, place.first)) forced.erase({id, place.second});
    refused.insert(place);
    dropped = true;
  }
  return dropped;
}

// Forces conversions until nothing more is needed, or can be written.
Settled reach_fixpoint(const facts::Program& program, const inference::Setting& setting, Settled state) {
  for (int round = 0;; ++round) {
    state.trace = inference::infer(program, setting, state.forced, state.refused);
    if (drop_wrong(program, state.trace, state.forced, state.refused)) continue;
    if (round >= most_rounds) return state;
    const std::size_t before = state.refused.size();
    const Proposals proposals = propose(program, state.trace, state.refused);
    bool changed = state.refused.size() != before;
    for (const auto& [key, proposal] : proposals) {
      for (const ExprId id : expressions_at(program, key.first)) {
        const inference::Target target{proposal.to, proposal.reason, proposal.has_gradient};
        changed |= state.forced.try_emplace({id, key.second}, target).second;
      }
    }
    if (!changed) return state;
  }
}

// What moves, counted in values of one size: enough to compare two ways to make the same value.
double volume(const Trace& trace, const inference::Setting& setting) {
  double result = 0;
  const auto add = [&](const Placement& from, const Placement& to, std::size_t axis, bool has_gradient) {
    const std::int64_t ranks = setting.mesh.sizes[axis];
    const sharding::Conversion moved = sharding::conversion(from, to);
    result += sharding::movement_bytes(moved.forward, 1, ranks);
    if (has_gradient) result += sharding::movement_bytes(moved.backward, 1, ranks);
  };
  for (const auto& [key, all] : trace.applied) {
    for (const Applied& one : all) add(one.from, one.to, key.second, one.has_gradient);
  }
  for (const Need& need : trace.needs) {
    if (need.from != need.to) add(need.from, need.to, need.axis, true);
  }
  return result;
}

// A sum that is reduced, and of whose result, some ops later, each rank keeps its piece.
struct ReducedThenSplit {
  ExprId reduced;
  ExprId split;
  std::size_t axis;
};

bool is_part_of(const facts::Program& program, ExprId part, ExprId whole) {
  const std::vector<ExprId>& children = program.exprs[static_cast<std::size_t>(whole)].children;
  return std::any_of(children.begin(), children.end(), [&](ExprId child) {
    return child != facts::none && (child == part || is_part_of(program, part, child));
  });
}

std::vector<ReducedThenSplit> reduced_then_split(const facts::Program& program, const Trace& trace) {
  std::vector<ReducedThenSplit> result;
  for (const auto& [split, all] : trace.applied) {
    if (!all.front().from.is_replicated() || !all.front().to.is_sharded()) continue;
    for (const auto& [reduced, sums] : trace.applied) {
      const bool fits =
          reduced.second == split.second && sums.front().from.is_partial() && sums.front().to.is_replicated();
      if (fits && is_part_of(program, reduced.first, split.first))
        result.push_back({reduced.first, split.first, split.second});
    }
  }
  return result;
}

// The sum reduced into pieces at once, and nothing split later.
Settled reduced_into_pieces(const facts::Program& program, const Settled& state,
                            const ReducedThenSplit& chain) {
  const auto at = [&](ExprId id) { return expressions_at(program, inference::written(program, id)); };
  Settled trial{state.forced, state.refused, {}};
  const Placement piece = trial.forced.at({chain.split, chain.axis}).to;
  for (const ExprId id : at(chain.split)) trial.forced.erase({id, chain.axis});
  for (const ExprId id : at(chain.reduced)) {
    inference::Target& target = trial.forced.at({id, chain.axis});
    target.to = piece;
    target.reason += ", of which each rank needs its piece";
  }
  return trial;
}

}  // namespace

Settled settle(const facts::Program& program, const inference::Setting& setting) {
  Settled best = reach_fixpoint(program, setting, {});
  for (int round = 0; round < most_rounds; ++round) {
    bool better = false;
    for (const ReducedThenSplit& chain : reduced_then_split(program, best.trace)) {
      Settled trial = reach_fixpoint(program, setting, reduced_into_pieces(program, best, chain));
      if (volume(trial.trace, setting) >= volume(best.trace, setting)) continue;
      best = std::move(trial);
      better = true;
      break;
    }
    if (!better) break;
  }
  return best;
}

}  // namespace vescale::comm
