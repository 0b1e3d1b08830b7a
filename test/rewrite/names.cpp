// RUN: %check_rewrite
// Names however they are qualified, in declarations, templates, lambdas and containers.
#include <torch/torch.h>

#include <map>

// CHECK: namespace nn = vs::nn;
namespace nn = torch::nn;
// CHECK: namespace F = vs::nn::functional;
namespace F = torch::nn::functional;
namespace t = torch;
// CHECK: using vs::DTensor;
using torch::Tensor;
// CHECK: using Batch = std::pair<vs::DTensor, vs::DTensor>;
using Batch = std::pair<torch::Tensor, at::Tensor>;

// CHECK: vs::DTensor scaled(const vs::DTensor& x, double by) { return x * by; }
Tensor scaled(const Tensor& x, double by) { return x * by; }

// CHECK: ::vs::DTensor rooted(::vs::DTensor x) { return ::vs::relu(x); }
::torch::Tensor rooted(::torch::Tensor x) { return ::torch::relu(x); }

struct Net : nn::Module {
  // CHECK: vs::DTensor forward(vs::DTensor x) { return F::relu(linear(x)); }
  t::Tensor forward(t::Tensor x) { return F::relu(linear(x)); }
  nn::Linear linear{4, 4};
};

// CHECK: std::map<std::string, std::vector<vs::DTensor>> groups;
std::map<std::string, std::vector<torch::Tensor>> groups;

// CHECK: std::optional<vs::DTensor> maybe(bool yes) {
std::optional<torch::Tensor> maybe(bool yes) {
  // CHECK: if (yes) return vs::zeros({2, 2}, torch::kFloat);
  if (yes) return torch::zeros({2, 2}, torch::kFloat);
  return std::nullopt;
}

// A pattern is rewritten once; calls on a dependent type too.
template <class T>
auto apply(const T& x) {
  // CHECK: vs::DTensor zero = vs::zeros({1});
  torch::Tensor zero = torch::zeros({1});
  // CHECK: return vs::matmul(vs::softmax(x, -1), zero);
  return torch::matmul(torch::softmax(x, -1), zero);
}

void user() {
  // CHECK: torch::NoGradGuard guard;
  torch::NoGradGuard guard;
  // CHECK: torch::Dtype dtype = torch::kDouble;
  torch::Dtype dtype = torch::kDouble;
  // CHECK: auto add = [](vs::DTensor a, const vs::DTensor& b) -> vs::DTensor { return a + b; };
  auto add = [](torch::Tensor a, const torch::Tensor& b) -> torch::Tensor { return a + b; };
  // CHECK: vs::DTensor a = vs::ones({2}).to(dtype), b, *c = &a;
  torch::Tensor a = torch::ones({2}).to(dtype), b, *c = &a;
  // CHECK: auto [values, where] = vs::max(add(a, *c), 0);
  auto [values, where] = torch::max(add(a, *c), 0);
  // CHECK: std::vector<vs::DTensor> parts{values, vs::linalg::inv(apply(where))};
  std::vector<torch::Tensor> parts{values, torch::linalg::inv(apply(where))};
  // CHECK: b = vs::cat(parts, 0);
  b = torch::cat(parts, 0);
  // CHECK: if (vs::allclose(a, b)) vs::nn::init::zeros_(scaled(a, 2));
  if (torch::allclose(a, b)) torch::nn::init::zeros_(scaled(a, 2));
  // CHECK: vs::nn::utils::clip_grad_norm_({rooted(a)}, 1.0);
  torch::nn::utils::clip_grad_norm_({rooted(a)}, 1.0);
}
