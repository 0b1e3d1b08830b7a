/// Losses: elementwise or per row, then reduced as `reduction` says.
#include <vescale/error.h>

#include "Sharding/Rules/Families.h"

namespace vescale::sharding::rules {
namespace {

constexpr std::int64_t none = 0;
constexpr std::int64_t mean = 1;

std::int64_t reduction_of(const Call& call) { return call.integer("reduction").value_or(mean); }

/// The result for a loss per element of `dims`. A mean needs the count of all, so its dims stay whole here.
void reduce(Builder& builder, const Call& call, const Dims& dims) {
  const std::int64_t how = reduction_of(call);
  if (how == none) return builder.output(dims);
  if (how == mean) {
    for (const DimFactors& dim : dims) builder.unshardable(dim);
  }
  builder.output({});
}

}  // namespace

std::optional<ShardingRule> pointwise_loss(const Call& call, const Traits&) {
  Builder builder(call);
  std::vector<Sizes> shapes;
  for (const TensorFacts* tensor : call.tensors()) shapes.push_back(tensor->sizes);
  Broadcast joined = broadcast(builder, shapes, call.name());
  for (std::size_t i = 0; i < joined.inputs.size(); ++i) {
    builder.input(static_cast<int>(i), std::move(joined.inputs[i]));
  }
  reduce(builder, call, joined.output);
  return std::move(builder).finish();
}

std::optional<ShardingRule> class_loss(const Call& call, const Traits&) {
  const Sizes& sizes = call.sizes(0);
  if (sizes.empty()) throw Error(std::string(call.name()) + ": the input is a scalar");
  const int target = call.required("target");
  const std::size_t classes = sizes.size() == 1 ? 0 : 1;
  Builder builder(call);
  const Dims dims = builder.factors(sizes);
  builder.unshardable(dims[classes]);
  Dims rows = dims;
  rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(classes));
  builder.input(0, dims);
  const bool probabilities = call.sizes(target).size() == sizes.size() &&
                             call.name() == "cross_entropy_loss" &&
                             call.tensors()[static_cast<std::size_t>(target)]->differentiable;
  const Dims& target_dims = probabilities ? dims : rows;
  if (call.sizes(target).size() != target_dims.size()) {
    throw Error(std::string(call.name()) + ": target " + describe(call.sizes(target)) +
                " does not fit input " + describe(sizes));
  }
  for (std::size_t d = 0; d < target_dims.size(); ++d) {
    builder.learn(target_dims[d].front(), call.sizes(target)[d]);
  }
  builder.input(target, target_dims);
  if (const std::optional<int> weight = call.tensor("weight")) builder.input(*weight, {dims[classes]});
  reduce(builder, call, rows);
  return std::move(builder).finish();
}

std::optional<ShardingRule> row_loss(const Call& call, const Traits&) {
  Builder builder(call);
  std::vector<Sizes> shapes;
  for (const TensorFacts* tensor : call.tensors()) shapes.push_back(tensor->sizes);
  Broadcast joined = broadcast(builder, shapes, call.name());
  if (joined.output.empty()) return std::nullopt;
  for (std::size_t i = 0; i < joined.inputs.size(); ++i) {
    builder.input(static_cast<int>(i), std::move(joined.inputs[i]));
  }
  builder.unshardable(joined.output.back());
  joined.output.pop_back();
  reduce(builder, call, joined.output);
  return std::move(builder).finish();
}

}  // namespace vescale::sharding::rules
