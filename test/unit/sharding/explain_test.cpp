#include <gtest/gtest.h>

#include "cases.h"

namespace vescale::sharding::test {
namespace {

const Placement I = Placement::invariant();
const Placement R = Placement::replicate();
const Placement S0 = Placement::shard(0);
const Placement S1 = Placement::shard(1);
const Placement P = Placement::partial();

std::string explained(const std::string& notation, const std::vector<TensorFacts>& inputs,
                      const std::vector<Placement>* fixed = nullptr, std::int64_t ranks = 4) {
  return explain({{"tp"}, {ranks}}, parse_rule(notation, inputs), inputs, fixed);
}

TEST(Explain, NothingWhereAllFits) {
  EXPECT_EQ(explained("(n k, k m) -> n m", {tensor({S1}, {4, 4}), tensor({S0}, {4, 4})}), "");
}

TEST(Explain, EachReason) {
  EXPECT_EQ(explained("(...) -> ...", {tensor({P}, {4})}),
            "input 0, tp: P -> R (all_reduce): the op is not linear, so it needs the reduced value\n");
  EXPECT_EQ(explained("(n k!) -> n k", {tensor({S1}, {4, 4})}),
            "input 0, tp: S(1) -> R (all_gather, backward slice): the op needs dim 1 whole\n");
  EXPECT_EQ(explained("(n k) -> (n k)", {tensor({I}, {4, 4})}), "");
  EXPECT_EQ(
      explained("(n k) -> ((n k))", {tensor({S0}, {6, 256})}),
      "input 0, tp: S(0) -> R (all_gather, backward slice): the pieces of dim 0 are not the pieces of the "
      "result's dims\n");
  EXPECT_EQ(
      explained("(n k, k m) -> n m", {tensor({S0}, {4, 4}), tensor({I}, {4, 4})}),
      "input 1, tp: R -> R+ (none, backward all_reduce): each rank uses it for a part of the result, so its "
      "gradient is summed over the axis\n");
  EXPECT_EQ(
      explained("(n k, k m) -> n m", {tensor({S0}, {4, 4}), tensor({P}, {4, 4})}),
      "input 1, tp: P -> R+ (all_reduce, backward all_reduce): its open reduction can't meet the shards of "
      "input 0\n");
  EXPECT_EQ(explained("(n k, k m) -> n m", {tensor({S0}, {4, 4}), tensor({S1}, {4, 4})}),
            "input 1, tp: S(1) -> R+ (all_gather, backward reduce_scatter): the op is split as input 0 is, "
            "which does "
            "not split this dim; moving the other moves more\n");
  EXPECT_EQ(explained("(n, n) -> n", {tensor({S0}, {4}), tensor({I}, {4})}),
            "input 1, tp: R -> S(0) (slice, backward all_gather): it is split as input 0 is\n");
  EXPECT_EQ(explained("(n k, +n) -> n", {tensor({S1}, {4, 4}), tensor({I}, {4})}),
            "input 1, tp: R -> P (keep_first): the result is a partial sum, to which it is added on one rank "
            "only\n");
  EXPECT_EQ(explained("(n, n) -> n ; joint", {tensor({P}, {4}), tensor({I}, {4})}),
            "input 1, tp: R -> P (keep_first): the result stays a partial sum, to which it is added on one "
            "rank only\n");
  EXPECT_EQ(explained("(n, n) -> n", {tensor({R}, {4}), tensor({I}, {4})}),
            "input 1, tp: R -> R+ (none, backward all_reduce): another input is R+, so its gradient is "
            "summed over the "
            "axis\n");
}

TEST(Explain, ValuesWithoutGradientHaveNoBackward) {
  EXPECT_EQ(explained("(n k!) -> n k", {tensor({S1}, {4, 4}, false)}),
            "input 0, tp: S(1) -> R (all_gather): the op needs dim 1 whole\n");
}

TEST(Explain, InPlace) {
  const std::vector<Placement> self{I};
  EXPECT_EQ(
      explained("(n, n) -> n", {tensor({I}, {4}), tensor({S0}, {4})}, &self),
      "input 1, tp: S(0) -> R (all_gather, backward slice): the result can't be split like this in place\n");
  const std::vector<Placement> open{P};
  EXPECT_EQ(explained("(n, n) -> n", {tensor({P}, {4}), tensor({S0}, {4})}, &open),
            "no placement of the inputs gives the result the placement it must have\n");
}

TEST(Explain, SpeaksOfEveryInputThatMoves) {
  for (const RuleCase& rule_case : rule_cases()) {
    for (const MeshShape& mesh : meshes()) {
      for_assignments(mesh, rule_case.inputs(), 100, [&](const std::vector<TensorFacts>& inputs) {
        const auto resolution = resolve(mesh, rule_case.rule(), inputs);
        const std::string text = explain(mesh, rule_case.rule(), inputs);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
          for (std::size_t axis = 0; axis < mesh.sizes.size(); ++axis) {
            const std::string start = "input " + std::to_string(i) + ", " + mesh.names[axis] + ": ";
            const bool moves = resolution->inputs[i][axis] != inputs[i].placements[axis];
            EXPECT_EQ(text.find(start) != std::string::npos, moves) << text;
          }
        }
      });
    }
  }
}

}  // namespace
}  // namespace vescale::sharding::test
