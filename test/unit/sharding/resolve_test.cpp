#include <gtest/gtest.h>

#include <algorithm>

#include <vescale/error.h>

#include "Sharding/Conversion.h"
#include "cases.h"

namespace vescale::sharding::test {
namespace {

const Placement I = Placement::invariant();
const Placement R = Placement::replicate();
const Placement S0 = Placement::shard(0);
const Placement S1 = Placement::shard(1);
const Placement P = Placement::partial();
const Placement Pmax = Placement::partial(ReduceOp::Max);

const std::string mm = "(n k, k m) -> n m ; multilinear";
const std::string add = "(..., ...) -> ... ; joint";
const std::string linear = "(... k, o k, +o?) -> ... o ; multilinear(0,1)";
const std::string relu = "(...) -> ...";
const std::string embedding = "(v d, ...) -> ... d ; multilinear(0)";

using Axis = std::vector<Placement>;

// One axis of `ranks`: the placements that inputs get, then those of the outputs.
struct Outcome {
  Axis inputs, outputs;
  friend bool operator==(const Outcome& a, const Outcome& b) {
    return a.inputs == b.inputs && a.outputs == b.outputs;
  }
  friend std::ostream& operator<<(std::ostream& stream, const Outcome& outcome) {
    for (const Placement& placement : outcome.inputs) stream << placement.to_string() << " ";
    stream << "->";
    for (const Placement& placement : outcome.outputs) stream << " " << placement.to_string();
    return stream;
  }
};

Outcome on_axis(const std::string& notation, const std::vector<TensorFacts>& inputs, std::int64_t ranks = 2) {
  const auto resolution = resolve({{"a"}, {ranks}}, parse_rule(notation, inputs), inputs);
  Outcome outcome;
  for (const auto& placements : resolution->inputs) outcome.inputs.push_back(placements[0]);
  for (const auto& placements : resolution->outputs) outcome.outputs.push_back(placements[0]);
  return outcome;
}

TensorFacts of(Placement placement, std::vector<std::int64_t> sizes, bool differentiable = true) {
  return tensor({placement}, std::move(sizes), differentiable);
}

Outcome mm_on(Placement a, Placement b) { return on_axis(mm, {of(a, {8, 8}), of(b, {8, 8})}); }

TEST(ResolveMm, DataParallel) { EXPECT_EQ(mm_on(S0, I), (Outcome{{S0, R}, {S0}})); }
TEST(ResolveMm, ColumnParallel) { EXPECT_EQ(mm_on(I, S1), (Outcome{{R, S1}, {S1}})); }
TEST(ResolveMm, RowParallel) { EXPECT_EQ(mm_on(S1, S0), (Outcome{{S1, S0}, {P}})); }
TEST(ResolveMm, RowParallelCutsTheWholeInput) { EXPECT_EQ(mm_on(I, S0), (Outcome{{S1, S0}, {P}})); }
TEST(ResolveMm, WholeStaysWhole) {
  EXPECT_EQ(mm_on(I, I), (Outcome{{I, I}, {I}}));
  EXPECT_EQ(mm_on(R, I), (Outcome{{R, R}, {R}}));
  EXPECT_EQ(mm_on(R, R), (Outcome{{R, R}, {R}}));
}
TEST(ResolveMm, OnePartialPasses) {
  EXPECT_EQ(mm_on(P, I), (Outcome{{P, R}, {P}}));
  EXPECT_EQ(mm_on(R, P), (Outcome{{R, P}, {P}}));
  EXPECT_EQ(mm_on(P, P), (Outcome{{P, R}, {P}}));
  EXPECT_EQ(mm_on(Pmax, I), (Outcome{{I, I}, {I}}));
}
TEST(ResolveMm, ShardsThatDontMeetMoveTheSmaller) {
  // n of the first against m of the second: gather the second, of fewer elements.
  EXPECT_EQ(on_axis(mm, {of(S0, {8, 4}), of(S1, {4, 2})}), (Outcome{{S0, R}, {S0}}));
  EXPECT_EQ(on_axis(mm, {of(S0, {2, 4}), of(S1, {4, 8})}), (Outcome{{R, S1}, {S1}}));
  EXPECT_EQ(on_axis(mm, {of(S0, {8, 4}), of(S1, {4, 8})}), (Outcome{{S0, R}, {S0}}));  // a tie: first factor
}

TEST(ResolveAdd, Pointwise) {
  const auto on = [](Placement a, Placement b) { return on_axis(add, {of(a, {8, 8}), of(b, {8, 8})}); };
  EXPECT_EQ(on(S0, S0), (Outcome{{S0, S0}, {S0}}));
  EXPECT_EQ(on(S0, I), (Outcome{{S0, S0}, {S0}}));
  EXPECT_EQ(on(S0, P), (Outcome{{S0, S0}, {S0}}));
  EXPECT_EQ(on(P, P), (Outcome{{P, P}, {P}}));
  EXPECT_EQ(on(P, I), (Outcome{{P, P}, {P}}));
  EXPECT_EQ(on(R, P), (Outcome{{P, P}, {P}}));
  EXPECT_EQ(on(P, Pmax), (Outcome{{I, I}, {I}}));
  EXPECT_EQ(on(I, R), (Outcome{{R, R}, {R}}));
  EXPECT_EQ(on(S0, S1), (Outcome{{S0, S0}, {S0}}));
}

TEST(ResolveAdd, BroadcastBias) {
  EXPECT_EQ(on_axis(add, {of(S0, {8, 4}), of(I, {4})}), (Outcome{{S0, R}, {S0}}));
  EXPECT_EQ(on_axis(add, {of(S1, {8, 4}), of(I, {4})}), (Outcome{{S1, S0}, {S1}}));
}

TEST(ResolveLinear, RowParallelAddsTheBiasOnce) {
  const std::vector<TensorFacts> inputs{of(S1, {8, 4}), of(S1, {6, 4}), of(I, {6})};
  EXPECT_EQ(on_axis(linear, inputs), (Outcome{{S1, S1, P}, {P}}));
  const std::vector<TensorFacts> partial_bias{of(S1, {8, 4}), of(S1, {6, 4}), of(P, {6})};
  EXPECT_EQ(on_axis(linear, partial_bias), (Outcome{{S1, S1, P}, {P}}));
}
TEST(ResolveLinear, ColumnParallelSplitsTheBias) {
  const std::vector<TensorFacts> inputs{of(I, {8, 4}), of(S0, {6, 4}), of(S0, {6})};
  EXPECT_EQ(on_axis(linear, inputs), (Outcome{{R, S0, S0}, {S1}}));
}
TEST(ResolveLinear, DataParallelSharesWeightAndBias) {
  const std::vector<TensorFacts> inputs{of(S0, {8, 4}), of(I, {6, 4}), of(I, {6})};
  EXPECT_EQ(on_axis(linear, inputs), (Outcome{{S0, R, R}, {S0}}));
}
TEST(ResolveLinear, PartialInputAddsTheBiasOnce) {
  const std::vector<TensorFacts> inputs{of(P, {8, 4}), of(I, {6, 4}), of(I, {6})};
  EXPECT_EQ(on_axis(linear, inputs), (Outcome{{P, R, P}, {P}}));
}

TEST(ResolveRelu, ReducesBefore) {
  EXPECT_EQ(on_axis(relu, {of(P, {8})}), (Outcome{{I}, {I}}));
  EXPECT_EQ(on_axis(relu, {of(S0, {8})}), (Outcome{{S0}, {S0}}));
  EXPECT_EQ(on_axis(relu, {of(R, {8})}), (Outcome{{R}, {R}}));
  EXPECT_EQ(on_axis("(...!) -> ...", {of(S0, {8})}), (Outcome{{I}, {I}}));
}

TEST(ResolveEmbedding, IndicesHaveNoGradient) {
  const auto on = [](Placement weight, Placement indices) {
    return on_axis(embedding, {of(weight, {10, 4}), of(indices, {8}, false)});
  };
  EXPECT_EQ(on(S0, I), (Outcome{{S0, I}, {P}}));
  EXPECT_EQ(on(S0, R), (Outcome{{S0, R}, {P}}));
  EXPECT_EQ(on(I, S0), (Outcome{{R, S0}, {S0}}));
  EXPECT_EQ(on(S1, I), (Outcome{{S1, I}, {S1}}));
  EXPECT_EQ(on(I, R), (Outcome{{I, R}, {I}}));
  EXPECT_EQ(on(R, I), (Outcome{{R, I}, {R}}));
  EXPECT_EQ(on(I, P), (Outcome{{I, I}, {I}}));
}

TEST(Resolve, ValuesWithoutGradientStayWhatTheyAre) {
  EXPECT_EQ(on_axis(add, {of(I, {4}, false), of(R, {4}, false)}), (Outcome{{I, R}, {I}}));
  EXPECT_EQ(on_axis(add, {of(S0, {4}, false), of(R, {4}, false)}), (Outcome{{S0, S0}, {S0}}));
}

TEST(Resolve, MaxReductionLeavesPartialMax) {
  EXPECT_EQ(on_axis("(n:max d) -> d", {of(S0, {8, 4})}), (Outcome{{S0}, {Pmax}}));
  EXPECT_EQ(on_axis("(n d) -> d n ; move", {of(Pmax, {8, 4})}), (Outcome{{Pmax}, {Pmax}}));
}

TEST(Resolve, PiecesWithoutElementsHaveNoMaximum) {
  EXPECT_EQ(on_axis("(n:max d) -> d", {of(S0, {5, 4})}, 4), (Outcome{{I}, {I}}));  // 2, 2, 1 and 0 rows
  EXPECT_EQ(on_axis("(n:max d) -> d", {of(S0, {5, 4})}, 3), (Outcome{{S0}, {Pmax}}));
  EXPECT_EQ(on_axis("(n d) -> d", {of(S0, {5, 4})}, 4), (Outcome{{S0}, {P}}));
}

TEST(Resolve, AveragesOfUnequalPiecesAreNotTaken) {
  const Placement average = Placement::partial(ReduceOp::Avg);
  EXPECT_EQ(on_axis("(n:avg d) -> d", {of(S0, {5, 4})}), (Outcome{{I}, {I}}));
  EXPECT_EQ(on_axis("(n:avg d) -> d", {of(S0, {6, 4})}), (Outcome{{S0}, {average}}));
  EXPECT_EQ(on_axis("(n:avg d) -> n d", {of(S0, {5, 4})}), (Outcome{{S0}, {S0}}));
}

TEST(Resolve, OneRankDecidesAsManyDo) {
  for (const RuleCase& rule_case : rule_cases()) {
    for_assignments({{"a"}, {1}}, rule_case.inputs(), 200, [&](const std::vector<TensorFacts>& inputs) {
      const auto one = resolve({{"a"}, {1}}, rule_case.rule(), inputs);
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        // Nothing is gathered or reduced on one rank only because it is free there.
        if (one->inputs[i] == inputs[i].placements) continue;
        const auto two = resolve({{"a"}, {2}}, rule_case.rule(), inputs);
        if (two->inputs[i] == inputs[i].placements) {
          ADD_FAILURE() << rule_case.notation << ": " << describe(inputs, *one) << " against "
                        << describe(inputs, *two);
        }
      }
    });
  }
}

TEST(Resolve, EmptyTensorsDontMoveForNothing) {
  EXPECT_EQ(on_axis(mm, {of(S0, {0, 4}), of(I, {4, 4})}), (Outcome{{S0, R}, {S0}}));
}

TEST(Resolve, TwoAxesAreDecidedEachByItself) {
  const MeshShape mesh{{"dp", "tp"}, {2, 2}};
  const std::vector<TensorFacts> inputs{tensor({S0, I}, {8, 4}), tensor({I, S0}, {6, 4}),
                                        tensor({I, S0}, {6})};
  const auto resolution = resolve(mesh, parse_rule(linear, inputs), inputs);
  EXPECT_EQ(resolution->inputs[0], (Axis{S0, R}));
  EXPECT_EQ(resolution->inputs[1], (Axis{R, S0}));
  EXPECT_EQ(resolution->inputs[2], (Axis{R, S0}));
  EXPECT_EQ(resolution->outputs[0], (Axis{S0, S1}));
}

// To split an outer axis under a split inner one gathers the inner one's pieces, so it is not free.
TEST(Resolve, ShardsOfLaterAxesNestInThoseOfEarlierOnes) {
  const MeshShape mesh{{"a", "b"}, {2, 2}};
  const std::vector<TensorFacts> inputs{tensor({I, S0}, {8}), tensor({S0, I}, {8})};
  const auto resolution = resolve(mesh, parse_rule(add, inputs), inputs);
  EXPECT_EQ(resolution->outputs[0], (Axis{I, S0}));
  const std::vector<TensorFacts> free{tensor({I, I}, {8}), tensor({S0, I}, {8})};
  EXPECT_EQ(resolve(mesh, parse_rule(add, free), free)->outputs[0], (Axis{S0, I}));
}

TEST(Resolve, FixedOutputOfInPlaceOps) {
  const MeshShape mesh{{"a"}, {2}};
  const auto in_place = [&](const std::string& notation, Placement self,
                            Placement other) -> std::optional<Axis> {
    const std::vector<TensorFacts> inputs{of(self, {8, 4}), of(other, {8, 4})};
    const std::vector<Placement> fixed{self};
    const auto resolution = resolve(mesh, parse_rule(notation, inputs), inputs, &fixed);
    if (!resolution) return std::nullopt;
    EXPECT_EQ(resolution->outputs[0], fixed);
    return Axis{resolution->inputs[0][0], resolution->inputs[1][0]};
  };
  const std::string mul = "(..., ...) -> ... ; multilinear";
  EXPECT_EQ(in_place(add, S0, I), (Axis{S0, S0}));
  EXPECT_EQ(in_place(add, S0, P), (Axis{S0, S0}));
  EXPECT_EQ(in_place(add, S0, S1), (Axis{S0, S0}));
  EXPECT_EQ(in_place(add, I, S0), (Axis{I, I}));
  EXPECT_EQ(in_place(add, I, P), (Axis{I, I}));
  EXPECT_EQ(in_place(add, I, R), (Axis{I, I}));
  EXPECT_EQ(in_place(add, R, I), (Axis{R, R}));
  EXPECT_EQ(in_place(add, P, I), (Axis{P, P}));
  EXPECT_EQ(in_place(add, P, S0), (Axis{P, P}));
  EXPECT_EQ(in_place(mul, P, I), (Axis{P, R}));
  EXPECT_EQ(in_place("(..., ...) -> ...", P, I), std::nullopt);
  EXPECT_EQ(in_place("(...!, ...) -> ...", S0, I), std::nullopt);
}

TEST(Resolve, FixedOutputOfOutArguments) {
  const MeshShape mesh{{"a"}, {2}};
  const std::vector<TensorFacts> inputs{of(I, {8, 8}), of(I, {8, 8})};
  const std::vector<Placement> fixed{S1};
  const auto resolution = resolve(mesh, parse_rule(mm, inputs), inputs, &fixed);
  ASSERT_TRUE(resolution);
  EXPECT_EQ(resolution->inputs[0], (Axis{R}));
  EXPECT_EQ(resolution->inputs[1], (Axis{S1}));
  EXPECT_EQ(resolution->outputs[0], fixed);
}

TEST(Resolve, FixedOutputIsAlwaysKept) {
  for (const RuleCase& rule_case : rule_cases()) {
    const ShardingRule rule = rule_case.rule();
    for (const MeshShape& mesh : meshes()) {
      for_assignments(mesh, rule_case.inputs(), 200, [&](const std::vector<TensorFacts>& inputs) {
        const std::vector<Placement>& fixed = inputs.front().placements;
        if (inputs.front().sizes != rule.output_sizes[0]) return;
        const auto resolution = resolve(mesh, rule, inputs, &fixed);
        if (!resolution) return;
        ASSERT_EQ(resolution->outputs[0], fixed);
        ASSERT_EQ(resolution->inputs[0], fixed);
      });
    }
  }
}

TEST(Resolve, WrongNumbersOfPlacementsAndTensors) {
  const std::vector<TensorFacts> inputs{tensor({I, I}, {4})};
  EXPECT_THROW(resolve({{"a"}, {2}}, parse_rule(relu, inputs), inputs), Error);
  const ShardingRule rule = parse_rule(relu, inputs);
  EXPECT_THROW(resolve({{"a"}, {2}}, rule, {}), Error);
  EXPECT_THROW(resolve({{"a", "b"}, {2, 2}}, rule, {tensor({I, I}, {4, 4})}), Error);
}

// Generated checks: every rule, mesh and assignment.

class ResolveAll : public testing::TestWithParam<RuleCase> {
 protected:
  void for_all(const std::function<void(const MeshShape&, const std::vector<TensorFacts>&,
                                        const Resolution&)>& check) {
    const ShardingRule rule = GetParam().rule();
    for (const MeshShape& mesh : meshes()) {
      for_assignments(mesh, GetParam().inputs(), 2000, [&](const std::vector<TensorFacts>& inputs) {
        const auto resolution = resolve(mesh, rule, inputs);
        ASSERT_TRUE(resolution);
        check(mesh, inputs, *resolution);
      });
    }
  }
};

INSTANTIATE_TEST_SUITE_P(AllRules, ResolveAll, testing::ValuesIn(rule_cases()));

// Asking for what was answered changes nothing.
TEST_P(ResolveAll, InputsThatFitAreNotChanged) {
  const ShardingRule rule = GetParam().rule();
  for_all([&](const MeshShape& mesh, const std::vector<TensorFacts>& inputs, const Resolution& resolution) {
    std::vector<TensorFacts> fitting = inputs;
    for (std::size_t i = 0; i < fitting.size(); ++i) fitting[i].placements = resolution.inputs[i];
    const auto again = resolve(mesh, rule, fitting);
    EXPECT_EQ(again->inputs, resolution.inputs) << describe(fitting, *again);
    EXPECT_EQ(again->outputs, resolution.outputs) << describe(fitting, *again);
    EXPECT_FALSE(resolution.size_dependent);
  });
}

TEST_P(ResolveAll, ConversionsExist) {
  for_all([&](const MeshShape& mesh, const std::vector<TensorFacts>& inputs, const Resolution& resolution) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      for (std::size_t axis = 0; axis < mesh.sizes.size(); ++axis) {
        EXPECT_NO_THROW(conversion(inputs[i].placements[axis], resolution.inputs[i][axis]));
        // R and R+ of a value without gradient are one.
        if (!inputs[i].differentiable && inputs[i].placements[axis].is_replicated()) {
          EXPECT_TRUE(resolution.inputs[i][axis] == inputs[i].placements[axis] ||
                      !resolution.inputs[i][axis].is_replicated());
        }
      }
    }
  });
}

// The law of gradients: along an axis, R+ or whole operands of kind R never meet shards or open sums.
TEST_P(ResolveAll, SharedOperandsOfSplitComputationAreRPlus) {
  for_all([&](const MeshShape& mesh, const std::vector<TensorFacts>& inputs, const Resolution& resolution) {
    for (std::size_t axis = 0; axis < mesh.sizes.size(); ++axis) {
      bool whole = false, split = false;
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Placement& placement = resolution.inputs[i][axis];
        if (inputs[i].differentiable && placement.is_invariant()) whole = true;
        if (!placement.is_replicated() || (inputs[i].differentiable && !placement.is_invariant()))
          split = true;
      }
      EXPECT_FALSE(whole && split) << describe(inputs, resolution);
      for (const auto& output : resolution.outputs) {
        EXPECT_FALSE(whole && !output[axis].is_invariant()) << describe(inputs, resolution);
      }
    }
  });
}

// For each rank and factor: the tensors that carry it hold the same part of it, in the same order.
TEST_P(ResolveAll, PartsOfFactorsAgreeAcrossTensors) {
  const ShardingRule rule = GetParam().rule();
  for_all([&](const MeshShape& mesh, const std::vector<TensorFacts>& inputs, const Resolution& resolution) {
    for (std::int64_t rank = 0; rank < mesh.num_ranks(); ++rank) {
      std::vector<std::optional<std::vector<std::int64_t>>> parts(rule.factors.size());
      const auto check = [&](const TensorFactors& factors, const std::vector<Placement>& placements,
                             const std::vector<std::int64_t>& sizes) {
        const auto owned = owned_indices(layout_of(mesh, placements, sizes), mesh.coordinate(rank));
        for (std::size_t d = 0; d < sizes.size(); ++d) {
          std::int64_t block = sizes[d];
          std::int64_t local = 1;
          for (int factor : factors.dims[d]) {
            if (block == 0) return;
            block /= rule.factors[factor].size;
            std::vector<std::int64_t> part;
            for (std::int64_t index : owned[d]) {
              const std::int64_t value = index / block % rule.factors[factor].size;
              if (std::find(part.begin(), part.end(), value) == part.end()) part.push_back(value);
            }
            local *= static_cast<std::int64_t>(part.size());
            if (owned[d].empty() && factors.dims[d].size() > 1) continue;  // empty in some factor
            if (!parts[factor]) parts[factor] = part;
            EXPECT_EQ(*parts[factor], part) << describe(inputs, resolution) << " rank " << rank;
          }
          EXPECT_TRUE(factors.dims[d].empty() || owned[d].empty() ||
                      local == static_cast<std::int64_t>(owned[d].size()));
        }
      };
      for (std::size_t i = 0; i < inputs.size(); ++i)
        check(rule.inputs[i], resolution.inputs[i], inputs[i].sizes);
      for (std::size_t o = 0; o < rule.outputs.size(); ++o) {
        check(rule.outputs[o], resolution.outputs[o], rule.output_sizes[o]);
      }
    }
  });
}

}  // namespace
}  // namespace vescale::sharding::test
