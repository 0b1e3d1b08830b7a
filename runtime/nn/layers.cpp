#include <vescale/nn/modules/layers.h>

#include <cmath>
#include <ostream>

namespace vescale::nn {
namespace {

std::optional<DTensor> optional(const DTensor& x) {
  return x.defined() ? std::optional<DTensor>(x) : std::nullopt;
}

/// The bias of a layer of `fan_in` inputs.
void reset_bias(const DTensor& weight, const DTensor& bias) {
  if (!bias.defined()) return;
  const auto [fan_in, fan_out] = init::_calculate_fan_in_and_fan_out(weight);
  const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
  init::uniform_(bias, -bound, bound);
}

}  // namespace

// ---- Linear ----

LinearImpl::LinearImpl(const LinearOptions& options) : options(options) { reset(); }

void LinearImpl::reset() {
  weight = register_parameter("weight", vescale::empty({options.out_features(), options.in_features()}));
  bias = options.bias() ? register_parameter("bias", vescale::empty({options.out_features()}))
                        : register_parameter("bias", {}, /*requires_grad=*/false);
  reset_parameters();
}
void LinearImpl::reset_parameters() {
  init::kaiming_uniform_(weight, std::sqrt(5.0));
  reset_bias(weight, bias);
}
void LinearImpl::pretty_print(std::ostream& stream) const {
  stream << std::boolalpha << "torch::nn::Linear(in_features=" << options.in_features()
         << ", out_features=" << options.out_features() << ", bias=" << options.bias() << ")";
}

// ---- Embedding ----

EmbeddingImpl::EmbeddingImpl(EmbeddingOptions options_) : options(std::move(options_)) { reset(); }

void EmbeddingImpl::reset() {
  if (options.padding_idx()) {
    std::int64_t padding = *options.padding_idx();
    TORCH_CHECK(padding >= -options.num_embeddings() && padding < options.num_embeddings(),
                "Padding_idx must be within num_embeddings");
    if (padding < 0) options.padding_idx(padding + options.num_embeddings());
  }
  if (options._weight().defined()) {
    weight = register_parameter("weight", DTensor(options._weight()));
    return;
  }
  weight = register_parameter("weight", vescale::empty({options.num_embeddings(), options.embedding_dim()}));
  reset_parameters();
}
void EmbeddingImpl::reset_parameters() {
  init::normal_(weight);
  if (!options.padding_idx()) return;
  const at::NoGradGuard no_grad;
  weight.select(0, *options.padding_idx()).fill_(0);
}
void EmbeddingImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::Embedding(num_embeddings=" << options.num_embeddings()
         << ", embedding_dim=" << options.embedding_dim();
  if (options.padding_idx()) stream << ", padding_idx=" << *options.padding_idx();
  if (options.max_norm()) stream << ", max_norm=" << *options.max_norm();
  if (options.norm_type() != 2) stream << ", norm_type=" << options.norm_type();
  if (options.scale_grad_by_freq()) stream << ", scale_grad_by_freq=" << std::boolalpha << true;
  if (options.sparse()) stream << ", sparse=" << std::boolalpha << true;
  stream << ")";
}
DTensor EmbeddingImpl::forward(const DTensor& indices) {
  return functional::embedding(indices, weight,
                               functional::EmbeddingFuncOptions()
                                   .padding_idx(options.padding_idx())
                                   .max_norm(options.max_norm())
                                   .norm_type(options.norm_type())
                                   .scale_grad_by_freq(options.scale_grad_by_freq())
                                   .sparse(options.sparse()));
}
Embedding Embedding::from_pretrained(const at::Tensor& embeddings,
                                     const EmbeddingFromPretrainedOptions& options) {
  TORCH_CHECK(embeddings.dim() == 2, "Embeddings parameter is expected to be 2-dimensional");
  Embedding embedding(EmbeddingOptions(embeddings.size(0), embeddings.size(1))
                          ._weight(embeddings)
                          .padding_idx(options.padding_idx())
                          .max_norm(options.max_norm())
                          .norm_type(options.norm_type())
                          .scale_grad_by_freq(options.scale_grad_by_freq())
                          .sparse(options.sparse()));
  embedding->weight.set_requires_grad(!options.freeze());
  return embedding;
}

// ---- LayerNorm ----

LayerNormImpl::LayerNormImpl(LayerNormOptions options_) : options(std::move(options_)) { reset(); }

void LayerNormImpl::reset() {
  if (options.elementwise_affine()) {
    weight = register_parameter("weight", vescale::empty(options.normalized_shape()));
    bias = register_parameter("bias", vescale::empty(options.normalized_shape()));
  } else {
    weight = register_parameter("weight", {}, /*requires_grad=*/false);
    bias = register_parameter("bias", {}, /*requires_grad=*/false);
  }
  reset_parameters();
}
void LayerNormImpl::reset_parameters() {
  if (!options.elementwise_affine()) return;
  init::ones_(weight);
  init::zeros_(bias);
}
void LayerNormImpl::pretty_print(std::ostream& stream) const {
  stream << std::boolalpha << "torch::nn::LayerNorm(" << at::IntArrayRef(options.normalized_shape())
         << ", eps=" << options.eps() << ", elementwise_affine=" << options.elementwise_affine() << ")";
}
DTensor LayerNormImpl::forward(const DTensor& input) {
  return vescale::layer_norm(input, options.normalized_shape(), optional(weight), optional(bias),
                             options.eps());
}

// ---- GroupNorm ----

GroupNormImpl::GroupNormImpl(const GroupNormOptions& options) : options(options) { reset(); }

void GroupNormImpl::reset() {
  if (options.affine()) {
    weight = register_parameter("weight", vescale::empty({options.num_channels()}));
    bias = register_parameter("bias", vescale::empty({options.num_channels()}));
  } else {
    weight = register_parameter("weight", {}, /*requires_grad=*/false);
    bias = register_parameter("bias", {}, /*requires_grad=*/false);
  }
  reset_parameters();
}
void GroupNormImpl::reset_parameters() {
  if (!options.affine()) return;
  init::ones_(weight);
  init::zeros_(bias);
}
void GroupNormImpl::pretty_print(std::ostream& stream) const {
  stream << std::boolalpha << "torch::nn::GroupNorm(" << options.num_groups() << ", "
         << options.num_channels() << ", eps=" << options.eps() << ", affine=" << options.affine() << ")";
}
DTensor GroupNormImpl::forward(const DTensor& input) {
  return vescale::group_norm(input, options.num_groups(), optional(weight), optional(bias), options.eps());
}

// ---- Convolutions ----

template <std::size_t D, class Derived>
ConvNdImpl<D, Derived>::ConvNdImpl(Options options_) : options(std::move(options_)) {
  reset();
}

template <std::size_t D, class Derived>
void ConvNdImpl<D, Derived>::reset() {
  TORCH_CHECK(options.in_channels() > 0 && options.groups() > 0 && options.out_channels() > 0,
              "in_channels, groups and out_channels must be a positive integer.");
  TORCH_CHECK(options.in_channels() % options.groups() == 0, "in_channels must be divisible by groups");
  TORCH_CHECK(options.out_channels() % options.groups() == 0, "out_channels must be divisible by groups");
  std::vector<std::int64_t> sizes{options.out_channels(), options.in_channels() / options.groups()};
  if (options.transposed()) sizes = {options.in_channels(), options.out_channels() / options.groups()};
  sizes.insert(sizes.end(), options.kernel_size()->begin(), options.kernel_size()->end());
  weight = this->register_parameter("weight", vescale::empty(sizes));
  bias = options.bias() ? this->register_parameter("bias", vescale::empty({options.out_channels()}))
                        : this->register_parameter("bias", {}, /*requires_grad=*/false);
  reset_parameters();
}

template <std::size_t D, class Derived>
void ConvNdImpl<D, Derived>::reset_parameters() {
  init::kaiming_uniform_(weight, std::sqrt(5.0));
  reset_bias(weight, bias);
}

template <std::size_t D, class Derived>
void ConvNdImpl<D, Derived>::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::Conv" << (options.transposed() ? "Transpose" : "") << D << "d("
         << options.in_channels() << ", " << options.out_channels()
         << ", kernel_size=" << options.kernel_size() << ", stride=" << options.stride();
  if (std::holds_alternative<torch::enumtype::kValid>(options.padding())) stream << ", padding='valid'";
  if (std::holds_alternative<torch::enumtype::kSame>(options.padding())) stream << ", padding='same'";
  if (const auto* padding = std::get_if<torch::ExpandingArray<D>>(&options.padding())) {
    if (**padding != *torch::ExpandingArray<D>(0)) stream << ", padding=" << *padding;
  }
  if (*options.dilation() != *torch::ExpandingArray<D>(1)) stream << ", dilation=" << options.dilation();
  if (*options.output_padding() != *torch::ExpandingArray<D>(0)) {
    stream << ", output_padding=" << options.output_padding();
  }
  if (options.groups() != 1) stream << ", groups=" << options.groups();
  if (!options.bias()) stream << ", bias=" << std::boolalpha << false;
  if (!std::holds_alternative<torch::enumtype::kZeros>(options.padding_mode())) {
    stream << ", padding_mode=" << torch::enumtype::get_enum_name(options.padding_mode());
  }
  stream << ")";
}

namespace {

/// The op of each dimension, by overload on D.
template <std::size_t D, class Padding>
DTensor conv(const DTensor& x, const DTensor& w, const std::optional<DTensor>& b,
             const torch::nn::detail::ConvNdOptions<D>& o, const Padding& padding) {
  if constexpr (D == 1) return vescale::conv1d(x, w, b, o.stride(), padding, o.dilation(), o.groups());
  if constexpr (D == 2) return vescale::conv2d(x, w, b, o.stride(), padding, o.dilation(), o.groups());
  if constexpr (D == 3) return vescale::conv3d(x, w, b, o.stride(), padding, o.dilation(), o.groups());
}
template <std::size_t D>
DTensor conv_transpose(const DTensor& x, const DTensor& w, const std::optional<DTensor>& b,
                       const torch::nn::detail::ConvNdOptions<D>& o, at::IntArrayRef padding) {
  const at::IntArrayRef output = *o.output_padding();
  if constexpr (D == 1) {
    return vescale::conv_transpose1d(x, w, b, o.stride(), padding, output, o.groups(), o.dilation());
  }
  if constexpr (D == 2) {
    return vescale::conv_transpose2d(x, w, b, o.stride(), padding, output, o.groups(), o.dilation());
  }
  if constexpr (D == 3) {
    return vescale::conv_transpose3d(x, w, b, o.stride(), padding, output, o.groups(), o.dilation());
  }
}

/// Padding before and after each dim, last dim first, as pad() takes it.
template <std::size_t D>
std::vector<std::int64_t> both_sides(const torch::ExpandingArray<D>& padding) {
  std::vector<std::int64_t> sides;
  for (std::size_t d = D; d-- > 0;) sides.insert(sides.end(), 2, (*padding)[d]);
  return sides;
}

}  // namespace

template <std::size_t D, class Derived>
DTensor ConvNdImpl<D, Derived>::convolve(const DTensor& input) const {
  const auto* padding = std::get_if<torch::ExpandingArray<D>>(&options.padding());
  if (options.transposed()) {
    TORCH_CHECK(padding != nullptr, "a transposed convolution takes its padding as numbers");
    return conv_transpose<D>(input, weight, optional(bias), options, at::IntArrayRef(**padding));
  }
  if (padding == nullptr) {
    const bool same = std::holds_alternative<torch::enumtype::kSame>(options.padding());
    return conv<D>(input, weight, optional(bias), options, c10::string_view(same ? "same" : "valid"));
  }
  if (std::holds_alternative<torch::enumtype::kZeros>(options.padding_mode())) {
    return conv<D>(input, weight, optional(bias), options, at::IntArrayRef(**padding));
  }
  const char* mode = std::holds_alternative<torch::enumtype::kReflect>(options.padding_mode()) ? "reflect"
                     : std::holds_alternative<torch::enumtype::kReplicate>(options.padding_mode())
                         ? "replicate"
                         : "circular";
  const DTensor padded = vescale::pad(input, both_sides<D>(*padding), mode, std::nullopt);
  return conv<D>(padded, weight, optional(bias), options, at::IntArrayRef({0}));
}

#define VESCALE_DEFINE_CONV(D)                                                           \
  Conv##D##dImpl::Conv##D##dImpl(torch::nn::ConvOptions<D> o)                            \
      : ConvNdImpl(Options(o.in_channels(), o.out_channels(), o.kernel_size())           \
                       .stride(o.stride())                                               \
                       .padding(o.padding())                                             \
                       .dilation(o.dilation())                                           \
                       .groups(o.groups())                                               \
                       .bias(o.bias())                                                   \
                       .padding_mode(o.padding_mode())                                   \
                       .transposed(false)                                                \
                       .output_padding(0)) {}                                            \
  ConvTranspose##D##dImpl::ConvTranspose##D##dImpl(torch::nn::ConvTransposeOptions<D> o) \
      : ConvNdImpl(Options(o.in_channels(), o.out_channels(), o.kernel_size())           \
                       .stride(o.stride())                                               \
                       .padding(o.padding())                                             \
                       .dilation(o.dilation())                                           \
                       .groups(o.groups())                                               \
                       .bias(o.bias())                                                   \
                       .padding_mode(o.padding_mode())                                   \
                       .transposed(true)                                                 \
                       .output_padding(o.output_padding())) {}                           \
  template class ConvNdImpl<D, Conv##D##dImpl>;                                          \
  template class ConvNdImpl<D, ConvTranspose##D##dImpl>;
VESCALE_DEFINE_CONV(1)
VESCALE_DEFINE_CONV(2)
VESCALE_DEFINE_CONV(3)
#undef VESCALE_DEFINE_CONV

// ---- BatchNorm ----

template <std::size_t D, class Derived>
BatchNormImplBase<D, Derived>::BatchNormImplBase(const BatchNormOptions& options) : options(options) {
  reset();
}

template <std::size_t D, class Derived>
void BatchNormImplBase<D, Derived>::reset() {
  const std::int64_t n = options.num_features();
  weight = options.affine() ? this->register_parameter("weight", vescale::empty({n}))
                            : this->register_parameter("weight", {}, false);
  bias = options.affine() ? this->register_parameter("bias", vescale::empty({n}))
                          : this->register_parameter("bias", {}, false);
  const bool tracks = options.track_running_stats();
  running_mean = this->register_buffer("running_mean", tracks ? vescale::zeros({n}) : DTensor());
  running_var = this->register_buffer("running_var", tracks ? vescale::ones({n}) : DTensor());
  num_batches_tracked = this->register_buffer(
      "num_batches_tracked", tracks ? vescale::zeros({}, at::TensorOptions(at::kLong)) : DTensor());
  reset_parameters();
}

template <std::size_t D, class Derived>
void BatchNormImplBase<D, Derived>::reset_running_stats() {
  if (!options.track_running_stats()) return;
  running_mean.zero_();
  running_var.fill_(1);
  num_batches_tracked.zero_();
}

template <std::size_t D, class Derived>
void BatchNormImplBase<D, Derived>::reset_parameters() {
  reset_running_stats();
  if (!options.affine()) return;
  init::ones_(weight);
  init::zeros_(bias);
}

template <std::size_t D, class Derived>
void BatchNormImplBase<D, Derived>::pretty_print(std::ostream& stream) const {
  stream << std::boolalpha << "torch::nn::BatchNorm" << D << "d(" << options.num_features()
         << ", eps=" << options.eps() << ", momentum=";
  if (options.momentum()) {
    stream << *options.momentum();
  } else {
    stream << "None";
  }
  stream << ", affine=" << options.affine() << ", track_running_stats=" << options.track_running_stats()
         << ")";
}

template <std::size_t D, class Derived>
DTensor BatchNormImplBase<D, Derived>::forward(const DTensor& input) {
  const bool fits = input.dim() == static_cast<std::int64_t>(D) + 2 || (D == 1 && input.dim() == 2);
  TORCH_CHECK(fits, "BatchNorm", D, "d: an input of ", input.dim(), " dims has the wrong number of them");
  double factor = options.momentum().value_or(0.0);
  if (this->is_training() && options.track_running_stats() && num_batches_tracked.defined()) {
    num_batches_tracked.add_(1);
    if (!options.momentum()) factor = 1.0 / num_batches_tracked.template item<double>();
  }
  const bool uses_batch = this->is_training() || !options.track_running_stats();
  return vescale::batch_norm(input, optional(weight), optional(bias), optional(running_mean),
                             optional(running_var), uses_batch, factor, options.eps(), true);
}

template class BatchNormImplBase<1, BatchNorm1dImpl>;
template class BatchNormImplBase<2, BatchNorm2dImpl>;
template class BatchNormImplBase<3, BatchNorm3dImpl>;

}  // namespace vescale::nn
