/// Normalisation layers: statistics over some dims, scale and shift over others.
#include <algorithm>

#include <vescale/error.h>

#include "Sharding/Rules/Families.h"

namespace vescale::sharding::rules {
namespace {

/// Sets the named inputs that are there to `dims`.
void share(Builder& builder, const Call& call, std::initializer_list<std::string_view> names,
           const Dims& dims) {
  for (std::string_view name : names) {
    const std::optional<int> tensor = call.tensor(name);
    if (!tensor) continue;
    if (call.sizes(*tensor).size() != dims.size()) {
      throw Error(std::string(call.name()) + ": " + std::string(name) + " has " +
                  std::to_string(call.sizes(*tensor).size()) + " dims, not " + std::to_string(dims.size()));
    }
    for (std::size_t d = 0; d < dims.size(); ++d) builder.learn(dims[d].front(), call.sizes(*tensor)[d]);
    builder.input(*tensor, dims);
  }
}

/// Dim 1, or dim 0 of a tensor that has no other.
std::size_t channel_dim(const Call& call) {
  const std::size_t rank = call.sizes(0).size();
  if (rank == 0) throw Error(std::string(call.name()) + ": the input is a scalar");
  return rank == 1 ? 0 : 1;
}

}  // namespace

std::optional<ShardingRule> layer_norm(const Call& call, const Traits& traits) {
  const std::optional<Sizes> shape = call.integers("normalized_shape");
  if (!shape) return std::nullopt;
  const Sizes& sizes = call.sizes(0);
  if (shape->size() > sizes.size()) {
    throw Error(std::string(call.name()) + ": normalized_shape has more dims than the input");
  }
  Builder builder(call);
  const Dims dims = builder.factors(sizes);
  const auto first = dims.end() - static_cast<std::ptrdiff_t>(shape->size());
  const Dims normalized(first, dims.end());
  for (std::size_t d = 0; d < normalized.size(); ++d) {
    builder.unshardable(normalized[d]);
    builder.learn(normalized[d].front(), (*shape)[d]);
  }
  builder.input(0, dims);
  share(builder, call, {"weight", "bias"}, normalized);
  builder.output(dims);
  Dims statistics(dims.begin(), first);
  statistics.resize(dims.size());
  for (int i = 1; i < traits.outputs; ++i) builder.output(statistics);
  return std::move(builder).finish();
}

std::optional<ShardingRule> group_norm(const Call& call, const Traits&) {
  const std::size_t channel = channel_dim(call);
  Builder builder(call);
  const Dims dims = builder.factors(call.sizes(0));
  for (std::size_t d = 1; d < dims.size(); ++d) builder.unshardable(dims[d]);
  builder.input(0, dims);
  share(builder, call, {"weight", "bias"}, {dims[channel]});
  builder.output(dims);
  return std::move(builder).finish();
}

std::optional<ShardingRule> instance_norm(const Call& call, const Traits&) {
  const std::size_t channel = channel_dim(call);
  Builder builder(call);
  const Dims dims = builder.factors(call.sizes(0));
  builder.never(0, dims);
  const bool statistics = call.boolean("use_input_stats").value_or(true);
  // Running statistics average over the batch.
  if (statistics && call.tensor("running_mean")) builder.unshardable(dims[0]);
  for (std::size_t d = 2; d < dims.size() && statistics; ++d) builder.unshardable(dims[d]);
  builder.input(0, dims);
  share(builder, call, {"weight", "bias", "running_mean", "running_var"}, {dims[channel]});
  builder.output(dims);
  return std::move(builder).finish();
}

std::optional<ShardingRule> batch_norm(const Call& call, const Traits&) {
  const std::size_t channel = channel_dim(call);
  Builder builder(call);
  const Dims dims = builder.factors(call.sizes(0));
  builder.never(0, dims[channel]);
  const bool training = call.boolean("training").value_or(true) || !call.tensor("running_mean");
  for (std::size_t d = 0; d < dims.size() && training; ++d) {
    if (d != channel) builder.unshardable(dims[d]);
  }
  builder.input(0, dims);
  share(builder, call, {"weight", "bias", "running_mean", "running_var"}, {dims[channel]});
  builder.output(dims);
  return std::move(builder).finish();
}

}  // namespace vescale::sharding::rules
