/// Elementwise ops, and ops that only take the shape of an input.
#include "Sharding/Rules/Families.h"

namespace vescale::sharding::rules {

void set_linearity(Builder& builder, const Call& call, const Traits& traits) {
  if (traits.linearity == Linearity::None) return;
  if (traits.linear.empty()) return builder.linear(traits.linearity);
  std::vector<int> inputs;
  for (std::string_view argument : traits.linear) {
    if (const std::optional<int> input = call.tensor(argument)) inputs.push_back(*input);
  }
  // With a number in place of a tensor, as in x + 1, the op is not linear in all operands together.
  if (traits.linearity == Linearity::Joint && inputs.size() < traits.linear.size()) return;
  if (!inputs.empty()) builder.linear(traits.linearity, inputs);
}

std::optional<ShardingRule> pointwise(const Call& call, const Traits& traits) {
  Builder builder(call);
  std::vector<Sizes> shapes;
  for (const TensorFacts* tensor : call.tensors()) shapes.push_back(tensor->sizes);
  Broadcast joined = broadcast(builder, shapes, call.name());
  for (std::size_t i = 0; i < joined.inputs.size(); ++i) {
    builder.input(static_cast<int>(i), std::move(joined.inputs[i]));
  }
  for (int i = 0; i < traits.outputs; ++i) builder.output(joined.output);
  // Division that rounds is not linear.
  if (!call.text("rounding_mode")) set_linearity(builder, call, traits);
  return std::move(builder).finish();
}

std::optional<ShardingRule> sized_as_self(const Call& call, const Traits& traits) {
  Builder builder(call);
  if (call.tensors().empty()) return std::nullopt;
  const Dims dims = builder.factors(call.sizes(0));
  builder.input(0, dims);
  for (std::size_t i = 1; i < call.tensors().size(); ++i) {
    const int index = static_cast<int>(i);
    builder.input(index, broadcast_to(builder, call.sizes(index), dims, call.name()));
  }
  for (int i = 0; i < traits.outputs; ++i) builder.output(dims);
  set_linearity(builder, call, traits);
  return std::move(builder).finish();
}

std::optional<ShardingRule> overwrite(const Call& call, const Traits& traits) {
  std::optional<ShardingRule> rule = sized_as_self(call, traits);
  if (!rule) return rule;
  rule->input_uses.assign(rule->inputs.size(), InputUse::Values);
  rule->input_uses.front() = InputUse::Sizes;
  return rule;
}

std::optional<ShardingRule> like(const Call& call, const Traits&) {
  Builder builder(call);
  const int self = call.required("self");
  const Dims dims = builder.factors(call.sizes(self));
  builder.input(self, dims);
  builder.read(self, InputUse::Sizes);
  builder.output(dims);
  return std::move(builder).finish();
}

std::optional<ShardingRule> ignores_self(const Call& call, const Traits&) {
  Builder builder(call);
  const std::optional<Sizes> sizes = call.integers("size");
  if (!sizes) return std::nullopt;
  builder.read(call.required("self"), InputUse::Nothing);
  builder.output(builder.fixed_dims(*sizes));
  return std::move(builder).finish();
}

std::optional<ShardingRule> type_as(const Call& call, const Traits&) {
  Builder builder(call);
  const Dims dims = builder.factors(call.sizes(0));
  builder.input(0, dims);
  builder.read(call.required("other"), InputUse::Nothing);
  builder.output(dims);
  return std::move(builder).finish();
}

std::optional<ShardingRule> prelu(const Call& call, const Traits&) {
  Builder builder(call);
  const int weight = call.required("weight");
  const Dims dims = builder.factors(call.sizes(0));
  builder.input(0, dims);
  // One slope for all, or one per channel (dim 1).
  if (call.sizes(weight) == Sizes{1} || call.sizes(weight).empty()) {
    builder.input(weight, Dims(call.sizes(weight).size()));
  } else if (dims.size() > 1 && call.sizes(weight).size() == 1) {
    builder.learn(dims[1].front(), call.sizes(weight).front());
    builder.input(weight, {dims[1]});
  }
  builder.output(dims);
  return std::move(builder).finish();
}

}  // namespace vescale::sharding::rules
