#pragma once
/// torch::nn::functional for DTensors: LibTorch's names and option structs over our ops.
#include <torch/nn/functional.h>

#include <variant>

#include <vescale/nn/options.h>
#include <vescale/ops.h>

namespace vescale {
namespace nn {
namespace functional {

// ---- activations ----

inline DTensor relu(DTensor input, const ReLUFuncOptions& options = {}) {
  return options.inplace() ? vescale::relu_(input) : vescale::relu(input);
}
inline DTensor selu(DTensor input, const SELUFuncOptions& options = {}) {
  return options.inplace() ? vescale::selu_(input) : vescale::selu(input);
}
inline DTensor relu6(DTensor input, const ReLU6FuncOptions& options = {}) {
  return options.inplace() ? vescale::hardtanh_(input, 0, 6) : vescale::hardtanh(input, 0, 6);
}
inline DTensor elu(DTensor input, const ELUFuncOptions& options = {}) {
  return options.inplace() ? vescale::elu_(input, options.alpha()) : vescale::elu(input, options.alpha());
}
inline DTensor leaky_relu(DTensor input, const LeakyReLUFuncOptions& options = {}) {
  return options.inplace() ? vescale::leaky_relu_(input, options.negative_slope())
                           : vescale::leaky_relu(input, options.negative_slope());
}
inline DTensor hardtanh(DTensor input, const HardtanhFuncOptions& options = {}) {
  return options.inplace() ? vescale::hardtanh_(input, options.min_val(), options.max_val())
                           : vescale::hardtanh(input, options.min_val(), options.max_val());
}
inline DTensor gelu(const DTensor& input, const GELUFuncOptions& options = {}) {
  return vescale::gelu(input, options.approximate());
}
inline DTensor silu(const DTensor& input) { return vescale::silu(input); }
inline DTensor mish(const DTensor& input) { return vescale::mish(input); }
inline DTensor logsigmoid(const DTensor& input) { return vescale::log_sigmoid(input); }
inline DTensor softplus(const DTensor& input, const SoftplusFuncOptions& options = {}) {
  return vescale::softplus(input, options.beta(), options.threshold());
}
inline DTensor softsign(const DTensor& input) { return input / (input.abs() + 1); }
inline DTensor tanhshrink(const DTensor& input) { return input - input.tanh(); }
inline DTensor prelu(const DTensor& input, const DTensor& weight) { return vescale::prelu(input, weight); }
inline DTensor glu(const DTensor& input, const GLUFuncOptions& options = {}) {
  return vescale::glu(input, options.dim());
}
inline DTensor softmax(const DTensor& input, const SoftmaxFuncOptions& options) {
  return options.dtype() ? input.softmax(options.dim(), options.dtype()) : input.softmax(options.dim());
}
inline DTensor log_softmax(const DTensor& input, const LogSoftmaxFuncOptions& options) {
  return options.dtype() ? input.log_softmax(options.dim(), options.dtype())
                         : input.log_softmax(options.dim());
}
inline DTensor softmin(const DTensor& input, const SoftminFuncOptions& options) {
  return options.dtype() ? (-input).softmax(options.dim(), options.dtype()) : (-input).softmax(options.dim());
}

inline DTensor celu(DTensor input, const CELUFuncOptions& options = {}) {
  return options.inplace() ? vescale::celu_(input, options.alpha()) : vescale::celu(input, options.alpha());
}
inline DTensor rrelu(DTensor input, const RReLUFuncOptions& options = {}) {
  return options.inplace() ? vescale::rrelu_(input, options.lower(), options.upper(), options.training())
                           : vescale::rrelu(input, options.lower(), options.upper(), options.training());
}
inline DTensor threshold(DTensor input, const ThresholdFuncOptions& options) {
  return options.inplace() ? vescale::threshold_(input, options.threshold(), options.value())
                           : vescale::threshold(input, options.threshold(), options.value());
}
inline DTensor hardshrink(const DTensor& input, const HardshrinkFuncOptions& options = {}) {
  return vescale::hardshrink(input, options.lambda());
}
inline DTensor softshrink(const DTensor& input, const SoftshrinkFuncOptions& options = {}) {
  return vescale::softshrink(input, options.lambda());
}

// ---- dropout ----

inline DTensor dropout(DTensor input, const DropoutFuncOptions& options = {}) {
  return options.inplace() ? vescale::dropout_(input, options.p(), options.training())
                           : vescale::dropout(input, options.p(), options.training());
}
inline DTensor dropout2d(DTensor input, const Dropout2dFuncOptions& options = {}) {
  return options.inplace() ? vescale::feature_dropout_(input, options.p(), options.training())
                           : vescale::feature_dropout(input, options.p(), options.training());
}
inline DTensor dropout3d(DTensor input, const Dropout3dFuncOptions& options = {}) {
  return dropout2d(std::move(input), options);
}
inline DTensor alpha_dropout(DTensor input, const AlphaDropoutFuncOptions& options = {}) {
  return options.inplace() ? vescale::alpha_dropout_(input, options.p(), options.training())
                           : vescale::alpha_dropout(input, options.p(), options.training());
}
inline DTensor feature_alpha_dropout(DTensor input, const FeatureAlphaDropoutFuncOptions& options = {}) {
  return options.inplace() ? vescale::feature_alpha_dropout_(input, options.p(), options.training())
                           : vescale::feature_alpha_dropout(input, options.p(), options.training());
}

// ---- linear, lookup, norm ----

inline DTensor linear(const DTensor& input, const DTensor& weight, const DTensor& bias = {}) {
  return bias.defined() ? vescale::linear(input, weight, bias) : vescale::linear(input, weight);
}
inline DTensor bilinear(const DTensor& a, const DTensor& b, const DTensor& weight, const DTensor& bias = {}) {
  return bias.defined() ? vescale::bilinear(a, b, weight, bias) : vescale::bilinear(a, b, weight);
}
DTensor embedding(const DTensor& input, const DTensor& weight, const EmbeddingFuncOptions& options = {});
inline DTensor one_hot(const DTensor& tensor, std::int64_t num_classes = -1) {
  return vescale::one_hot(tensor, num_classes);
}
DTensor layer_norm(const DTensor& input, const LayerNormFuncOptions& options);
DTensor group_norm(const DTensor& input, const GroupNormFuncOptions& options);
DTensor batch_norm(const DTensor& input, const DTensor& running_mean, const DTensor& running_var,
                   const BatchNormFuncOptions& options = {});
DTensor normalize(const DTensor& input, const NormalizeFuncOptions& options = {});

// ---- convolution and pooling ----

DTensor conv1d(const DTensor& input, const DTensor& weight, const Conv1dFuncOptions& options = {});
DTensor conv2d(const DTensor& input, const DTensor& weight, const Conv2dFuncOptions& options = {});
DTensor conv3d(const DTensor& input, const DTensor& weight, const Conv3dFuncOptions& options = {});
inline DTensor max_pool1d(const DTensor& input, const MaxPool1dFuncOptions& o) {
  return vescale::max_pool1d(input, o.kernel_size(), o.stride(), o.padding(), o.dilation(), o.ceil_mode());
}
inline DTensor max_pool2d(const DTensor& input, const MaxPool2dFuncOptions& o) {
  return vescale::max_pool2d(input, o.kernel_size(), o.stride(), o.padding(), o.dilation(), o.ceil_mode());
}
inline DTensor max_pool3d(const DTensor& input, const MaxPool3dFuncOptions& o) {
  return vescale::max_pool3d(input, o.kernel_size(), o.stride(), o.padding(), o.dilation(), o.ceil_mode());
}
inline DTensor avg_pool1d(const DTensor& input, const AvgPool1dFuncOptions& o) {
  return vescale::avg_pool1d(input, o.kernel_size(), o.stride(), o.padding(), o.ceil_mode(),
                             o.count_include_pad());
}
inline DTensor avg_pool2d(const DTensor& input, const AvgPool2dFuncOptions& o) {
  return vescale::avg_pool2d(input, o.kernel_size(), o.stride(), o.padding(), o.ceil_mode(),
                             o.count_include_pad(), o.divisor_override());
}
inline DTensor avg_pool3d(const DTensor& input, const AvgPool3dFuncOptions& o) {
  return vescale::avg_pool3d(input, o.kernel_size(), o.stride(), o.padding(), o.ceil_mode(),
                             o.count_include_pad(), o.divisor_override());
}
inline DTensor adaptive_avg_pool1d(const DTensor& input, const AdaptiveAvgPool1dFuncOptions& o) {
  return vescale::adaptive_avg_pool1d(input, o.output_size());
}
DTensor adaptive_avg_pool2d(const DTensor& input, const AdaptiveAvgPool2dFuncOptions& options);
DTensor adaptive_avg_pool3d(const DTensor& input, const AdaptiveAvgPool3dFuncOptions& options);
inline DTensor adaptive_max_pool1d(const DTensor& input, const AdaptiveMaxPool1dFuncOptions& o) {
  return std::get<0>(vescale::adaptive_max_pool1d(input, o.output_size()));
}
DTensor adaptive_max_pool2d(const DTensor& input, const AdaptiveMaxPool2dFuncOptions& options);
DTensor adaptive_max_pool3d(const DTensor& input, const AdaptiveMaxPool3dFuncOptions& options);
DTensor pad(const DTensor& input, const PadFuncOptions& options);

// ---- losses ----

DTensor cross_entropy(const DTensor& input, const DTensor& target,
                      const CrossEntropyFuncOptions& options = {});
DTensor nll_loss(const DTensor& input, const DTensor& target, const NLLLossFuncOptions& options = {});
DTensor mse_loss(const DTensor& input, const DTensor& target, const MSELossFuncOptions& options = {});
DTensor l1_loss(const DTensor& input, const DTensor& target, const L1LossFuncOptions& options = {});
DTensor smooth_l1_loss(const DTensor& input, const DTensor& target,
                       const SmoothL1LossFuncOptions& options = {});
DTensor huber_loss(const DTensor& input, const DTensor& target, const HuberLossFuncOptions& options = {});
DTensor kl_div(const DTensor& input, const DTensor& target, const KLDivFuncOptions& options = {});
DTensor binary_cross_entropy(const DTensor& input, const DTensor& target,
                             const BinaryCrossEntropyFuncOptions& options = {});
DTensor binary_cross_entropy_with_logits(const DTensor& input, const DTensor& target,
                                         const BinaryCrossEntropyWithLogitsFuncOptions& options = {});
DTensor hinge_embedding_loss(const DTensor& input, const DTensor& target,
                             const HingeEmbeddingLossFuncOptions& options = {});
DTensor soft_margin_loss(const DTensor& input, const DTensor& target,
                         const SoftMarginLossFuncOptions& options = {});
DTensor multilabel_margin_loss(const DTensor& input, const DTensor& target,
                               const MultilabelMarginLossFuncOptions& options = {});
DTensor poisson_nll_loss(const DTensor& input, const DTensor& target,
                         const PoissonNLLLossFuncOptions& options = {});
DTensor cosine_embedding_loss(const DTensor& input1, const DTensor& input2, const DTensor& target,
                              const CosineEmbeddingLossFuncOptions& options = {});
DTensor margin_ranking_loss(const DTensor& input1, const DTensor& input2, const DTensor& target,
                            const MarginRankingLossFuncOptions& options = {});
DTensor triplet_margin_loss(const DTensor& anchor, const DTensor& positive, const DTensor& negative,
                            const TripletMarginLossFuncOptions& options = {});

}  // namespace functional
}  // namespace nn
}  // namespace vescale
