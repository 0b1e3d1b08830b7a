#include <vescale/nn/functional.h>

#include <ATen/ExpandUtils.h>

#include <vescale/generated/ops_internal.h>

namespace vescale::nn::functional {
namespace {

/// The tensor of an option, as an optional argument of an op.
std::optional<DTensor> option_tensor(const at::Tensor& tensor) {
  return tensor.defined() ? std::optional<DTensor>(DTensor(tensor)) : std::nullopt;
}

template <class Reduction>
std::int64_t reduction_of(const Reduction& reduction) {
  return torch::enumtype::reduction_get_enum(reduction);
}

/// Input and target of one shape; LibTorch warns where they were not.
std::pair<DTensor, DTensor> expanded(const DTensor& input, const DTensor& target) {
  if (input.sizes() == target.sizes()) return {input, target};
  TORCH_WARN("Using a target size (", target.sizes(), ") that is different to the input size (",
             input.sizes(), "). This will likely lead to incorrect results due to broadcasting.");
  const std::vector<std::int64_t> sizes = at::infer_size(input.sizes(), target.sizes());
  return {input.expand(sizes), target.expand(sizes)};
}

/// The sizes that an adaptive pooling makes; those left out stay the input's.
template <class Wanted>
std::vector<std::int64_t> output_sizes(const DTensor& input, const Wanted& wanted) {
  const auto dims = static_cast<std::int64_t>(wanted.size());
  std::vector<std::int64_t> sizes;
  for (std::int64_t d = 0; d < dims; ++d) {
    sizes.push_back(wanted[static_cast<std::size_t>(d)].value_or(input.size(d - dims)));
  }
  return sizes;
}

template <class Options, class WithPadding, class WithName>
DTensor convolve(const Options& options, const WithPadding& with_padding, const WithName& with_name) {
  return std::visit(
      [&](const auto& padding) -> DTensor {
        using Padding = std::decay_t<decltype(padding)>;
        if constexpr (std::is_same_v<Padding, torch::enumtype::kValid>) {
          return with_name("valid");
        } else if constexpr (std::is_same_v<Padding, torch::enumtype::kSame>) {
          return with_name("same");
        } else {
          return with_padding(at::IntArrayRef(*padding));
        }
      },
      options.padding());
}

}  // namespace

DTensor embedding(const DTensor& input, const DTensor& weight, const EmbeddingFuncOptions& options) {
  std::int64_t padding = options.padding_idx().value_or(-1);
  if (options.padding_idx()) {
    TORCH_CHECK(padding >= -weight.size(0) && padding < weight.size(0),
                "Padding_idx must be within num_embeddings");
    if (padding < 0) padding += weight.size(0);
  }
  if (options.max_norm()) {
    const at::NoGradGuard no_grad;
    at::Tensor rows = weight.full().clone();
    at::embedding_renorm_(rows, input.full().contiguous(), *options.max_norm(), options.norm_type());
    DTensor(weight).copy_(DTensor(rows));
  }
  return vescale::embedding(weight, input, padding, options.scale_grad_by_freq(), options.sparse());
}

DTensor layer_norm(const DTensor& input, const LayerNormFuncOptions& options) {
  return vescale::layer_norm(input, options.normalized_shape(), option_tensor(options.weight()),
                             option_tensor(options.bias()), options.eps());
}
DTensor group_norm(const DTensor& input, const GroupNormFuncOptions& options) {
  return vescale::group_norm(input, options.num_groups(), option_tensor(options.weight()),
                             option_tensor(options.bias()), options.eps());
}
DTensor batch_norm(const DTensor& input, const DTensor& running_mean, const DTensor& running_var,
                   const BatchNormFuncOptions& options) {
  return vescale::batch_norm(input, option_tensor(options.weight()), option_tensor(options.bias()),
                             running_mean, running_var, options.training(), options.momentum(), options.eps(),
                             true);
}
DTensor normalize(const DTensor& input, const NormalizeFuncOptions& options) {
  const DTensor norm =
      input.norm(options.p(), {options.dim()}, true).clamp_min(options.eps()).expand_as(input);
  return input / norm;
}

DTensor conv1d(const DTensor& input, const DTensor& weight, const Conv1dFuncOptions& o) {
  return convolve(
      o,
      [&](at::IntArrayRef padding) {
        return vescale::conv1d(input, weight, option_tensor(o.bias()), o.stride(), padding, o.dilation(),
                               o.groups());
      },
      [&](const char* padding) {
        return vescale::conv1d(input, weight, option_tensor(o.bias()), o.stride(), c10::string_view(padding),
                               o.dilation(), o.groups());
      });
}
DTensor conv2d(const DTensor& input, const DTensor& weight, const Conv2dFuncOptions& o) {
  return convolve(
      o,
      [&](at::IntArrayRef padding) {
        return vescale::conv2d(input, weight, option_tensor(o.bias()), o.stride(), padding, o.dilation(),
                               o.groups());
      },
      [&](const char* padding) {
        return vescale::conv2d(input, weight, option_tensor(o.bias()), o.stride(), c10::string_view(padding),
                               o.dilation(), o.groups());
      });
}
DTensor conv3d(const DTensor& input, const DTensor& weight, const Conv3dFuncOptions& o) {
  return convolve(
      o,
      [&](at::IntArrayRef padding) {
        return vescale::conv3d(input, weight, option_tensor(o.bias()), o.stride(), padding, o.dilation(),
                               o.groups());
      },
      [&](const char* padding) {
        return vescale::conv3d(input, weight, option_tensor(o.bias()), o.stride(), c10::string_view(padding),
                               o.dilation(), o.groups());
      });
}

DTensor adaptive_avg_pool2d(const DTensor& input, const AdaptiveAvgPool2dFuncOptions& options) {
  return vescale::adaptive_avg_pool2d(input, output_sizes(input, *options.output_size()));
}
DTensor adaptive_avg_pool3d(const DTensor& input, const AdaptiveAvgPool3dFuncOptions& options) {
  return vescale::adaptive_avg_pool3d(input, output_sizes(input, *options.output_size()));
}
DTensor adaptive_max_pool2d(const DTensor& input, const AdaptiveMaxPool2dFuncOptions& options) {
  return std::get<0>(vescale::adaptive_max_pool2d(input, output_sizes(input, *options.output_size())));
}
DTensor adaptive_max_pool3d(const DTensor& input, const AdaptiveMaxPool3dFuncOptions& options) {
  return std::get<0>(vescale::adaptive_max_pool3d(input, output_sizes(input, *options.output_size())));
}
DTensor pad(const DTensor& input, const PadFuncOptions& options) {
  const char* mode = std::holds_alternative<torch::enumtype::kConstant>(options.mode())    ? "constant"
                     : std::holds_alternative<torch::enumtype::kReflect>(options.mode())   ? "reflect"
                     : std::holds_alternative<torch::enumtype::kReplicate>(options.mode()) ? "replicate"
                                                                                           : "circular";
  if (std::holds_alternative<torch::enumtype::kConstant>(options.mode())) {
    return vescale::constant_pad_nd(input, options.pad(), options.value());
  }
  return vescale::pad(input, options.pad(), mode, std::nullopt);
}

DTensor cross_entropy(const DTensor& input, const DTensor& target, const CrossEntropyFuncOptions& o) {
  return vescale::cross_entropy_loss(input, target, option_tensor(o.weight()), reduction_of(o.reduction()),
                                     o.ignore_index(), o.label_smoothing());
}
DTensor nll_loss(const DTensor& input, const DTensor& target, const NLLLossFuncOptions& o) {
  return vescale::nll_loss_nd(input, target, option_tensor(o.weight()), reduction_of(o.reduction()),
                              o.ignore_index());
}
DTensor mse_loss(const DTensor& input, const DTensor& target, const MSELossFuncOptions& o) {
  const auto [x, y] = expanded(input, target);
  return vescale::mse_loss(x, y, reduction_of(o.reduction()));
}
DTensor l1_loss(const DTensor& input, const DTensor& target, const L1LossFuncOptions& o) {
  return vescale::l1_loss(input, target, reduction_of(o.reduction()));
}
DTensor smooth_l1_loss(const DTensor& input, const DTensor& target, const SmoothL1LossFuncOptions& o) {
  const auto [x, y] = expanded(input, target);
  return vescale::smooth_l1_loss(x, y, reduction_of(o.reduction()), o.beta().value_or(1.0));
}
DTensor huber_loss(const DTensor& input, const DTensor& target, const HuberLossFuncOptions& o) {
  const auto [x, y] = expanded(input, target);
  return vescale::huber_loss(x, y, reduction_of(o.reduction()), o.delta());
}
DTensor kl_div(const DTensor& input, const DTensor& target, const KLDivFuncOptions& o) {
  if (std::holds_alternative<torch::enumtype::kBatchMean>(o.reduction())) {
    return vescale::kl_div(input, target, at::Reduction::Sum, o.log_target()) / input.size(0);
  }
  const std::int64_t reduction =
      std::holds_alternative<torch::enumtype::kNone>(o.reduction())  ? at::Reduction::None
      : std::holds_alternative<torch::enumtype::kSum>(o.reduction()) ? at::Reduction::Sum
                                                                     : at::Reduction::Mean;
  return vescale::kl_div(input, target, reduction, o.log_target());
}
DTensor binary_cross_entropy(const DTensor& input, const DTensor& target,
                             const BinaryCrossEntropyFuncOptions& o) {
  TORCH_CHECK(target.sizes() == input.sizes(), "Using a target size (", target.sizes(),
              ") that is different to the input size (", input.sizes(), ") is deprecated.");
  return vescale::binary_cross_entropy(input, target, option_tensor(o.weight()), reduction_of(o.reduction()));
}
DTensor binary_cross_entropy_with_logits(const DTensor& input, const DTensor& target,
                                         const BinaryCrossEntropyWithLogitsFuncOptions& o) {
  TORCH_CHECK(target.sizes() == input.sizes(), "Target size (", target.sizes(),
              ") must be the same as input size (", input.sizes(), ")");
  return vescale::binary_cross_entropy_with_logits(
      input, target, option_tensor(o.weight()), option_tensor(o.pos_weight()), reduction_of(o.reduction()));
}

DTensor hinge_embedding_loss(const DTensor& input, const DTensor& target,
                             const HingeEmbeddingLossFuncOptions& o) {
  return vescale::hinge_embedding_loss(input, target, o.margin(), reduction_of(o.reduction()));
}
DTensor soft_margin_loss(const DTensor& input, const DTensor& target, const SoftMarginLossFuncOptions& o) {
  return vescale::soft_margin_loss(input, target, reduction_of(o.reduction()));
}
DTensor multilabel_margin_loss(const DTensor& input, const DTensor& target,
                               const MultilabelMarginLossFuncOptions& o) {
  return vescale::multilabel_margin_loss(input, target, reduction_of(o.reduction()));
}
DTensor poisson_nll_loss(const DTensor& input, const DTensor& target, const PoissonNLLLossFuncOptions& o) {
  return vescale::poisson_nll_loss(input, target, o.log_input(), o.full(), o.eps(),
                                   reduction_of(o.reduction()));
}
DTensor cosine_embedding_loss(const DTensor& input1, const DTensor& input2, const DTensor& target,
                              const CosineEmbeddingLossFuncOptions& o) {
  return vescale::cosine_embedding_loss(input1, input2, target, o.margin(), reduction_of(o.reduction()));
}
DTensor margin_ranking_loss(const DTensor& input1, const DTensor& input2, const DTensor& target,
                            const MarginRankingLossFuncOptions& o) {
  return vescale::margin_ranking_loss(input1, input2, target, o.margin(), reduction_of(o.reduction()));
}
DTensor triplet_margin_loss(const DTensor& anchor, const DTensor& positive, const DTensor& negative,
                            const TripletMarginLossFuncOptions& o) {
  return vescale::triplet_margin_loss(anchor, positive, negative, o.margin(), o.p(), o.eps(), o.swap(),
                                      reduction_of(o.reduction()));
}

}  // namespace vescale::nn::functional
