#include <cmath>
#include <ostream>

#include <vescale/nn/modules/layers.h>

#include "layer_parameters.h"

namespace vescale::nn {

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

}  // namespace vescale::nn
