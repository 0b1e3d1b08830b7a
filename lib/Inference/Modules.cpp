#include "Inference/Modules.h"

#include <algorithm>

namespace vescale::inference {
namespace {

const std::vector<ModuleOp>& modules() {
  static const std::vector<ModuleTensor> affine{{"weight", "0", false, "affine"},
                                                {"bias", "0", false, "affine"},
                                                {"running_mean", "0", true, ""},
                                                {"running_var", "0", true, ""}};
  static const std::vector<ModuleOp> table{
      {"torch::nn::Linear",
       "linear",
       "x weight bias",
       {{"weight", "1 0", false, ""}, {"bias", "1", false, "bias"}}},
      {"torch::nn::Embedding", "embedding", "weight x", {{"weight", "0 1", false, ""}}},
      {"torch::nn::LayerNorm",
       "layer_norm",
       "x *0 weight bias",
       {{"weight", "*0", false, "elementwise_affine"}, {"bias", "*0", false, "elementwise_affine"}}},
      {"torch::nn::Conv1d",
       "conv1d",
       "x weight bias =stride =padding =dilation",
       {{"weight", "1 0 2", false, ""}, {"bias", "1", false, "bias"}}},
      {"torch::nn::Conv2d",
       "conv2d",
       "x weight bias =stride =padding =dilation",
       {{"weight", "1 0 2 2", false, ""}, {"bias", "1", false, "bias"}},
       4},
      {"torch::nn::BatchNorm1d", "batch_norm", "x weight bias running_mean running_var ? ? ? ?", affine},
      {"torch::nn::BatchNorm2d", "batch_norm", "x weight bias running_mean running_var ? ? ? ?", affine, 4},
      {"torch::nn::Dropout", "dropout", "x ? ?", {}},
      {"torch::nn::Dropout2d", "feature_dropout", "x ? ?", {}},
      {"torch::nn::MaxPool2d", "max_pool2d", "x 0 =stride =padding", {}, 4},
      {"torch::nn::AvgPool2d", "avg_pool2d", "x 0 =stride =padding", {}, 4},
      {"torch::nn::MaxPool1d", "max_pool1d", "x 0 =stride =padding", {}, 3},
      {"torch::nn::AdaptiveAvgPool2d", "adaptive_avg_pool2d", "x 0", {}, 4},
      {"torch::nn::AdaptiveAvgPool1d", "adaptive_avg_pool1d", "x 0", {}, 3},
      {"torch::nn::Flatten", "flatten", "x #1 #-1", {}},
      {"torch::nn::Identity", "alias", "x", {}},
      {"torch::nn::ReLU", "relu", "x", {}},
      {"torch::nn::ReLU6", "relu6", "x", {}},
      {"torch::nn::GELU", "gelu", "x", {}},
      {"torch::nn::SiLU", "silu", "x", {}},
      {"torch::nn::Mish", "mish", "x", {}},
      {"torch::nn::Tanh", "tanh", "x", {}},
      {"torch::nn::Sigmoid", "sigmoid", "x", {}},
      {"torch::nn::LeakyReLU", "leaky_relu", "x", {}},
      {"torch::nn::ELU", "elu", "x", {}},
      {"torch::nn::SELU", "selu", "x", {}},
      {"torch::nn::Softplus", "softplus", "x", {}},
      {"torch::nn::Softmax", "softmax", "x 0", {}},
      {"torch::nn::LogSoftmax", "log_softmax", "x 0", {}},
      {"torch::nn::CrossEntropyLoss", "cross_entropy_loss", "x x", {}},
      {"torch::nn::NLLLoss", "nll_loss_nd", "x x", {}},
      {"torch::nn::MSELoss", "mse_loss", "x x", {}},
      {"torch::nn::L1Loss", "l1_loss", "x x", {}},
      {"torch::nn::SmoothL1Loss", "smooth_l1_loss", "x x", {}},
      {"torch::nn::BCELoss", "binary_cross_entropy", "x x", {}},
      {"torch::nn::BCEWithLogitsLoss", "binary_cross_entropy_with_logits", "x x", {}},
  };
  return table;
}

constexpr FunctionalOp functionals[] = {
    {"cross_entropy", "cross_entropy_loss", "0 1 =weight =reduction"},
    {"nll_loss", "nll_loss_nd", "0 1 =weight =reduction"},
    {"mse_loss", "mse_loss", "0 1 =reduction"},
    {"l1_loss", "l1_loss", "0 1 =reduction"},
    {"binary_cross_entropy", "binary_cross_entropy", "0 1 =weight =reduction"},
    {"binary_cross_entropy_with_logits", "binary_cross_entropy_with_logits", "0 1"},
    {"linear", "linear", "0 1 2"},
    {"embedding", "embedding", "1 0"},
    {"layer_norm", "layer_norm", "0 =normalized_shape =weight =bias"},
    {"softmax", "softmax", "0 =dim"},
    {"log_softmax", "log_softmax", "0 =dim"},
    {"dropout", "dropout", "0 ? ?"},
    {"dropout2d", "feature_dropout", "0 ? ?"},
    {"max_pool2d", "max_pool2d", "0 =kernel_size =stride =padding"},
    {"avg_pool2d", "avg_pool2d", "0 =kernel_size =stride =padding"},
    {"adaptive_avg_pool2d", "adaptive_avg_pool2d", "0 =output_size"},
    {"conv1d", "conv1d", "0 1 =bias =stride =padding =dilation"},
    {"conv2d", "conv2d", "0 1 =bias =stride =padding =dilation"},
    {"relu", "relu", "0"},
    {"gelu", "gelu", "0"},
    {"silu", "silu", "0"},
    {"tanh", "tanh", "0"},
    {"sigmoid", "sigmoid", "0"},
    {"elu", "elu", "0"},
    {"leaky_relu", "leaky_relu", "0"},
    {"softplus", "softplus", "0"},
    {"logsigmoid", "log_sigmoid", "0"},
};

}  // namespace

const ModuleOp* find_module(std::string_view name) {
  const auto found = std::find_if(modules().begin(), modules().end(),
                                  [&](const ModuleOp& one) { return one.module == name; });
  return found == modules().end() ? nullptr : &*found;
}

const FunctionalOp* find_functional(std::string_view name) {
  const auto found = std::find_if(std::begin(functionals), std::end(functionals),
                                  [&](const FunctionalOp& one) { return one.function == name; });
  return found == std::end(functionals) ? nullptr : &*found;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) result.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

}  // namespace vescale::inference
