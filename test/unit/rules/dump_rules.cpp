// Prints the rule of each call of shapes.txt as a line of JSON, for check_values.py; null where there is
// none.
#include <cstdio>
#include <string>

#include "shape_lines.h"

namespace {

using namespace vescale::sharding;

template <class List, class Write>
std::string list(const List& items, Write write) {
  std::string text = "[";
  for (std::size_t i = 0; i < items.size(); ++i) text += (i == 0 ? "" : ",") + write(items[i]);
  return text + "]";
}

std::string tensor(const TensorFactors& factors) {
  const std::string dims = list(factors.dims, [](const DimFactors& dim) {
    return list(dim, [](int factor) { return std::to_string(factor); });
  });
  return std::string("{\"dims\":") + dims + ",\"additive\":" + (factors.additive ? "true" : "false") + "}";
}

std::string factor(const Factor& facts) {
  return "{\"size\":" + std::to_string(facts.size) +
         ",\"shardable\":" + (facts.shardable ? "true" : "false") +
         ",\"never\":" + std::to_string(facts.never) + ",\"reduce\":\"" + vescale::to_string(facts.reduce) +
         "\"}";
}

std::string local(const LocalArgument& argument) {
  const int values[] = {argument.argument, static_cast<int>(argument.kind), argument.output, argument.dim};
  return list(std::vector<int>(std::begin(values), std::end(values)),
              [](int v) { return std::to_string(v); });
}

std::string json(const ShardingRule& rule) {
  std::string text = "{\"factors\":" + list(rule.factors, factor);
  text += ",\"inputs\":" + list(rule.inputs, tensor) + ",\"outputs\":" + list(rule.outputs, tensor);
  text += ",\"linearity\":" + std::to_string(static_cast<int>(rule.linearity));
  text +=
      ",\"linear\":" + list(rule.linear_inputs, [](bool linear) { return std::string(linear ? "1" : "0"); });
  text += ",\"uses\":" +
          list(rule.input_uses, [](InputUse use) { return std::to_string(static_cast<int>(use)); });
  return text + ",\"local\":" + list(rule.local_arguments, local) + "}";
}

}  // namespace

int main() {
  for (const test::ShapeLine& line : test::read_shape_lines(SHAPES_FILE)) {
    const auto rule = find_rule(line.call());
    std::puts(rule ? json(*rule).c_str() : "null");
  }
}
