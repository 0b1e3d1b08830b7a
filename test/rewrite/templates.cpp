// RUN: %check_all_rewritten
// A template is rewritten once, in its pattern.
#include <torch/torch.h>

template <class Layer, int Layers>
// CHECK: struct StackImpl : vs::nn::Module {
struct StackImpl : torch::nn::Module {
  explicit StackImpl(int d) {
    // CHECK: for (int i = 0; i < Layers; ++i) layers->push_back(Layer(d, d));
    for (int i = 0; i < Layers; ++i) layers->push_back(Layer(d, d));
    // CHECK: register_module("layers", layers);
    register_module("layers", layers);
  }
  torch::Tensor forward(torch::Tensor x) {
    // CHECK: for (auto& layer : *layers) x = vs::relu(layer->template as<typename Layer::ContainedType>()->forward(x));
    for (auto& layer : *layers) x = torch::relu(layer->template as<typename Layer::ContainedType>()->forward(x));
    return x;
  }
  // CHECK: vs::nn::ModuleList layers;
  torch::nn::ModuleList layers;
};

template <class... Tensors>
// CHECK: vs::DTensor total(const vs::DTensor& first, const Tensors&... rest) {
torch::Tensor total(const torch::Tensor& first, const Tensors&... rest) {
  if constexpr (sizeof...(rest) == 0) {
    // CHECK: return vs::relu(first);
    return torch::relu(first);
  } else {
    // CHECK: return first + total(rest...);
    return first + total(rest...);
  }
}

template <typename T = torch::Tensor, typename Function>
// CHECK: T apply(Function function, T x) { return function(vs::relu(x)); }
T apply(Function function, T x) { return function(torch::relu(x)); }

template <>
// CHECK: vs::DTensor apply<vs::DTensor, int>(int, vs::DTensor x) { return vs::tanh(x); }
torch::Tensor apply<torch::Tensor, int>(int, torch::Tensor x) { return torch::tanh(x); }

torch::Tensor use(torch::Tensor x) {
  // CHECK: StackImpl<vs::nn::Linear, 2> stack(4);
  StackImpl<torch::nn::Linear, 2> stack(4);
  // CHECK: x = apply([](vs::DTensor y) { return vs::gelu(y); }, x);
  x = apply([](torch::Tensor y) { return torch::gelu(y); }, x);
  // CHECK: x = apply<vs::DTensor>(1, x);
  x = apply<torch::Tensor>(1, x);
  // CHECK: return total(stack.forward(x), x, vs::DTensor(x));
  return total(stack.forward(x), x, torch::Tensor(x));
}
