// Each module against LibTorch's: constructed, called and differentiated, with the batch on dp and weights on
// tp.
#include "module_sweep.h"

namespace vescale::test {
namespace {

at::Tensor indices() { return torch::tensor({{0, 3, 6}, {2, 2, 5}, {1, 6, 0}}); }

SWEEP_MODULE(linear_columns, values({5, 6}), ({{"weight", "tp=S(0)"}, {"bias", "tp=S(0)"}}), nn::Linear(6, 7))
SWEEP_MODULE(linear_rows, values({5, 6}), ({{"weight", "tp=S(1)"}}), nn::Linear(6, 7))
SWEEP_MODULE(linear_no_bias, values({5, 6}), ({{"weight", "dp=S(0), tp=S(1)"}}),
             nn::Linear(nn::LinearOptions(6, 7).bias(false)))
SWEEP_MODULE(embedding_rows, indices(), ({{"weight", "tp=S(0)"}}), nn::Embedding(7, 4))
SWEEP_MODULE(embedding_columns, indices(), ({{"weight", "tp=S(1)"}}), nn::Embedding(7, 5))
SWEEP_MODULE(embedding_padding, indices(), ({{"weight", "tp=S(0)"}}),
             nn::Embedding(nn::EmbeddingOptions(7, 4).padding_idx(2)))
SWEEP_MODULE(layer_norm, values({3, 5, 4}), ({}), nn::LayerNorm(nn::LayerNormOptions({4})))
SWEEP_MODULE(layer_norm_plain, values({3, 5, 4}), ({}),
             nn::LayerNorm(nn::LayerNormOptions({5, 4}).elementwise_affine(false)))
SWEEP_MODULE(group_norm, values({3, 4, 5}), ({}), nn::GroupNorm(2, 4))
SWEEP_MODULE(conv1d, values({4, 3, 8}), ({{"**", "tp=S(0)"}}),
             nn::Conv1d(nn::Conv1dOptions(3, 6, 3).padding(1)))
SWEEP_MODULE(conv2d, values({4, 3, 6, 6}), ({{"weight", "tp=S(0)"}, {"bias", "tp=S(0)"}}),
             nn::Conv2d(nn::Conv2dOptions(3, 5, 3).stride(2).padding(1)))
SWEEP_MODULE(conv2d_same, values({4, 3, 6, 6}), ({}),
             nn::Conv2d(nn::Conv2dOptions(3, 5, 3).padding(torch::kSame)))
SWEEP_MODULE(conv2d_circular, values({4, 3, 6, 6}), ({}),
             nn::Conv2d(nn::Conv2dOptions(3, 5, 3).padding(1).padding_mode(torch::kCircular).bias(false)))
SWEEP_MODULE(conv2d_groups, values({4, 4, 6, 6}), ({}), nn::Conv2d(nn::Conv2dOptions(4, 6, 3).groups(2)))
SWEEP_MODULE(conv_transpose2d, values({4, 3, 5, 5}), ({}),
             nn::ConvTranspose2d(nn::ConvTranspose2dOptions(3, 4, 3).stride(2).output_padding(1)))
SWEEP_MODULE(batch_norm1d, values({7, 4}), ({}), nn::BatchNorm1d(4))
SWEEP_MODULE(batch_norm2d, values({5, 4, 3, 3}), ({}), nn::BatchNorm2d(4))
SWEEP_MODULE(batch_norm2d_plain, values({5, 4, 3, 3}), ({}),
             nn::BatchNorm2d(nn::BatchNormOptions(4).affine(false).track_running_stats(false)))
SWEEP_MODULE(batch_norm_cumulative, values({7, 4}), ({}),
             nn::BatchNorm1d(nn::BatchNorm1dOptions(4).momentum(std::nullopt)))
SWEEP_MODULE(dropout, values({5, 6}), ({}), nn::Dropout(0.4))
SWEEP_MODULE(dropout2d, values({5, 6, 2, 2}), ({}), nn::Dropout2d(0.4))
SWEEP_MODULE(alpha_dropout, values({5, 6}), ({}), nn::AlphaDropout(0.3))
SWEEP_MODULE(prelu, values({5, 4, 3}), ({}), nn::PReLU(nn::PReLUOptions().num_parameters(4)))

SWEEP_MODULE(relu, values({5, 6}), ({}), nn::ReLU())
SWEEP_MODULE(relu6, values({5, 6}), ({}), nn::ReLU6())
SWEEP_MODULE(elu, values({5, 6}), ({}), nn::ELU(nn::ELUOptions().alpha(0.5)))
SWEEP_MODULE(selu, values({5, 6}), ({}), nn::SELU())
SWEEP_MODULE(celu, values({5, 6}), ({}), nn::CELU())
SWEEP_MODULE(glu, values({5, 6}), ({}), nn::GLU(1))
SWEEP_MODULE(gelu, values({5, 6}), ({}), nn::GELU())
SWEEP_MODULE(gelu_tanh, values({5, 6}), ({}), nn::GELU(nn::GELUOptions().approximate("tanh")))
SWEEP_MODULE(leaky_relu, values({5, 6}), ({}), nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.2)))
SWEEP_MODULE(hardshrink, values({5, 6}), ({}), nn::Hardshrink(0.3))
SWEEP_MODULE(hardtanh, values({5, 6}), ({}), nn::Hardtanh())
SWEEP_MODULE(softplus, values({5, 6}), ({}), nn::Softplus())
SWEEP_MODULE(softshrink, values({5, 6}), ({}), nn::Softshrink())
SWEEP_MODULE(threshold, values({5, 6}), ({}), nn::Threshold(0.1, 20))
SWEEP_MODULE(softmax, values({5, 6}), ({}), nn::Softmax(1))
SWEEP_MODULE(softmin, values({5, 6}), ({}), nn::Softmin(0))
SWEEP_MODULE(log_softmax, values({5, 6}), ({}), nn::LogSoftmax(-1))
SWEEP_MODULE(log_sigmoid, values({5, 6}), ({}), nn::LogSigmoid())
SWEEP_MODULE(mish, values({5, 6}), ({}), nn::Mish())
SWEEP_MODULE(sigmoid, values({5, 6}), ({}), nn::Sigmoid())
SWEEP_MODULE(silu, values({5, 6}), ({}), nn::SiLU())
SWEEP_MODULE(softsign, values({5, 6}), ({}), nn::Softsign())
SWEEP_MODULE(tanh, values({5, 6}), ({}), nn::Tanh())
SWEEP_MODULE(tanhshrink, values({5, 6}), ({}), nn::Tanhshrink())

SWEEP_MODULE(max_pool1d, values({4, 3, 8}), ({}), nn::MaxPool1d(2))
SWEEP_MODULE(max_pool2d, values({4, 3, 6, 6}), ({}),
             nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).padding(1)))
SWEEP_MODULE(avg_pool2d, values({4, 3, 6, 6}), ({}), nn::AvgPool2d(2))
SWEEP_MODULE(adaptive_avg_pool2d, values({4, 3, 6, 6}), ({}),
             nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions({2, 3})))
SWEEP_MODULE(adaptive_max_pool2d, values({4, 3, 6, 6}), ({}), nn::AdaptiveMaxPool2d(2))
SWEEP_MODULE(flatten, values({4, 3, 2, 2}), ({}), nn::Flatten())
SWEEP_MODULE(unflatten, values({4, 6}), ({}), nn::Unflatten(nn::UnflattenOptions(1, {2, 3})))
SWEEP_MODULE(identity, values({4, 6}), ({}), nn::Identity())
SWEEP_MODULE(zero_pad2d, values({4, 3, 5, 5}), ({}), nn::ZeroPad2d(nn::ZeroPad2dOptions({1, 2, 0, 1})))
SWEEP_MODULE(reflection_pad2d, values({4, 3, 5, 5}), ({}), nn::ReflectionPad2d(1))
SWEEP_MODULE(pixel_shuffle, values({4, 8, 3, 3}), ({}), nn::PixelShuffle(2))

SWEEP_MODULE(mlp, values({7, 6}), ({{"0.weight", "tp=S(0)"}, {"0.bias", "tp=S(0)"}, {"2.weight", "tp=S(1)"}}),
             nn::Sequential(nn::Linear(6, 8), nn::GELU(), nn::Linear(8, 3), nn::Dropout(0.2)))
SWEEP_MODULE(cnn, values({6, 1, 8, 8}), ({}),
             nn::Sequential({{"conv", nn::Conv2d(nn::Conv2dOptions(1, 4, 3).padding(1))},
                             {"norm", nn::BatchNorm2d(4)},
                             {"act", nn::ReLU(nn::ReLUOptions().inplace(true))},
                             {"pool", nn::MaxPool2d(2)},
                             {"flat", nn::Flatten()},
                             {"head", nn::Linear(64, 3)}}))
SWEEP_MODULE(single, values({7, 6}), ({{"*.weight", "tp=S(0)"}}), nn::Sequential(nn::Linear(6, 5)))

/// A loss of `nn::` of the input and a fixed target.
#define SWEEP_LOSS(test, input, target, ...)                                                             \
  TEST(Losses, test) {                                                                                   \
    const at::Tensor goal = target;                                                                      \
    sweep_module(                                                                                        \
        [] {                                                                                             \
          namespace nn = torch::nn;                                                                      \
          return __VA_ARGS__;                                                                            \
        },                                                                                               \
        [] {                                                                                             \
          namespace nn = ::vescale::nn;                                                                  \
          return __VA_ARGS__;                                                                            \
        },                                                                                               \
        input, {}, [goal](auto& m, auto& x) { return m->forward(x, std::decay_t<decltype(x)>(goal)); }); \
  }
at::Tensor classes() { return torch::tensor({2, 0, 1, 3, 3, 0, 1}); }
at::Tensor signs() { return at::sign(values({7}, 3)); }
at::Tensor halves() { return (values({7, 4}, 5) > 0).to(at::kDouble); }

SWEEP_LOSS(cross_entropy, values({7, 4}), classes(), nn::CrossEntropyLoss())
SWEEP_LOSS(cross_entropy_ignored, values({7, 4}), classes(),
           nn::CrossEntropyLoss(nn::CrossEntropyLossOptions().ignore_index(3).label_smoothing(0.1)))
SWEEP_LOSS(cross_entropy_weighted, values({7, 4}), classes(),
           nn::CrossEntropyLoss(nn::CrossEntropyLossOptions().weight(torch::tensor({1.0, 2.0, 0.5, 1.5}))))
SWEEP_LOSS(nll, values({7, 4}), classes(), nn::NLLLoss(nn::NLLLossOptions().reduction(torch::kSum)))
SWEEP_LOSS(mse, values({7, 4}), values({7, 4}, 2), nn::MSELoss())
SWEEP_LOSS(mse_none, values({7, 4}), values({7, 4}, 2), nn::MSELoss(nn::MSELossOptions(torch::kNone)))
SWEEP_LOSS(l1, values({7, 4}), values({7, 4}, 2), nn::L1Loss())
SWEEP_LOSS(smooth_l1, values({7, 4}), values({7, 4}, 2), nn::SmoothL1Loss())
SWEEP_LOSS(huber, values({7, 4}), values({7, 4}, 2), nn::HuberLoss())
SWEEP_LOSS(kl_div, values({7, 4}), values({7, 4}, 2).softmax(1),
           nn::KLDivLoss(nn::KLDivLossOptions().reduction(torch::kBatchMean)))
SWEEP_LOSS(bce, values({7, 4}).sigmoid(), halves(), nn::BCELoss())
SWEEP_LOSS(bce_logits, values({7, 4}), halves(),
           nn::BCEWithLogitsLoss(nn::BCEWithLogitsLossOptions().pos_weight(torch::tensor({1.0, 2.0, 0.5,
                                                                                          1.5}))))
SWEEP_LOSS(hinge, values({7}), signs(), nn::HingeEmbeddingLoss())
SWEEP_LOSS(soft_margin, values({7}), signs(), nn::SoftMarginLoss())
SWEEP_LOSS(multi_margin, values({7, 4}), classes(), nn::MultiMarginLoss())
SWEEP_LOSS(poisson, values({7, 4}), halves(), nn::PoissonNLLLoss())

}  // namespace
}  // namespace vescale::test
