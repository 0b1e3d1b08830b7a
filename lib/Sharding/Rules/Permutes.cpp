/// Views that reorder dims, or add and drop dims of size 1.
#include <algorithm>

#include <vescale/error.h>

#include "Sharding/Rules/Families.h"

namespace vescale::sharding::rules {
namespace {

/// The output's dims are those of the input in this order.
ShardingRule reordered(const Call& call, const std::vector<std::size_t>& order) {
  Builder builder(call);
  const Dims input = builder.factors(call.sizes(0));
  Dims output;
  for (std::size_t d : order) output.push_back(input[d]);
  builder.input(0, input);
  builder.output(std::move(output));
  builder.linear(Linearity::Movement);
  return std::move(builder).finish();
}

std::vector<std::size_t> identity(std::size_t rank) {
  std::vector<std::size_t> order(rank);
  for (std::size_t d = 0; d < rank; ++d) order[d] = d;
  return order;
}

std::size_t wrapped(const Call& call, std::int64_t dim, std::size_t rank) {
  return static_cast<std::size_t>(wrap_dim(dim, rank, call.name()));
}

}  // namespace

std::optional<ShardingRule> permute(const Call& call, const Traits&) {
  const std::size_t rank = call.sizes(0).size();
  const std::optional<Sizes> dims = call.integers("dims");
  if (!dims) return std::nullopt;
  std::vector<std::size_t> order;
  for (std::int64_t dim : *dims) order.push_back(wrapped(call, dim, rank));
  if (order.size() != rank || !std::is_permutation(order.begin(), order.end(), identity(rank).begin())) {
    throw Error("permute: " + describe(*dims) + " is no order of the dims of " + describe(call.sizes(0)));
  }
  return reordered(call, order);
}

std::optional<ShardingRule> swap_dims(const Call& call, const Traits&) {
  const std::size_t rank = call.sizes(0).size();
  const bool axes = call.has_argument("axis0");
  const std::int64_t first = call.dim(axes ? "axis0" : "dim0", rank);
  const std::int64_t second = call.dim(axes ? "axis1" : "dim1", rank);
  std::vector<std::size_t> order = identity(rank);
  if (rank > 0) std::swap(order[static_cast<std::size_t>(first)], order[static_cast<std::size_t>(second)]);
  return reordered(call, order);
}

std::optional<ShardingRule> transpose_last(const Call& call, const Traits&) {
  std::vector<std::size_t> order = identity(call.sizes(0).size());
  if (order.size() > 1) std::swap(order[order.size() - 1], order[order.size() - 2]);
  return reordered(call, order);
}

std::optional<ShardingRule> reverse_dims(const Call& call, const Traits&) {
  std::vector<std::size_t> order = identity(call.sizes(0).size());
  std::reverse(order.begin(), order.end());
  return reordered(call, order);
}

std::optional<ShardingRule> movedim(const Call& call, const Traits&) {
  const std::size_t rank = call.sizes(0).size();
  const std::optional<Sizes> source = call.integers("source");
  const std::optional<Sizes> destination = call.integers("destination");
  if (!source || !destination) return std::nullopt;
  if (source->size() != destination->size()) throw Error("movedim: source and destination differ in length");
  std::vector<std::size_t> order(rank, rank);
  std::vector<bool> moved(rank, false);
  for (std::size_t i = 0; i < source->size() && rank > 0; ++i) {
    const std::size_t from = wrapped(call, (*source)[i], rank);
    order[wrapped(call, (*destination)[i], rank)] = from;
    moved[from] = true;
  }
  std::size_t next = 0;
  for (std::size_t& from : order) {
    if (from != rank) continue;
    while (next < rank && moved[next]) ++next;
    if (next == rank) throw Error("movedim: a dim is named twice");
    from = next++;
  }
  return reordered(call, order);
}

std::optional<ShardingRule> squeeze(const Call& call, const Traits&) {
  const Sizes& sizes = call.sizes(0);
  std::vector<bool> named(sizes.size(), !call.has_argument("dim"));
  if (const std::optional<Sizes> dims = call.integers("dim")) {
    for (std::int64_t dim : *dims) {
      const std::size_t d = wrapped(call, dim, sizes.size());
      if (d < named.size()) named[d] = true;
    }
  }
  Builder builder(call);
  const Dims input = builder.factors(sizes);
  Dims output;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    // A dim of unknown size that is named is meant to go.
    const bool dropped =
        named[d] && (sizes[d] == 1 || (sizes[d] == unknown_size && call.has_argument("dim")));
    if (dropped) builder.unshardable(input[d]);
    if (!dropped) output.push_back(input[d]);
    // On a rank with one row a local squeeze would drop this dim too.
    if (named[d] && !dropped) builder.never(1, input[d]);
  }
  builder.input(0, input);
  builder.output(std::move(output));
  builder.linear(Linearity::Movement);
  return std::move(builder).finish();
}

std::optional<ShardingRule> unsqueeze(const Call& call, const Traits&) {
  Builder builder(call);
  const Dims input = builder.factors(call.sizes(0));
  Dims output = input;
  output.insert(output.begin() + call.dim("dim", input.size() + 1), DimFactors());
  builder.input(0, input);
  builder.output(std::move(output));
  builder.linear(Linearity::Movement);
  return std::move(builder).finish();
}

std::optional<ShardingRule> view_as_real(const Call& call, const Traits& traits) {
  Builder builder(call);
  const Dims input = builder.factors(call.sizes(0));
  builder.input(0, input);
  builder.output(concat({input, {builder.fixed(2)}}));
  set_linearity(builder, call, traits);
  return std::move(builder).finish();
}

std::optional<ShardingRule> view_as_complex(const Call& call, const Traits& traits) {
  Builder builder(call);
  Dims input = builder.factors(call.sizes(0));
  if (input.empty()) throw Error("view_as_complex: the last dim must have size 2");
  builder.unshardable(input.back());
  builder.output(Dims(input.begin(), input.end() - 1));
  builder.input(0, std::move(input));
  set_linearity(builder, call, traits);
  return std::move(builder).finish();
}

}  // namespace vescale::sharding::rules
