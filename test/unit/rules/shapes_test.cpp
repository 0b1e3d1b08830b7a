// Every rule's sizes against those of LibTorch, for the calls of calls.py.
#include <gtest/gtest.h>

#include "shape_lines.h"

namespace vescale::sharding::test {
namespace {

std::int64_t product_of(const ShardingRule& rule, const DimFactors& dim) {
  std::int64_t product = 1;
  for (int factor : dim) product *= rule.factors.at(static_cast<std::size_t>(factor)).size;
  return product;
}

void expect_made_of(const ShardingRule& rule, const TensorFactors& tensor,
                    const std::vector<std::int64_t>& sizes) {
  ASSERT_EQ(tensor.dims.size(), sizes.size());
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    EXPECT_EQ(product_of(rule, tensor.dims[d]), sizes[d]) << "dim " << d;
  }
}

class Shapes : public testing::TestWithParam<ShapeLine> {};

TEST_P(Shapes, AreThoseOfLibTorch) {
  const ShapeLine& line = GetParam();
  SCOPED_TRACE(line.text);
  const OpCall call = line.call();
  ASSERT_TRUE(has_rule(call.name, call.overload));
  const std::optional<ShardingRule> rule = find_rule(call);
  ASSERT_TRUE(rule.has_value());
  EXPECT_EQ(rule->output_sizes, line.results);
  ASSERT_EQ(rule->outputs.size(), line.results.size());
  for (std::size_t o = 0; o < line.results.size(); ++o)
    expect_made_of(*rule, rule->outputs[o], line.results[o]);
  const std::vector<TensorFacts> inputs = tensor_inputs(call);
  ASSERT_EQ(rule->inputs.size(), inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    SCOPED_TRACE("input " + std::to_string(i));
    // A size that is 1 and broadcasts has no factors; all others are products.
    expect_made_of(*rule, rule->inputs[i], inputs[i].sizes);
  }
}

// The tool knows no overload and not all sizes: factors must be found all the same.
TEST_P(Shapes, AreFoundWithoutOverload) {
  OpCall call = GetParam().call();
  call.overload = {};
  SCOPED_TRACE(GetParam().text);
  const std::optional<ShardingRule> rule = find_rule(call);
  ASSERT_TRUE(rule.has_value());
  EXPECT_EQ(rule->output_sizes, GetParam().results);
}

void forget_sizes(Argument& argument) {
  const auto forget = [](TensorFacts& tensor) {
    for (std::int64_t& size : tensor.sizes) size = size == 1 ? 1 : unknown_size;
  };
  if (auto* tensor = std::get_if<TensorFacts>(&argument)) forget(*tensor);
  if (auto* list = std::get_if<std::vector<std::optional<TensorFacts>>>(&argument)) {
    for (std::optional<TensorFacts>& tensor : *list) {
      if (tensor) forget(*tensor);
    }
  }
}

TEST_P(Shapes, KeepTheirRanksWithoutSizes) {
  OpCall call = GetParam().call();
  SCOPED_TRACE(GetParam().text);
  for (Argument& argument : call.arguments) forget_sizes(argument);
  const std::optional<ShardingRule> rule = find_rule(call);
  if (!rule || call.name == "squeeze") return;  // which dims go depends on sizes
  const std::vector<TensorFacts> inputs = tensor_inputs(call);
  ASSERT_EQ(rule->inputs.size(), inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    EXPECT_EQ(rule->inputs[i].dims.size(), inputs[i].sizes.size());
  ASSERT_LE(rule->outputs.size(), GetParam().results.size());
  for (std::size_t o = 0; o < rule->outputs.size(); ++o) {
    const std::vector<std::int64_t>& sizes = rule->output_sizes[o];
    ASSERT_EQ(sizes.size(), GetParam().results[o].size());
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if (sizes[d] != unknown_size) EXPECT_EQ(sizes[d], GetParam().results[o][d]);
    }
  }
}

std::string test_name(const testing::TestParamInfo<ShapeLine>& info) {
  std::string name = info.param.name + "_" + info.param.overload + "_" + std::to_string(info.index);
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Calls, Shapes, testing::ValuesIn(read_shape_lines(SHAPES_FILE)), test_name);

}  // namespace
}  // namespace vescale::sharding::test
