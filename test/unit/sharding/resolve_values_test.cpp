/// resolve() is right if what ranks compute from the inputs it asks for is, put together as it says, the
/// value.
#include <gtest/gtest.h>

#include "cases.h"
#include "simulation.h"

namespace vescale::sharding::test {
namespace {

class ResolveValues : public testing::TestWithParam<RuleCase> {};

TEST_P(ResolveValues, AreThoseOfOneDevice) {
  const RuleCase& rule_case = GetParam();
  const ShardingRule rule = rule_case.rule();
  std::vector<Value> whole;
  for (std::size_t i = 0; i < rule_case.sizes.size(); ++i) {
    whole.push_back(numbers(rule_case.sizes[i], static_cast<std::uint32_t>(i)));
  }
  std::vector<Value> expected;
  for (std::size_t o = 0; o < rule.outputs.size(); ++o)
    expected.push_back(evaluate(rule_case, rule, o, whole));
  for (const MeshShape& mesh : meshes()) {
    for_assignments(mesh, rule_case.inputs(), 300, [&](const std::vector<TensorFacts>& inputs) {
      const auto resolution = resolve(mesh, rule, inputs);
      ASSERT_TRUE(resolution);
      std::vector<std::vector<Value>> locals;
      for (std::size_t i = 0; i < whole.size(); ++i) {
        locals.push_back(distribute(mesh, resolution->inputs[i], whole[i]));
      }
      for (std::size_t o = 0; o < rule.outputs.size(); ++o) {
        const auto actual = evaluate_locally(rule_case, rule, o, mesh, *resolution, locals);
        const Collected together = collect(mesh, resolution->outputs[o], rule.output_sizes[o], actual);
        ASSERT_EQ(together.error, "") << mesh.to_string() << ": " << describe(inputs, *resolution);
        ASSERT_EQ(together.value.data, expected[o].data)
            << mesh.to_string() << ": " << describe(inputs, *resolution);
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(AllRules, ResolveValues, testing::ValuesIn(rule_cases()));

TEST(Simulation, CollectIsTheInverseOfDistribute) {
  for (const MeshShape& mesh : meshes()) {
    for (const std::vector<std::int64_t>& sizes : {std::vector<std::int64_t>{}, {6}, {5, 12}, {1, 0}}) {
      const Value value = numbers(sizes, 7);
      for_assignments(mesh, {tensor({}, sizes)}, 1000, [&](const std::vector<TensorFacts>& inputs) {
        const auto& placements = inputs.front().placements;
        const Collected together = collect(mesh, placements, sizes, distribute(mesh, placements, value));
        ASSERT_EQ(together.error, "");
        ASSERT_EQ(together.value.data, value.data);
      });
    }
  }
}

}  // namespace
}  // namespace vescale::sharding::test
