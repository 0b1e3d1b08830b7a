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

std::optional<ShardingRule> along_dim(const Call& call, const Traits& traits) {
  std::optional<ShardingRule> rule = sized_as_self(call, traits);
  if (!rule) return rule;
  const std::vector<bool> named = named_dims(call, rule->inputs.front().dims.size());
  for (std::size_t d = 0; d < named.size(); ++d) {
    if (!named[d]) continue;
    for (int factor : rule->inputs.front().dims[d]) {
      rule->factors[static_cast<std::size_t>(factor)].shardable = false;
    }
  }
  return rule;
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
