#pragma once
/// Modules without parameters: activations, dropout, pooling, shapes, losses. Each calls the function of its name with
/// the options it was made with.
#include <ostream>
#include <utility>

#include <vescale/nn/functional.h>
#include <vescale/nn/module.h>

namespace vescale {
namespace nn {

/// A module that holds only options, of LibTorch's type.
#define VESCALE_MODULE_WITH_OPTIONS(Name, Options, forward_expression)                     \
  class Name##Impl : public Cloneable<Name##Impl> {                                        \
   public:                                                                                 \
    explicit Name##Impl(const Options& options_ = {}) : options(options_) {}               \
    void reset() override {}                                                               \
    void pretty_print(std::ostream& stream) const override { stream << "torch::nn::" #Name "()"; } \
    DTensor forward(DTensor input) { return forward_expression; }                          \
    Options options;                                                                       \
  };                                                                                       \
  VS_MODULE(Name)

/// As above, of options that have no default; `First` is what they are made from.
#define VESCALE_MODULE_WITH_REQUIRED_OPTIONS(Name, Options, First, forward_expression)     \
  class Name##Impl : public Cloneable<Name##Impl> {                                        \
   public:                                                                                 \
    Name##Impl(First first) : Name##Impl(Options(std::move(first))) {} /* NOLINT */        \
    explicit Name##Impl(const Options& options_) : options(options_) {}                    \
    void reset() override {}                                                               \
    void pretty_print(std::ostream& stream) const override { stream << "torch::nn::" #Name "()"; } \
    DTensor forward(const DTensor& input) { return forward_expression; }                   \
    Options options;                                                                       \
  };                                                                                       \
  VS_MODULE(Name)

#define VESCALE_MODULE_WITHOUT_OPTIONS(Name, forward_expression)                           \
  class Name##Impl : public Cloneable<Name##Impl> {                                        \
   public:                                                                                 \
    void reset() override {}                                                               \
    void pretty_print(std::ostream& stream) const override { stream << "torch::nn::" #Name "()"; } \
    DTensor forward(const DTensor& input) { return forward_expression; }                   \
  };                                                                                       \
  VS_MODULE(Name)

VESCALE_MODULE_WITHOUT_OPTIONS(Identity, input);
VESCALE_MODULE_WITHOUT_OPTIONS(Sigmoid, vescale::sigmoid(input));
VESCALE_MODULE_WITHOUT_OPTIONS(Tanh, vescale::tanh(input));
VESCALE_MODULE_WITHOUT_OPTIONS(SiLU, vescale::silu(input));
VESCALE_MODULE_WITHOUT_OPTIONS(Mish, vescale::mish(input));
VESCALE_MODULE_WITHOUT_OPTIONS(LogSigmoid, functional::logsigmoid(input));
VESCALE_MODULE_WITHOUT_OPTIONS(Softsign, functional::softsign(input));
VESCALE_MODULE_WITHOUT_OPTIONS(Tanhshrink, functional::tanhshrink(input));

VESCALE_MODULE_WITH_OPTIONS(ReLU, ReLUOptions, functional::relu(std::move(input), options));
VESCALE_MODULE_WITH_OPTIONS(ReLU6, ReLU6Options, functional::relu6(std::move(input), options));
VESCALE_MODULE_WITH_OPTIONS(SELU, SELUOptions, functional::selu(std::move(input), options));
VESCALE_MODULE_WITH_OPTIONS(ELU, ELUOptions, functional::elu(std::move(input), options));
VESCALE_MODULE_WITH_OPTIONS(LeakyReLU, LeakyReLUOptions, functional::leaky_relu(std::move(input), options));
VESCALE_MODULE_WITH_OPTIONS(Hardtanh, HardtanhOptions, functional::hardtanh(std::move(input), options));
VESCALE_MODULE_WITH_OPTIONS(GELU, GELUOptions, functional::gelu(input, options));
VESCALE_MODULE_WITH_OPTIONS(GLU, GLUOptions, functional::glu(input, options));
VESCALE_MODULE_WITH_OPTIONS(Softplus, SoftplusOptions, functional::softplus(input, options));
VESCALE_MODULE_WITH_REQUIRED_OPTIONS(Softmax, SoftmaxOptions, std::int64_t, input.softmax(options.dim()));
VESCALE_MODULE_WITH_REQUIRED_OPTIONS(LogSoftmax, LogSoftmaxOptions, std::int64_t, input.log_softmax(options.dim()));
VESCALE_MODULE_WITH_REQUIRED_OPTIONS(Softmin, SoftminOptions, std::int64_t, (-input).softmax(options.dim()));

VESCALE_MODULE_WITH_REQUIRED_OPTIONS(MaxPool1d, MaxPool1dOptions, torch::ExpandingArray<1>,
                                     functional::max_pool1d(input, options));
VESCALE_MODULE_WITH_REQUIRED_OPTIONS(MaxPool2d, MaxPool2dOptions, torch::ExpandingArray<2>,
                                     functional::max_pool2d(input, options));
VESCALE_MODULE_WITH_REQUIRED_OPTIONS(AvgPool1d, AvgPool1dOptions, torch::ExpandingArray<1>,
                                     functional::avg_pool1d(input, options));
VESCALE_MODULE_WITH_REQUIRED_OPTIONS(AvgPool2d, AvgPool2dOptions, torch::ExpandingArray<2>,
                                     functional::avg_pool2d(input, options));
VESCALE_MODULE_WITH_REQUIRED_OPTIONS(AdaptiveAvgPool1d, AdaptiveAvgPool1dOptions, torch::ExpandingArray<1>,
                                     functional::adaptive_avg_pool1d(input, options));
VESCALE_MODULE_WITH_REQUIRED_OPTIONS(AdaptiveAvgPool2d, AdaptiveAvgPool2dOptions,
                                     torch::ExpandingArrayWithOptionalElem<2>,
                                     functional::adaptive_avg_pool2d(input, options));
VESCALE_MODULE_WITH_OPTIONS(Flatten, FlattenOptions, input.flatten(options.start_dim(), options.end_dim()));

/// Dropout modules: the probability, and whether the module trains.
#define VESCALE_DROPOUT(Name, function)                                                    \
  class Name##Impl : public Cloneable<Name##Impl> {                                        \
   public:                                                                                 \
    explicit Name##Impl(double p) : Name##Impl(DropoutOptions(p)) {}                       \
    explicit Name##Impl(const DropoutOptions& options_ = {}) : options(options_) {         \
      TORCH_CHECK(options.p() >= 0 && options.p() <= 1,                                    \
                  "dropout probability has to be between 0 and 1, but got ", options.p()); \
    }                                                                                      \
    void reset() override {}                                                               \
    void pretty_print(std::ostream& stream) const override {                               \
      stream << std::boolalpha << "torch::nn::" #Name "(p=" << options.p()                 \
             << ", inplace=" << options.inplace() << ")";                                  \
    }                                                                                      \
    DTensor forward(DTensor input) {                                                       \
      return options.inplace() ? vescale::function##_(input, options.p(), is_training())   \
                               : vescale::function(input, options.p(), is_training());     \
    }                                                                                      \
    DropoutOptions options;                                                                \
  };                                                                                       \
  VS_MODULE(Name)
VESCALE_DROPOUT(Dropout, dropout);
VESCALE_DROPOUT(Dropout2d, feature_dropout);
VESCALE_DROPOUT(Dropout3d, feature_dropout);
VESCALE_DROPOUT(AlphaDropout, alpha_dropout);
VESCALE_DROPOUT(FeatureAlphaDropout, feature_alpha_dropout);
#undef VESCALE_DROPOUT

/// Losses of an input and a target.
#define VESCALE_LOSS(Name, function)                                                       \
  class Name##Impl : public Cloneable<Name##Impl> {                                        \
   public:                                                                                 \
    explicit Name##Impl(Name##Options options_ = {}) : options(std::move(options_)) {}     \
    void reset() override {}                                                               \
    void pretty_print(std::ostream& stream) const override { stream << "torch::nn::" #Name "()"; } \
    DTensor forward(const DTensor& input, const DTensor& target) {                         \
      return functional::function(input, target, options);                                 \
    }                                                                                      \
    Name##Options options;                                                                 \
  };                                                                                       \
  VS_MODULE(Name)
VESCALE_LOSS(MSELoss, mse_loss);
VESCALE_LOSS(L1Loss, l1_loss);
VESCALE_LOSS(SmoothL1Loss, smooth_l1_loss);
VESCALE_LOSS(HuberLoss, huber_loss);
VESCALE_LOSS(CrossEntropyLoss, cross_entropy);
VESCALE_LOSS(NLLLoss, nll_loss);
VESCALE_LOSS(BCELoss, binary_cross_entropy);
VESCALE_LOSS(BCEWithLogitsLoss, binary_cross_entropy_with_logits);
VESCALE_LOSS(KLDivLoss, kl_div);
#undef VESCALE_LOSS

#undef VESCALE_MODULE_WITH_OPTIONS
#undef VESCALE_MODULE_WITH_REQUIRED_OPTIONS
#undef VESCALE_MODULE_WITHOUT_OPTIONS

}  // namespace nn
}  // namespace vescale
