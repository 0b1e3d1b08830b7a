#pragma once
/// Pooling, padding and reshaping layers: LibTorch's names and options. Batch and channels may be sharded.
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/padding.h>
#include <torch/nn/modules/pixelshuffle.h>
#include <torch/nn/modules/pooling.h>

#include <vescale/nn/functional.h>
#include <vescale/nn/modules/stateless.h>

namespace vescale {
namespace nn {

VESCALE_LAYER(MaxPool1d, functional::max_pool1d(input, options));
VESCALE_LAYER(MaxPool2d, functional::max_pool2d(input, options));
VESCALE_LAYER(MaxPool3d, functional::max_pool3d(input, options));
VESCALE_LAYER(AvgPool1d, functional::avg_pool1d(input, options));
VESCALE_LAYER(AvgPool2d, functional::avg_pool2d(input, options));
VESCALE_LAYER(AvgPool3d, functional::avg_pool3d(input, options));
VESCALE_LAYER(AdaptiveAvgPool1d, functional::adaptive_avg_pool1d(input, options));
VESCALE_LAYER(AdaptiveAvgPool2d, functional::adaptive_avg_pool2d(input, options));
VESCALE_LAYER(AdaptiveAvgPool3d, functional::adaptive_avg_pool3d(input, options));
VESCALE_LAYER(AdaptiveMaxPool1d, functional::adaptive_max_pool1d(input, options));
VESCALE_LAYER(AdaptiveMaxPool2d, functional::adaptive_max_pool2d(input, options));
VESCALE_LAYER(AdaptiveMaxPool3d, functional::adaptive_max_pool3d(input, options));

VESCALE_LAYER(PixelShuffle, vescale::pixel_shuffle(input, options.upscale_factor()));
VESCALE_LAYER(PixelUnshuffle, vescale::pixel_unshuffle(input, options.downscale_factor()));

#define VESCALE_PADS(D)                                                                                    \
  VESCALE_LAYER(ConstantPad##D##d, vescale::constant_pad_nd(input, *options.padding(), options.value()));  \
  VESCALE_LAYER(ReflectionPad##D##d, vescale::pad(input, *options.padding(), "reflect", std::nullopt));    \
  VESCALE_LAYER(ReplicationPad##D##d, vescale::pad(input, *options.padding(), "replicate", std::nullopt)); \
  VESCALE_LAYER(ZeroPad##D##d, vescale::constant_pad_nd(input, *options.padding(), 0))
VESCALE_PADS(1);
VESCALE_PADS(2);
VESCALE_PADS(3);
#undef VESCALE_PADS

VESCALE_LAYER(Flatten, input.flatten(options.start_dim(), options.end_dim()));

/// The dim `dim` as dims of the given sizes.
class UnflattenImpl : public detail::Stateless<UnflattenImpl, torch::nn::UnflattenImpl, UnflattenOptions> {
 public:
  using Stateless::Stateless;
  UnflattenImpl(std::int64_t dim, std::vector<std::int64_t> sizes) : Stateless(dim, std::move(sizes)) {}
  DTensor forward(const DTensor& input);
};
VS_MODULE(Unflatten);

VESCALE_PLAIN_LAYER(Identity, input);

}  // namespace nn
}  // namespace vescale
