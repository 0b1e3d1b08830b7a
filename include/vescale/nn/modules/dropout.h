#pragma once
/// Dropout layers: the single device's masks whatever the placement.
#include <torch/nn/modules/dropout.h>

#include <vescale/nn/functional.h>
#include <vescale/nn/modules/stateless.h>

namespace vescale {
namespace nn {

#define VESCALE_DROPOUT(Name, function)                                                      \
  VESCALE_LAYER(Name, functional::function(std::move(input), functional::Name##FuncOptions() \
                                                                 .p(options.p())             \
                                                                 .training(is_training())    \
                                                                 .inplace(options.inplace())))
VESCALE_DROPOUT(Dropout, dropout);
VESCALE_DROPOUT(Dropout2d, dropout2d);
VESCALE_DROPOUT(Dropout3d, dropout3d);
VESCALE_DROPOUT(AlphaDropout, alpha_dropout);
VESCALE_DROPOUT(FeatureAlphaDropout, feature_alpha_dropout);
#undef VESCALE_DROPOUT

}  // namespace nn
}  // namespace vescale
