/// Contractions: the matrix products with all combinations of ranks, linear layers, outer products.
#include "Sharding/Rules/Families.h"

#include <algorithm>
#include <utility>

#include <vescale/error.h>

namespace vescale::sharding::rules {
namespace {

Sizes head(const Sizes& sizes, std::size_t dropped) {
  return Sizes(sizes.begin(), sizes.end() - static_cast<std::ptrdiff_t>(std::min(dropped, sizes.size())));
}

/// A factor for dims that must be of one size.
int shared(Builder& builder, std::int64_t a, std::int64_t b) {
  const int factor = builder.factor(a);
  builder.learn(factor, b);
  return factor;
}

struct Product {
  Dims left;
  Dims right;
  Dims output;
};

/// [..., n, k] x [..., k, m], where a vector lacks n or m.
Product product_of(Builder& builder, const Sizes& left, const Sizes& right, std::string_view op) {
  if (left.empty() || right.empty()) throw Error(std::string(op) + ": a scalar has no matrix product");
  const bool rows = left.size() > 1;
  const bool columns = right.size() > 1;
  Broadcast batch = broadcast(builder, {head(left, 2), head(right, 2)}, op);
  Product result{std::move(batch.inputs[0]), std::move(batch.inputs[1]), std::move(batch.output)};
  if (rows) {
    const DimFactors n{builder.factor(left[left.size() - 2])};
    result.left.push_back(n);
    result.output.push_back(n);
  }
  const DimFactors k{shared(builder, left.back(), columns ? right[right.size() - 2] : right.back())};
  result.left.push_back(k);
  result.right.push_back(k);
  if (columns) {
    const DimFactors m{builder.factor(right.back())};
    result.right.push_back(m);
    result.output.push_back(m);
  }
  return result;
}

}  // namespace

std::optional<ShardingRule> matmul(const Call& call, const Traits&) {
  if (call.tensors().size() != 2) return std::nullopt;
  Builder builder(call);
  Product product = product_of(builder, call.sizes(0), call.sizes(1), call.name());
  builder.input(0, std::move(product.left));
  builder.input(1, std::move(product.right));
  builder.output(std::move(product.output));
  builder.linear(Linearity::Multilinear);
  return std::move(builder).finish();
}

std::optional<ShardingRule> linear(const Call& call, const Traits&) {
  Builder builder(call);
  const int x = call.required("input");
  const int weight = call.required("weight");
  if (call.sizes(x).empty() || call.sizes(weight).empty()) throw Error("linear: an operand is a scalar");
  Dims output = builder.factors(head(call.sizes(x), 1));
  const DimFactors k{shared(builder, call.sizes(x).back(), call.sizes(weight).back())};
  builder.input(x, concat({output, {k}}));
  if (call.sizes(weight).size() > 1) {
    const DimFactors o{builder.factor(call.sizes(weight).front())};
    builder.input(weight, {o, k});
    output.push_back(o);
  } else {
    builder.input(weight, {k});
  }
  if (const std::optional<int> bias = call.tensor("bias")) {
    builder.input(*bias, broadcast_to(builder, call.sizes(*bias), output, call.name()), true);
  }
  builder.output(std::move(output));
  builder.linear(Linearity::Multilinear);
  return std::move(builder).finish();
}

std::optional<ShardingRule> bilinear(const Call& call, const Traits&) {
  Builder builder(call);
  const int left = call.required("input1");
  const int right = call.required("input2");
  const int weight = call.required("weight");
  const Sizes& weights = call.sizes(weight);
  if (call.sizes(left).empty() || call.sizes(right).empty() || weights.size() != 3) {
    throw Error("bilinear: expected a weight of 3 dims and inputs of 1 or more");
  }
  Broadcast batch = broadcast(builder, {head(call.sizes(left), 1), head(call.sizes(right), 1)}, call.name());
  const DimFactors o{builder.factor(weights[0])};
  const DimFactors i{shared(builder, call.sizes(left).back(), weights[1])};
  const DimFactors j{shared(builder, call.sizes(right).back(), weights[2])};
  builder.never(0, Dims{i, j});
  builder.input(left, concat({batch.inputs[0], {i}}));
  builder.input(right, concat({batch.inputs[1], {j}}));
  builder.input(weight, {o, i, j});
  Dims output = concat({batch.output, {o}});
  if (const std::optional<int> bias = call.tensor("bias")) builder.input(*bias, {o}, true);
  builder.output(std::move(output));
  builder.linear(Linearity::Multilinear);
  return std::move(builder).finish();
}

std::optional<ShardingRule> addmm(const Call& call, const Traits&) {
  if (call.tensors().size() != 3) return std::nullopt;
  Builder builder(call);
  const std::string_view op = call.name();
  Product product;
  if (op == "addr") {
    product.left = builder.factors(call.sizes(1));
    product.right = builder.factors(call.sizes(2));
    product.output = concat({product.left, product.right});
  } else {
    product = product_of(builder, call.sizes(1), call.sizes(2), op);
  }
  if (op == "addbmm") product.output.erase(product.output.begin());  // the batch is summed
  builder.input(1, std::move(product.left));
  builder.input(2, std::move(product.right));
  builder.input(0, broadcast_to(builder, call.sizes(0), product.output, op), true);
  builder.output(std::move(product.output));
  builder.linear(Linearity::Multilinear);
  return std::move(builder).finish();
}

std::optional<ShardingRule> inner(const Call& call, const Traits&) {
  Builder builder(call);
  const Sizes& left = call.sizes(0);
  const Sizes& right = call.sizes(1);
  if (left.empty() || right.empty()) return pointwise(call, {Linearity::Multilinear});
  const Dims rows = builder.factors(head(left, 1));
  const Dims columns = builder.factors(head(right, 1));
  const DimFactors k{shared(builder, left.back(), right.back())};
  builder.input(0, concat({rows, {k}}));
  builder.input(1, concat({columns, {k}}));
  builder.output(concat({rows, columns}));
  builder.linear(Linearity::Multilinear);
  return std::move(builder).finish();
}

std::optional<ShardingRule> outer(const Call& call, const Traits&) {
  Builder builder(call);
  const Dims rows = builder.factors(call.sizes(0));
  const Dims columns = builder.factors(call.sizes(1));
  builder.input(0, rows);
  builder.input(1, columns);
  builder.output(concat({rows, columns}));
  builder.linear(Linearity::Multilinear);
  return std::move(builder).finish();
}

std::optional<ShardingRule> tensordot(const Call& call, const Traits&) {
  Builder builder(call);
  const auto left_dims = call.integers("dims_self");
  const auto right_dims = call.integers("dims_other");
  if (!left_dims || !right_dims) return std::nullopt;
  if (left_dims->size() != right_dims->size())
    throw Error("tensordot: dims_self and dims_other differ in length");
  Dims left(call.sizes(0).size());
  Dims right(call.sizes(1).size());
  for (std::size_t i = 0; i < left_dims->size(); ++i) {
    const auto l = static_cast<std::size_t>(wrap_dim((*left_dims)[i], left.size(), call.name()));
    const auto r = static_cast<std::size_t>(wrap_dim((*right_dims)[i], right.size(), call.name()));
    const std::int64_t left_size = call.sizes(0).at(l);
    const std::int64_t right_size = call.sizes(1).at(r);
    left[l] = {builder.factor(left_size == 1 ? right_size : left_size)};
    // A size of 1 on one side is summed over on the other.
    if (left_size == 1 || right_size == 1) {
      if (left_size == 1) right[r] = std::exchange(left[l], {});
      continue;
    }
    builder.learn(left[l].front(), right_size);
    right[r] = left[l];
  }
  const auto is_listed = [](const Sizes& dims, std::size_t d, std::size_t rank) {
    return std::any_of(dims.begin(), dims.end(), [&](std::int64_t listed) {
      return static_cast<std::size_t>(wrap_dim(listed, rank, "tensordot")) == d;
    });
  };
  Dims output;
  for (std::size_t d = 0; d < left.size(); ++d) {
    if (!is_listed(*left_dims, d, left.size()))
      output.push_back(left[d] = {builder.factor(call.sizes(0)[d])});
  }
  for (std::size_t d = 0; d < right.size(); ++d) {
    if (!is_listed(*right_dims, d, right.size()))
      output.push_back(right[d] = {builder.factor(call.sizes(1)[d])});
  }
  builder.input(0, std::move(left));
  builder.input(1, std::move(right));
  builder.output(std::move(output));
  builder.linear(Linearity::Multilinear);
  return std::move(builder).finish();
}

std::optional<ShardingRule> kron(const Call& call, const Traits&) {
  Builder builder(call);
  const Dims left = builder.factors(call.sizes(0));
  const Dims right = builder.factors(call.sizes(1));
  Dims output(std::max(left.size(), right.size()));
  for (std::size_t d = 0; d < left.size(); ++d) output[output.size() - left.size() + d] = left[d];
  for (std::size_t d = 0; d < right.size(); ++d) {
    DimFactors& dim = output[output.size() - right.size() + d];
    dim.push_back(right[d].front());
  }
  builder.input(0, left);
  builder.input(1, right);
  builder.output(std::move(output));
  builder.linear(Linearity::Multilinear);
  return std::move(builder).finish();
}

}  // namespace vescale::sharding::rules
