#pragma once
/// Builds the rule of one call: factors first, then the dims of inputs and outputs made of them.
#include <string_view>
#include <vector>

#include "Sharding/Rules/Call.h"

namespace vescale::sharding::rules {

using Dims = std::vector<DimFactors>;

class Builder {
 public:
  explicit Builder(const Call& call);

  int factor(std::int64_t size, bool shardable = true, ReduceOp reduce = ReduceOp::Sum);
  /// A new dim of its own that can't be sharded.
  DimFactors fixed(std::int64_t size) { return {factor(size, false)}; }
  /// One new factor per size.
  Dims factors(const Sizes& sizes, bool shardable = true);
  Dims fixed_dims(const Sizes& sizes) { return factors(sizes, false); }
  void unshardable(int factor) { rule_.factors[static_cast<std::size_t>(factor)].shardable = false; }
  void unshardable(const DimFactors& dim) {
    for (int factor : dim) unshardable(factor);
  }
  /// No rank may get a piece of just so many elements (Factor::never).
  void never(std::int64_t elements, const DimFactors& dim) {
    for (int factor : dim) rule_.factors[static_cast<std::size_t>(factor)].never = elements;
  }
  void never(std::int64_t elements, const Dims& dims) {
    for (const DimFactors& dim : dims) never(elements, dim);
  }
  /// `size` is that of a factor whose size was not known; a different known one is an error.
  void learn(int factor, std::int64_t size);
  std::int64_t size(int factor) const { return rule_.factors[static_cast<std::size_t>(factor)].size; }
  std::int64_t size(const DimFactors& dim) const;

  /// The dims of tensor `index` of the call. Inputs that are never set have dims of their own that can't be
  /// sharded.
  void input(int index, Dims dims, bool additive = false);
  /// Appends an output; its sizes are the products of its factors' sizes.
  void output(Dims dims);

  void linear(Linearity linearity) { rule_.linearity = linearity; }
  /// Only these inputs are linear.
  void linear(Linearity linearity, const std::vector<int>& inputs);
  void read(int index, InputUse use);
  void local(std::string_view argument, LocalArgument::Kind kind, int output = 0, int dim = 0);

  ShardingRule finish() &&;

 private:
  const Call& call_;
  ShardingRule rule_;
  std::vector<bool> set_;
};

/// Product; unknown if a size is, unless one is 0.
std::int64_t product(const Sizes& sizes);

/// Aligned at the right, size 1 broadcasts. Dims are one factor, or none where an input of size 1 meets a
/// longer dim.
struct Broadcast {
  Dims output;
  std::vector<Dims> inputs;  ///< per shape given
};
/// Throws Error if the shapes don't broadcast.
Broadcast broadcast(Builder& builder, const std::vector<Sizes>& shapes, std::string_view op);

/// The dims of an input of `sizes` that broadcasts to dims that exist already.
Dims broadcast_to(Builder& builder, const Sizes& sizes, const Dims& target, std::string_view op);

/// Dims one after another.
Dims concat(std::initializer_list<Dims> parts);

std::string describe(const Sizes& sizes);

}  // namespace vescale::sharding::rules
