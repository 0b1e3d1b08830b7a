#include "Sharding/Rules/Builder.h"

#include <algorithm>
#include <utility>

#include <vescale/error.h>

namespace vescale::sharding::rules {

Builder::Builder(const Call& call) : call_(call) {
  rule_.inputs.resize(call.tensors().size());
  set_.resize(call.tensors().size(), false);
}

int Builder::factor(std::int64_t size, bool shardable, ReduceOp reduce) {
  rule_.factors.push_back({size, shardable, reduce});
  return static_cast<int>(rule_.factors.size()) - 1;
}

Dims Builder::factors(const Sizes& sizes, bool shardable) {
  Dims dims;
  for (std::int64_t size : sizes) dims.push_back({factor(size, shardable)});
  return dims;
}

void Builder::learn(int factor, std::int64_t size) {
  std::int64_t& known = rule_.factors[static_cast<std::size_t>(factor)].size;
  if (size == unknown_size) return;
  if (known == unknown_size) known = size;
  if (known != size) {
    throw Error(std::string(call_.name()) + ": sizes " + std::to_string(known) + " and " +
                std::to_string(size) + " should be equal");
  }
}

std::int64_t Builder::size(const DimFactors& dim) const {
  Sizes sizes;
  for (int factor : dim) sizes.push_back(size(factor));
  return product(sizes);
}

void Builder::input(int index, Dims dims, bool additive) {
  const auto i = static_cast<std::size_t>(index);
  rule_.inputs[i] = {std::move(dims), additive};
  set_[i] = true;
}

void Builder::output(Dims dims) { rule_.outputs.push_back({std::move(dims), false}); }

void Builder::linear(Linearity linearity, const std::vector<int>& inputs) {
  rule_.linearity = linearity;
  rule_.linear_inputs.assign(rule_.inputs.size(), false);
  for (int index : inputs) rule_.linear_inputs[static_cast<std::size_t>(index)] = true;
}

void Builder::read(int index, InputUse use) {
  rule_.input_uses.resize(rule_.inputs.size(), InputUse::Values);
  rule_.input_uses[static_cast<std::size_t>(index)] = use;
}

void Builder::local(std::string_view argument, LocalArgument::Kind kind, int output, int dim) {
  rule_.local_arguments.push_back({call_.position(argument), kind, output, dim});
}

ShardingRule Builder::finish() && {
  for (std::size_t i = 0; i < set_.size(); ++i) {
    if (!set_[i]) input(static_cast<int>(i), fixed_dims(call_.sizes(static_cast<int>(i))));
  }
  for (const TensorFactors& output : rule_.outputs) {
    Sizes sizes;
    for (const DimFactors& dim : output.dims) sizes.push_back(size(dim));
    rule_.output_sizes.push_back(std::move(sizes));
  }
  return std::move(rule_);
}

std::int64_t product(const Sizes& sizes) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return 0;
  std::int64_t result = 1;
  for (std::int64_t size : sizes) {
    if (size == unknown_size) return unknown_size;
    result *= size;
  }
  return result;
}

namespace {

/// What broadcasts of sizes in one dim give: a size that is not 1 wins, a known one before an unknown one.
std::int64_t joined(std::int64_t a, std::int64_t b, std::string_view op) {
  if (a == b || b == 1) return a;
  if (a == 1 || a == unknown_size) return b;
  if (b == unknown_size) return a;
  throw Error(std::string(op) + ": sizes " + std::to_string(a) + " and " + std::to_string(b) +
              " don't broadcast");
}

}  // namespace

Broadcast broadcast(Builder& builder, const std::vector<Sizes>& shapes, std::string_view op) {
  std::size_t rank = 0;
  for (const Sizes& shape : shapes) rank = std::max(rank, shape.size());
  Sizes sizes(rank, 1);
  for (const Sizes& shape : shapes) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      std::int64_t& size = sizes[rank - shape.size() + d];
      size = joined(size, shape[d], op);
    }
  }
  Broadcast result;
  result.output = builder.factors(sizes);
  for (const Sizes& shape : shapes) result.inputs.push_back(broadcast_to(builder, shape, result.output, op));
  return result;
}

Dims broadcast_to(Builder& builder, const Sizes& sizes, const Dims& target, std::string_view op) {
  if (sizes.size() > target.size()) {
    throw Error(std::string(op) + ": " + describe(sizes) + " does not broadcast to " +
                std::to_string(target.size()) + " dims");
  }
  Dims dims;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const DimFactors& to = target[target.size() - sizes.size() + d];
    const std::int64_t size = builder.size(to);
    if (sizes[d] == 1 && size != 1) {
      dims.emplace_back();
      continue;
    }
    if (sizes[d] != unknown_size && size != unknown_size && sizes[d] != size) joined(size, sizes[d], op);
    dims.push_back(to);
  }
  return dims;
}

Dims concat(std::initializer_list<Dims> parts) {
  Dims result;
  for (const Dims& part : parts) result.insert(result.end(), part.begin(), part.end());
  return result;
}

std::string describe(const Sizes& sizes) {
  std::string text = "[";
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    text += (d == 0 ? "" : ", ") + (sizes[d] == unknown_size ? "?" : std::to_string(sizes[d]));
  }
  return text + "]";
}

}  // namespace vescale::sharding::rules
