/// Convolutions: batch, output channels and (as a sum) input channels shard; space and groups don't.
#include <vescale/error.h>

#include "Sharding/Rules/Families.h"
#include "Sharding/Rules/Spatial.h"

namespace vescale::sharding::rules {
namespace {

struct Convolution {
  std::size_t spatial = 0;
  bool batched = true;
  bool transposed = false;
  std::int64_t groups = 1;
  Window window;
  Sizes output_padding;
  bool same = false;  ///< padded so that sizes stay
};

Convolution read(const Call& call, const Sizes& x, const Sizes& weight) {
  Convolution conv;
  if (weight.size() < 3) throw Error(std::string(call.name()) + ": the weight must have 3 or more dims");
  conv.spatial = weight.size() - 2;
  if (x.size() != conv.spatial + 1 && x.size() != conv.spatial + 2) {
    throw Error(std::string(call.name()) + ": input " + describe(x) + " and weight " + describe(weight) +
                " don't fit");
  }
  conv.batched = x.size() == conv.spatial + 2;
  conv.transposed =
      call.name().substr(0, 14) == "conv_transpose" || call.boolean("transposed").value_or(false);
  conv.groups = call.integer("groups").value_or(1);
  conv.window.kernel = Sizes(weight.begin() + 2, weight.end());
  conv.window.stride = per_dim(call.integers("stride"), conv.spatial, 1);
  conv.window.dilation = per_dim(call.integers("dilation"), conv.spatial, 1);
  conv.same = call.text("padding") == "same";
  conv.window.padding = per_dim(call.integers("padding"), conv.spatial, 0);
  conv.output_padding = per_dim(call.integers("output_padding"), conv.spatial, 0);
  return conv;
}

std::int64_t output_size(const Convolution& conv, std::size_t d, std::int64_t size) {
  if (conv.same || size == unknown_size) return size;
  if (!conv.transposed) return windows_in(conv.window, d, size);
  if (conv.window.kernel[d] == unknown_size) return unknown_size;
  return (size - 1) * conv.window.stride[d] - 2 * conv.window.padding[d] +
         conv.window.dilation[d] * (conv.window.kernel[d] - 1) + conv.output_padding[d] + 1;
}

}  // namespace

std::optional<ShardingRule> convolution(const Call& call, const Traits&) {
  const int x = call.required("input");
  const int weight = call.required("weight");
  const Sizes& sizes = call.sizes(x);
  const Sizes& weights = call.sizes(weight);
  const Convolution conv = read(call, sizes, weights);
  const std::size_t channel = conv.batched ? 1 : 0;
  Builder builder(call);
  const bool whole = conv.groups == 1;
  const std::size_t first = conv.transposed ? 1 : 0;  // of the weight: the dim of output channels
  Dims batch;
  if (conv.batched) batch.push_back({builder.factor(sizes[0])});
  const DimFactors c{builder.factor(sizes[channel], whole)};
  std::int64_t outputs = weights[first];
  if (conv.transposed && outputs != unknown_size) outputs *= conv.groups;
  const DimFactors o{builder.factor(outputs, whole)};
  builder.never(0, Dims{c, o});  // LibTorch refuses no channels, or forgets the sum over none
  Sizes space;
  for (std::size_t d = 0; d < conv.spatial; ++d)
    space.push_back(output_size(conv, d, sizes[channel + 1 + d]));

  const Dims input_space =
      builder.fixed_dims(Sizes(sizes.begin() + static_cast<std::ptrdiff_t>(channel) + 1, sizes.end()));
  builder.input(x, concat({batch, {c}, input_space}));
  const Dims kernel = builder.fixed_dims(conv.window.kernel);
  if (whole) {
    builder.learn(c.front(), weights[1 - first]);
    builder.input(weight, concat({conv.transposed ? Dims{c, o} : Dims{o, c}, kernel}));
  }
  if (const std::optional<int> bias = call.tensor("bias")) {
    // As a summand the bias is [o], broadcast over space.
    builder.learn(o.front(), call.sizes(*bias).at(0));
    builder.input(*bias, {o}, true);
  }
  builder.output(concat({batch, {o}, builder.fixed_dims(space)}));
  builder.linear(Linearity::Multilinear);
  return std::move(builder).finish();
}

}  // namespace vescale::sharding::rules
