// RUN: %check_all_rewritten
// One stream of random numbers: factories, init and branches on draws.
#include <torch/torch.h>
// CHECK: namespace F = vs::nn::functional;
namespace F = torch::nn::functional;

torch::Tensor augment(torch::Tensor x, double p, bool training) {
  // CHECK: vs::manual_seed(7);
  torch::manual_seed(7);
  // CHECK: if (vs::rand(1).item<double>() < p) x = x * -1;
  if (torch::rand(1).item<double>() < p) x = x * -1;
  // CHECK: if (vs::rand({1}).item<float>() < 0.5f) x = x + vs::randn({4, 4});
  if (torch::rand({1}).item<float>() < 0.5f) x = x + torch::randn({4, 4});
  // CHECK: vs::DTensor order = vs::randperm(4);
  torch::Tensor order = torch::randperm(4);
  // CHECK: vs::nn::init::xavier_uniform_(x);
  torch::nn::init::xavier_uniform_(x);
  // CHECK: vs::nn::init::constant_(x, 0.1);
  torch::nn::init::constant_(x, 0.1);
  // CHECK: x = F::dropout(x, F::DropoutFuncOptions().p(p).training(training));
  x = F::dropout(x, F::DropoutFuncOptions().p(p).training(training));
  // CHECK: return vs::dropout(x, p, training) + order;
  return torch::dropout(x, p, training) + order;
}
