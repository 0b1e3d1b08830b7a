/// Calls against the table of rules, and ops that it lacks.
#include <gtest/gtest.h>

#include <vescale/error.h>

#include "cases.h"

namespace vescale::sharding::test {
namespace {

const Placement I = Placement::invariant();
const Placement R = Placement::replicate();
const Placement S0 = Placement::shard(0);
const Placement P = Placement::partial();
const MeshShape mesh{{"tp"}, {2}};

using Axis = std::vector<Placement>;
using List = std::vector<std::optional<TensorFacts>>;

OpCall call(std::string_view name, std::vector<Argument> arguments) {
  return {name, "", std::move(arguments), {}};
}

TEST(ResolveCall, OpOfTheTable) {
  const OpCall mm = call("mm", {tensor({S0}, {4, 6}), tensor({I}, {6, 8})});
  const auto resolution = resolve(mesh, mm);
  ASSERT_TRUE(resolution);
  EXPECT_TRUE(resolution->has_rule);
  EXPECT_EQ(resolution->inputs, (std::vector<Axis>{{S0}, {R}}));
  EXPECT_EQ(resolution->outputs, (std::vector<Axis>{{S0}}));
  EXPECT_EQ(resolution->output_sizes, (std::vector<std::vector<std::int64_t>>{{4, 8}}));
  EXPECT_EQ(
      explain(mesh, mm),
      "input 1, tp: R -> R+ (none, backward all_reduce): each rank uses it for a part of the result, so its "
      "gradient is summed over the axis\n");
}

TEST(ResolveCall, OpWithoutRuleRunsOnWholeValues) {
  const OpCall unknown = call("no_such_op", {tensor({S0}, {4}), std::int64_t{3}, tensor({P}, {2, 2})});
  const auto resolution = resolve(mesh, unknown);
  ASSERT_TRUE(resolution);
  EXPECT_FALSE(resolution->has_rule);
  EXPECT_FALSE(has_rule("no_such_op"));
  EXPECT_EQ(resolution->inputs, (std::vector<Axis>{{I}, {I}}));
  EXPECT_EQ(resolution->outputs, (std::vector<Axis>{{I}}));
  EXPECT_TRUE(resolution->output_sizes.empty());
  EXPECT_EQ(explain(mesh, unknown),
            "no_such_op has no sharding rule, so it runs on whole values\n"
            "input 0, tp: S(0) -> R (all_gather, backward slice): the op needs dim 0 whole\n"
            "input 1, tp: P -> R (all_reduce): the op is not linear, so it needs the reduced value\n");
}

TEST(ResolveCall, OpWithoutRuleFollowsRPlus) {
  const auto resolution = resolve(mesh, call("no_such_op", {tensor({R}, {4}), tensor({I}, {4})}));
  EXPECT_EQ(resolution->inputs, (std::vector<Axis>{{R}, {R}}));
  EXPECT_EQ(resolution->outputs, (std::vector<Axis>{{R}}));
  EXPECT_EQ(explain(mesh, call("no_such_op", {tensor({I}, {4})})), "");
}

TEST(ResolveCall, InPlaceOpWithoutRule) {
  const std::vector<Placement> whole{I}, split{S0};
  EXPECT_TRUE(resolve(mesh, call("no_such_op_", {tensor({I}, {4}), tensor({S0}, {4})}), &whole));
  EXPECT_FALSE(resolve(mesh, call("no_such_op_", {tensor({S0}, {4})}), &split));
}

TEST(ResolveCall, TensorsOfListsAndAbsentOnes) {
  const OpCall mixed =
      call("no_such_op",
           {std::monostate(), tensor({I}, {1}), List{tensor({I}, {2}), std::nullopt, tensor({I}, {3})}, 2.5,
            true, std::string("mean"), std::vector<std::int64_t>{1, 2}, tensor({I}, {4})});
  std::vector<std::int64_t> sizes;
  for (const TensorFacts& input : tensor_inputs(mixed)) sizes.push_back(input.sizes[0]);
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{1, 2, 3, 4}));
}

TEST(ResolveCall, CallsWithoutTensors) {
  const auto resolution = resolve(mesh, call("no_such_op", {std::int64_t{3}}));
  EXPECT_EQ(resolution->outputs, (std::vector<Axis>{{I}}));
  EXPECT_TRUE(resolution->inputs.empty());
}

// What is not read keeps any placement; what is read for its sizes alone keeps open sums.
TEST(ResolveUses, InputsThatAreNotRead) {
  for (const Placement& placement : {I, R, S0, P}) {
    const std::vector<TensorFacts> inputs{tensor({placement}, {4})};
    ShardingRule nothing = parse_rule("(n!) -> 1", inputs);
    nothing.input_uses = {InputUse::Nothing};
    const auto kept = resolve(mesh, nothing, inputs);
    EXPECT_EQ(kept->inputs[0], Axis{placement});
    EXPECT_EQ(kept->outputs[0], Axis{I});
    ShardingRule like = parse_rule("(n) -> n", inputs);
    like.input_uses = {InputUse::Sizes};
    const auto sized = resolve(mesh, like, inputs);
    EXPECT_EQ(sized->inputs[0], Axis{placement});
    EXPECT_EQ(sized->outputs[0], Axis{placement == S0 ? S0 : I});
  }
}

}  // namespace
}  // namespace vescale::sharding::test
