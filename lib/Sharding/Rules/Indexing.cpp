/// Lookups by index tensors: the indexed dim stays whole, everything else passes.
#include <algorithm>

#include <vescale/error.h>

#include "Sharding/Rules/Families.h"

namespace vescale::sharding::rules {
namespace {

std::size_t checked_dim(const Call& call) {
  const std::size_t rank = call.sizes(0).size();
  return static_cast<std::size_t>(call.dim("dim", rank));
}

/// Vectors of indices may be scalars.
Dims index_dims(const Sizes& sizes, const DimFactors& of_vector) {
  return sizes.empty() ? Dims() : Dims{of_vector};
}

}  // namespace

std::optional<ShardingRule> embedding(const Call& call, const Traits&) {
  const int weight = call.required("weight");
  const int indices = call.required("indices");
  if (call.sizes(weight).size() != 2) throw Error("embedding: the weight must have 2 dims");
  Builder builder(call);
  const Dims rows = builder.factors(call.sizes(indices));
  const DimFactors width{builder.factor(call.sizes(weight)[1])};
  builder.input(weight, {builder.fixed(call.sizes(weight)[0]), width});
  builder.input(indices, rows);
  builder.read(indices, InputUse::Lookup);
  builder.output(concat({rows, {width}}));
  builder.linear(Linearity::Multilinear, {weight});
  return std::move(builder).finish();
}

std::optional<ShardingRule> index_select(const Call& call, const Traits&) {
  const std::size_t d = checked_dim(call);
  const int index = call.required("index");
  Builder builder(call);
  const Sizes& index_sizes = call.sizes(index);
  const DimFactors picked{builder.factor(index_sizes.empty() ? 1 : index_sizes.front())};
  Dims dims = builder.factors(call.sizes(0));
  if (dims.empty()) return std::nullopt;
  builder.unshardable(dims[d]);
  builder.input(0, dims);
  builder.input(index, index_dims(index_sizes, picked));
  dims[d] = picked;
  builder.output(std::move(dims));
  builder.linear(Linearity::Multilinear, {0});
  return std::move(builder).finish();
}

std::optional<ShardingRule> gather(const Call& call, const Traits&) {
  if (!call.integer("dim")) return std::nullopt;
  const std::size_t d = checked_dim(call);
  const int index = call.required(call.has_argument("indices") ? "indices" : "index");
  const Sizes& from = call.sizes(0);
  const Sizes& at = call.sizes(index);
  if (from.size() != at.size() || from.empty()) return std::nullopt;
  const bool broadcasts = call.has_argument("indices");  // take_along_dim
  Builder builder(call);
  Dims self = builder.factors(from);
  Dims picked = builder.factors(at);
  Dims output = picked;
  for (std::size_t dim = 0; dim < from.size(); ++dim) {
    if (dim == d) {
      builder.unshardable(self[dim]);
    } else if (from[dim] == at[dim]) {
      output[dim] = picked[dim] = self[dim];
    } else if (broadcasts && at[dim] == 1) {
      output[dim] = self[dim];
      picked[dim] = {};
    } else if (broadcasts && from[dim] == 1) {
      self[dim] = {};
    } else {  // the index covers the first ones only
      builder.unshardable(self[dim]);
      builder.unshardable(picked[dim]);
    }
  }
  builder.input(0, std::move(self));
  builder.input(index, std::move(picked));
  builder.output(std::move(output));
  builder.linear(Linearity::Multilinear, {0});
  return std::move(builder).finish();
}

std::optional<ShardingRule> scatter(const Call& call, const Traits& traits) {
  const std::size_t d = checked_dim(call);
  const int index = call.required("index");
  const std::optional<int> source = call.tensor("src");
  const Sizes& to = call.sizes(0);
  const Sizes& at = call.sizes(index);
  if (to.size() != at.size() || to.empty()) return std::nullopt;
  Builder builder(call);
  const Dims dims = builder.factors(to);
  Dims index_dims = dims;
  Dims source_dims = dims;
  for (std::size_t dim = 0; dim < to.size(); ++dim) {
    const bool same = to[dim] == at[dim] && (!source || call.sizes(*source).at(dim) == to[dim]);
    if (dim != d && same) continue;
    builder.unshardable(dims[dim]);
    index_dims[dim] = builder.fixed(at[dim]);
    if (source) source_dims[dim] = builder.fixed(call.sizes(*source).at(dim));
  }
  builder.input(0, dims);
  builder.input(index, std::move(index_dims));
  if (source) builder.input(*source, std::move(source_dims));
  builder.output(dims);
  set_linearity(builder, call, traits);
  return std::move(builder).finish();
}

std::optional<ShardingRule> index_add(const Call& call, const Traits& traits) {
  const std::size_t d = checked_dim(call);
  const int index = call.required("index");
  Builder builder(call);
  const Dims dims = builder.factors(call.sizes(0));
  if (dims.empty()) return std::nullopt;
  builder.unshardable(dims[d]);
  builder.input(0, dims);
  if (const std::optional<int> source = call.tensor("source")) {
    if (call.sizes(*source).size() != dims.size()) return std::nullopt;
    const DimFactors rows = builder.fixed(call.sizes(*source)[d]);
    builder.input(index, index_dims(call.sizes(index), rows));
    Dims source_dims = dims;
    source_dims[d] = rows;
    builder.input(*source, std::move(source_dims));
  }
  builder.output(dims);
  set_linearity(builder, call, traits);
  return std::move(builder).finish();
}

namespace {

/// What advanced indexing makes of a tensor's dims.
struct Indexed {
  std::vector<int> indices;  ///< tensors, in order
  Dims self;                 ///< all dims of the indexed tensor
  Dims broadcast;            ///< of the indices
  std::vector<Dims> index_dims;
  Dims result;
};

std::optional<Indexed> indexed(const Call& call, Builder& builder) {
  const std::vector<int> given = call.tensor_list("indices");
  Indexed result;
  std::vector<Sizes> shapes;
  std::vector<std::size_t> places;
  for (std::size_t d = 0; d < given.size(); ++d) {
    if (given[d] < 0) continue;
    if (call.tensors()[static_cast<std::size_t>(given[d])]->mask) return std::nullopt;
    result.indices.push_back(given[d]);
    shapes.push_back(call.sizes(given[d]));
    places.push_back(d);
  }
  const Sizes& sizes = call.sizes(0);
  if (given.size() > sizes.size()) throw Error(std::string(call.name()) + ": more indices than dims");
  if (places.empty()) return std::nullopt;
  Broadcast joined = broadcast(builder, shapes, call.name());
  result.self = builder.factors(sizes);
  for (std::size_t place : places) builder.unshardable(result.self[place]);
  // Neighbours give their dims where they are, others in front.
  const bool neighbours = places.back() - places.front() + 1 == places.size();
  const std::size_t at = neighbours ? places.front() : 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (std::find(places.begin(), places.end(), d) == places.end()) result.result.push_back(result.self[d]);
  }
  result.result.insert(result.result.begin() + static_cast<std::ptrdiff_t>(at), joined.output.begin(),
                       joined.output.end());
  result.broadcast = std::move(joined.output);
  result.index_dims = std::move(joined.inputs);
  return result;
}

}  // namespace

std::optional<ShardingRule> index(const Call& call, const Traits&) {
  Builder builder(call);
  std::optional<Indexed> found = indexed(call, builder);
  if (!found) return std::nullopt;
  builder.input(0, std::move(found->self));
  for (std::size_t i = 0; i < found->indices.size(); ++i) {
    builder.input(found->indices[i], std::move(found->index_dims[i]));
  }
  builder.output(std::move(found->result));
  builder.linear(Linearity::Multilinear, {0});
  return std::move(builder).finish();
}

std::optional<ShardingRule> index_put(const Call& call, const Traits&) {
  Builder builder(call);
  std::optional<Indexed> found = indexed(call, builder);
  const int values = call.required("values");
  if (!found) return std::nullopt;
  // Which of several writes to one place wins must not depend on shards of the indices.
  for (const DimFactors& dim : found->broadcast) builder.unshardable(dim);
  builder.input(0, found->self);
  for (std::size_t i = 0; i < found->indices.size(); ++i) {
    builder.input(found->indices[i], std::move(found->index_dims[i]));
  }
  builder.input(values, broadcast_to(builder, call.sizes(values), found->result, call.name()));
  builder.output(std::move(found->self));
  return std::move(builder).finish();
}

std::optional<ShardingRule> searchsorted(const Call& call, const Traits&) {
  const bool bucketize = call.has_argument("boundaries");
  const std::optional<int> values = call.tensor("self");
  const int sequence = call.required(bucketize ? "boundaries" : "sorted_sequence");
  if (!values) return std::nullopt;
  Builder builder(call);
  const Dims dims = builder.factors(call.sizes(*values));
  const Sizes& sorted = call.sizes(sequence);
  if (sorted.size() > 1) {  // row by row
    if (sorted.size() != dims.size()) throw Error("searchsorted: the tensors differ in their number of dims");
    Dims rows(dims.begin(), dims.end() - 1);
    for (std::size_t d = 0; d < rows.size(); ++d) builder.learn(rows[d].front(), sorted[d]);
    rows.push_back(builder.fixed(sorted.back()));
    if (const std::optional<int> sorter = call.tensor("sorter")) builder.input(*sorter, rows);
    builder.input(sequence, std::move(rows));
  }
  builder.input(*values, dims);
  builder.output(dims);
  return std::move(builder).finish();
}

std::optional<ShardingRule> isin(const Call& call, const Traits&) {
  const std::optional<int> elements = call.tensor("elements");
  if (!elements) return std::nullopt;
  Builder builder(call);
  const Dims dims = builder.factors(call.sizes(*elements));
  builder.input(*elements, dims);
  builder.output(dims);
  return std::move(builder).finish();
}

}  // namespace vescale::sharding::rules
