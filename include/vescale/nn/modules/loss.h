#pragma once
/// Losses: LibTorch's names and options. The mean is that of the whole batch, however it is sharded.
#include <torch/nn/modules/loss.h>

#include <vescale/nn/functional.h>
#include <vescale/nn/modules/stateless.h>

namespace vescale {
namespace nn {

#define VESCALE_LOSS(Name, function)                                                              \
  class Name##Impl : public detail::Stateless<Name##Impl, torch::nn::Name##Impl, Name##Options> { \
   public:                                                                                        \
    using Stateless::Stateless;                                                                   \
    DTensor forward(const DTensor& input, const DTensor& target) {                                \
      return functional::function(input, target, options);                                        \
    }                                                                                             \
  };                                                                                              \
  VS_MODULE(Name)
VESCALE_LOSS(L1Loss, l1_loss);
VESCALE_LOSS(MSELoss, mse_loss);
VESCALE_LOSS(SmoothL1Loss, smooth_l1_loss);
VESCALE_LOSS(HuberLoss, huber_loss);
VESCALE_LOSS(KLDivLoss, kl_div);
VESCALE_LOSS(HingeEmbeddingLoss, hinge_embedding_loss);
VESCALE_LOSS(SoftMarginLoss, soft_margin_loss);
VESCALE_LOSS(MultiLabelMarginLoss, multilabel_margin_loss);
VESCALE_LOSS(PoissonNLLLoss, poisson_nll_loss);
#undef VESCALE_LOSS

/// Losses with weights of classes or elements, which are the buffer "weight" where the options give one.
#define VESCALE_WEIGHTED_LOSS(Name, ...)                                                                     \
  class Name##Impl : public Cloneable<Name##Impl> {                                                          \
   public:                                                                                                   \
    explicit Name##Impl(Name##Options options_ = {}) : options(std::move(options_)) { reset(); }             \
    void reset() override { weight = this->register_buffer("weight", detail::weight_of(options.weight())); } \
    void pretty_print(std::ostream& stream) const override {                                                 \
      torch::nn::Name##Impl(options).pretty_print(stream);                                                   \
    }                                                                                                        \
    DTensor forward(const DTensor& input, const DTensor& target) { return __VA_ARGS__; }                     \
    Name##Options options;                                                                                   \
    DTensor weight;                                                                                          \
  };                                                                                                         \
  VS_MODULE(Name)
namespace detail {
inline DTensor weight_of(const at::Tensor& weight) { return weight.defined() ? DTensor(weight) : DTensor(); }
inline std::optional<DTensor> given(const DTensor& x) {
  return x.defined() ? std::optional<DTensor>(x) : std::nullopt;
}
template <class Options>
std::int64_t reduction_of(const Options& options) {
  return torch::enumtype::reduction_get_enum(options.reduction());
}
}  // namespace detail

VESCALE_WEIGHTED_LOSS(CrossEntropyLoss,
                      vescale::cross_entropy_loss(input, target, detail::given(weight),
                                                  detail::reduction_of(options), options.ignore_index(),
                                                  options.label_smoothing()));
VESCALE_WEIGHTED_LOSS(NLLLoss, vescale::nll_loss_nd(input, target, detail::given(weight),
                                                    detail::reduction_of(options), options.ignore_index()));
VESCALE_WEIGHTED_LOSS(BCELoss, vescale::binary_cross_entropy(input, target, detail::given(weight),
                                                             detail::reduction_of(options)));
VESCALE_WEIGHTED_LOSS(MultiMarginLoss,
                      vescale::multi_margin_loss(input, target, options.p(), options.margin(),
                                                 detail::given(weight), detail::reduction_of(options)));
#undef VESCALE_WEIGHTED_LOSS

/// Of logits; weights of elements and of the positive class are the buffers "weight" and "pos_weight".
class BCEWithLogitsLossImpl : public Cloneable<BCEWithLogitsLossImpl> {
 public:
  explicit BCEWithLogitsLossImpl(BCEWithLogitsLossOptions options_ = {}) : options(std::move(options_)) {
    reset();
  }
  void reset() override {
    weight = register_buffer("weight", detail::weight_of(options.weight()));
    pos_weight = register_buffer("pos_weight", detail::weight_of(options.pos_weight()));
  }
  void pretty_print(std::ostream& stream) const override {
    torch::nn::BCEWithLogitsLossImpl(options).pretty_print(stream);
  }
  DTensor forward(const DTensor& input, const DTensor& target) {
    return vescale::binary_cross_entropy_with_logits(
        input, target, detail::given(weight), detail::given(pos_weight), detail::reduction_of(options));
  }

  BCEWithLogitsLossOptions options;
  DTensor weight;
  DTensor pos_weight;
};
VS_MODULE(BCEWithLogitsLoss);

/// Losses of two or three inputs.
#define VESCALE_TRIPLE_LOSS(Name, function)                                                       \
  class Name##Impl : public detail::Stateless<Name##Impl, torch::nn::Name##Impl, Name##Options> { \
   public:                                                                                        \
    using Stateless::Stateless;                                                                   \
    DTensor forward(const DTensor& first, const DTensor& second, const DTensor& third) {          \
      return functional::function(first, second, third, options);                                 \
    }                                                                                             \
  };                                                                                              \
  VS_MODULE(Name)
VESCALE_TRIPLE_LOSS(CosineEmbeddingLoss, cosine_embedding_loss);
VESCALE_TRIPLE_LOSS(MarginRankingLoss, margin_ranking_loss);
VESCALE_TRIPLE_LOSS(TripletMarginLoss, triplet_margin_loss);
#undef VESCALE_TRIPLE_LOSS

}  // namespace nn
}  // namespace vescale
