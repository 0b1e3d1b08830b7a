/// Ops that join tensors, repeat or pad dims, or mask triangles.
#include <algorithm>

#include <vescale/error.h>

#include "Sharding/Rules/Families.h"

namespace vescale::sharding::rules {
namespace {

ShardingRule concatenated(const Call& call, const std::vector<int>& tensors, std::size_t d) {
  Builder builder(call);
  const std::size_t rank = call.sizes(tensors.front()).size();
  Dims shared(rank);
  std::int64_t total = 0;
  bool equal = true;
  for (int tensor : tensors) {
    const std::int64_t size = call.sizes(tensor)[d];
    equal = equal && size == call.sizes(tensors.front())[d] && size != unknown_size;
    total = size == unknown_size || total == unknown_size ? unknown_size : total + size;
  }
  for (std::size_t dim = 0; dim < rank; ++dim) {
    if (dim == d) continue;
    shared[dim] = {builder.factor(unknown_size)};
    for (int tensor : tensors) builder.learn(shared[dim].front(), call.sizes(tensor)[dim]);
  }
  // Pieces of one size: which one is the major factor, and shards of the pieces are an interleaved shard of
  // all.
  const DimFactors piece = equal ? DimFactors{builder.factor(call.sizes(tensors.front())[d])} : DimFactors();
  for (int tensor : tensors) {
    shared[d] = equal ? piece : builder.fixed(call.sizes(tensor)[d]);
    builder.input(tensor, shared);
  }
  if (!equal) shared[d] = builder.fixed(total);
  if (equal && tensors.size() > 1) {
    shared[d].insert(shared[d].begin(), builder.factor(static_cast<std::int64_t>(tensors.size()), false));
  }
  builder.output(std::move(shared));
  builder.linear(Linearity::Joint);
  return std::move(builder).finish();
}

ShardingRule stacked(const Call& call, const std::vector<int>& tensors, std::size_t d) {
  Builder builder(call);
  Dims dims(call.sizes(tensors.front()).size());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    dims[dim] = {builder.factor(unknown_size)};
    for (int tensor : tensors) builder.learn(dims[dim].front(), call.sizes(tensor).at(dim));
  }
  for (int tensor : tensors) builder.input(tensor, dims);
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(d),
              builder.fixed(static_cast<std::int64_t>(tensors.size())));
  builder.output(std::move(dims));
  builder.linear(Linearity::Joint);
  return std::move(builder).finish();
}

std::size_t longest(const Call& call, const std::vector<int>& tensors) {
  std::size_t rank = 0;
  for (int tensor : tensors) rank = std::max(rank, call.sizes(tensor).size());
  return rank;
}

/// The tensors of one rank; torch.cat skips those of sizes [0]. Nothing if there are none or ranks differ.
std::vector<int> joinable(const Call& call) {
  std::vector<int> tensors;
  std::vector<int> empty;
  for (int tensor : call.tensor_list("tensors")) {
    if (tensor < 0) return {};
    (call.sizes(tensor) == Sizes{0} ? empty : tensors).push_back(tensor);
  }
  if (tensors.empty()) return empty;
  const std::size_t most = longest(call, tensors);
  // A vector of unknown size among others must be an empty one.
  if (most > 1) std::erase_if(tensors, [&](int tensor) { return call.sizes(tensor) == Sizes{unknown_size}; });
  const std::size_t rank = call.sizes(tensors.front()).size();
  const bool alike = std::all_of(tensors.begin(), tensors.end(),
                                 [&](int tensor) { return call.sizes(tensor).size() == rank; });
  if (!alike) throw Error(std::string(call.name()) + ": the tensors differ in their number of dims");
  return tensors;
}

}  // namespace

std::optional<ShardingRule> cat(const Call& call, const Traits&) {
  const std::vector<int> tensors = joinable(call);
  if (tensors.empty()) return std::nullopt;
  const std::size_t rank = call.sizes(tensors.front()).size();
  if (rank == 0) throw Error(std::string(call.name()) + ": scalars can't be concatenated");
  if (call.name() == "hstack") return concatenated(call, tensors, rank == 1 ? 0 : 1);
  if (call.name() == "vstack" || call.name() == "row_stack") {
    return rank == 1 ? stacked(call, tensors, 0) : concatenated(call, tensors, 0);
  }
  const std::string_view argument = call.has_argument("axis") ? "axis" : "dim";
  return concatenated(call, tensors, static_cast<std::size_t>(call.dim(argument, rank)));
}

std::optional<ShardingRule> stack(const Call& call, const Traits&) {
  const std::vector<int> tensors = call.tensor_list("tensors");
  if (tensors.empty() || tensors.front() < 0) return std::nullopt;
  const std::size_t rank = call.sizes(tensors.front()).size();
  for (int tensor : tensors) {
    if (call.sizes(tensor).size() != rank) throw Error("stack: the tensors differ in their number of dims");
  }
  return stacked(call, tensors, static_cast<std::size_t>(call.dim("dim", rank + 1)));
}

std::optional<ShardingRule> repeat(const Call& call, const Traits&) {
  const std::optional<Sizes> given = call.integers(call.has_argument("dims") ? "dims" : "repeats");
  if (!given) return std::nullopt;
  const Sizes& sizes = call.sizes(0);
  Sizes times = *given;
  if (times.size() < sizes.size()) {
    if (call.name() == "repeat") throw Error("repeat: fewer repeats than dims");
    times.insert(times.begin(), sizes.size() - times.size(), 1);
  }
  Builder builder(call);
  const Dims input = builder.factors(sizes);
  Dims output;
  const std::size_t added = times.size() - sizes.size();
  for (std::size_t d = 0; d < times.size(); ++d) {
    output.emplace_back();
    if (times[d] != 1) output.back() = builder.fixed(times[d]);
    if (d >= added) output.back().push_back(input[d - added].front());
  }
  builder.input(0, input);
  builder.output(std::move(output));
  builder.linear(Linearity::Movement);
  return std::move(builder).finish();
}

std::optional<ShardingRule> pad(const Call& call, const Traits&) {
  const std::optional<Sizes> padding = call.integers(call.has_argument("pad") ? "pad" : "padding");
  const Sizes& sizes = call.sizes(0);
  if (!padding || padding->size() % 2 != 0 || padding->size() > 2 * sizes.size()) return std::nullopt;
  Builder builder(call);
  const Dims input = builder.factors(sizes);
  if (call.name() != "constant_pad_nd") builder.never(0, input);  // other modes refuse no channels
  Dims output = input;
  for (std::size_t i = 0; i < padding->size() / 2; ++i) {
    const std::size_t d = sizes.size() - 1 - i;
    const std::int64_t added = (*padding)[2 * i] + (*padding)[2 * i + 1];
    if ((*padding)[2 * i] == 0 && added == 0) continue;
    builder.unshardable(input[d]);
    output[d] = builder.fixed(sizes[d] == unknown_size ? unknown_size : sizes[d] + added);
  }
  builder.input(0, input);
  builder.output(std::move(output));
  return std::move(builder).finish();
}

std::optional<ShardingRule> triangle(const Call& call, const Traits& traits) {
  std::optional<ShardingRule> rule = sized_as_self(call, traits);
  if (!rule) return rule;
  const std::vector<DimFactors>& dims = rule->inputs.front().dims;
  for (std::size_t i = 1; i <= std::min<std::size_t>(2, dims.size()); ++i) {
    for (int factor : dims[dims.size() - i])
      rule->factors[static_cast<std::size_t>(factor)].shardable = false;
  }
  return rule;
}

std::optional<ShardingRule> rot90(const Call& call, const Traits& traits) {
  std::optional<ShardingRule> rule = along_dim(call, traits);
  const std::optional<std::int64_t> turns = call.integer("k");
  const std::optional<Sizes> dims = call.integers("dims");
  if (!rule || !turns || !dims || dims->size() != 2) return std::nullopt;
  if (*turns % 2 == 0) return rule;
  const std::size_t rank = call.sizes(0).size();
  const auto first = static_cast<std::size_t>(wrap_dim(dims->front(), rank, call.name()));
  const auto second = static_cast<std::size_t>(wrap_dim(dims->back(), rank, call.name()));
  std::swap(rule->outputs[0].dims[first], rule->outputs[0].dims[second]);
  std::swap(rule->output_sizes[0][first], rule->output_sizes[0][second]);
  return rule;
}

}  // namespace vescale::sharding::rules
