/// Ops that reduce dims, or work along dims that keep their size.
#include "Sharding/Rules/Families.h"

#include <algorithm>

namespace vescale::sharding::rules {
namespace {

/// Per dim of the tensor whether `dim` or `dims` names it; all if they are absent or empty.
std::vector<bool> named_dims(const Call& call, std::size_t rank) {
  std::optional<Sizes> dims = call.integers(call.has_argument("dims") ? "dims" : "dim");
  if (!dims || dims->empty()) return std::vector<bool>(rank, true);
  std::vector<bool> named(rank, false);
  for (std::int64_t dim : *dims) {
    const auto d = static_cast<std::size_t>(wrap_dim(dim, rank, call.name()));
    if (d < rank) named[d] = true;
  }
  return named;
}

}  // namespace

std::optional<ShardingRule> reduction(const Call& call, const Traits& traits) {
  if (call.tensors().size() != 1) return pointwise(call, {});  // max(self, other)
  Builder builder(call);
  const Dims input = builder.factors(call.sizes(0));
  const std::vector<bool> reduced = named_dims(call, input.size());
  const bool keepdim = call.boolean("keepdim").value_or(false);
  Dims output;
  for (std::size_t d = 0; d < input.size(); ++d) {
    if (!reduced[d]) {
      output.push_back(input[d]);
      continue;
    }
    if (!traits.sums) builder.unshardable(input[d]);
    if (keepdim) output.emplace_back();
  }
  builder.input(0, input);
  for (int i = 0; i < traits.outputs; ++i) builder.output(output);
  set_linearity(builder, call, traits);
  return std::move(builder).finish();
}

std::optional<ShardingRule> pair_reduction(const Call& call, const Traits& traits) {
  Builder builder(call);
  std::vector<Sizes> shapes;
  for (const TensorFacts* tensor : call.tensors()) shapes.push_back(tensor->sizes);
  Broadcast joined = broadcast(builder, shapes, call.name());
  const std::size_t rank = joined.output.size();
  std::vector<bool> reduced(rank, true);  // dist
  if (call.has_argument("dim")) reduced = named_dims(call, rank);
  if (call.name() == "pairwise_distance")
    std::fill_n(reduced.begin(), rank - std::min<std::size_t>(rank, 1), false);
  Dims output;
  for (std::size_t d = 0; d < rank; ++d) {
    if (!reduced[d]) {
      output.push_back(joined.output[d]);
      continue;
    }
    if (!traits.sums) builder.unshardable(joined.output[d]);
    if (call.boolean("keepdim").value_or(false)) output.emplace_back();
  }
  for (std::size_t i = 0; i < joined.inputs.size(); ++i) {
    builder.input(static_cast<int>(i), std::move(joined.inputs[i]));
  }
  builder.output(std::move(output));
  set_linearity(builder, call, traits);
  return std::move(builder).finish();
}

std::optional<ShardingRule> along_dim(const Call& call, const Traits& traits) {
  std::optional<ShardingRule> rule = pointwise(call, traits);
  if (!rule) return rule;
  const std::vector<DimFactors>& dims = rule->outputs.front().dims;
  const std::vector<bool> named = named_dims(call, dims.size());
  for (std::size_t d = 0; d < named.size(); ++d) {
    if (!named[d]) continue;
    for (int factor : dims[d]) rule->factors[static_cast<std::size_t>(factor)].shardable = false;
  }
  return rule;
}

std::optional<ShardingRule> glu(const Call& call, const Traits&) {
  Builder builder(call);
  Dims dims = builder.factors(call.sizes(0));
  const std::size_t rank = dims.size();
  if (rank == 0) return std::nullopt;
  const auto d = static_cast<std::size_t>(call.dim("dim", rank));
  const std::int64_t size = call.sizes(0)[d];
  const DimFactors half{builder.factor(size == unknown_size ? size : size / 2)};
  const int which = builder.factor(2, false);
  dims[d] = {which, half.front()};
  builder.input(0, dims);
  dims[d] = half;
  builder.output(std::move(dims));
  return std::move(builder).finish();
}

std::optional<ShardingRule> msort(const Call& call, const Traits& traits) {
  std::optional<ShardingRule> rule = sized_as_self(call, traits);
  if (rule && !rule->factors.empty()) rule->factors.front().shardable = false;
  return rule;
}

std::optional<ShardingRule> along_all(const Call& call, const Traits& traits) {
  std::optional<ShardingRule> rule = sized_as_self(call, traits);
  if (!rule) return rule;
  for (Factor& factor : rule->factors) factor.shardable = false;
  return rule;
}

std::optional<ShardingRule> topk(const Call& call, const Traits& traits) {
  Builder builder(call);
  Dims input = builder.factors(call.sizes(0));
  Dims output = input;
  if (!input.empty()) {
    const auto d = static_cast<std::size_t>(call.dim("dim", input.size()));
    builder.unshardable(input[d]);
    output[d] = builder.fixed(call.integer("k").value_or(unknown_size));
  }
  builder.input(0, std::move(input));
  for (int i = 0; i < traits.outputs; ++i) builder.output(output);
  return std::move(builder).finish();
}

}  // namespace vescale::sharding::rules
