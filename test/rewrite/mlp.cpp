// RUN: %check_rewrite
// A whole small program: types, functions, modules, macros, annotations and main.

// CHECK: // Written by vescale-rewrite
// CHECK: #include <vescale/vescale.h>
// CHECK-NOT: annotate.h
#include <torch/torch.h>
#include <vescale/annotate.h>

#include <cstdio>

// CHECK-NOT: VESCALE_MESH
VESCALE_MESH(dp, tp)

// CHECK: struct MlpImpl : vs::nn::Module {
struct MlpImpl : torch::nn::Module {
  // CHECK: up = register_module("up", vs::nn::Linear(8, 32));
  MlpImpl() {
    up = register_module("up", torch::nn::Linear(8, 32));
    down = register_module("down", torch::nn::Linear(torch::nn::LinearOptions(32, 8).bias(false)));
  }
  // CHECK: vs::DTensor forward(vs::DTensor x) {
  torch::Tensor forward(torch::Tensor x) {
    // CHECK: auto h = vs::gelu(up(x));
    auto h = torch::gelu(up(x));
    // CHECK: return vs::dropout(vs::all_reduce(down(h), "tp"), 0.1, is_training());{{ +}}// dp=S(0); tp: P -> R, dropout is not linear
    return torch::dropout(down(h), 0.1, is_training());
  }
  // CHECK: {{^}}  vs::nn::Linear up{nullptr};
  VESCALE_PLACE("weight: tp=S(0); bias: tp=S(0)") torch::nn::Linear up{nullptr};
  // CHECK: {{^}}  vs::nn::Linear down{nullptr};
  VESCALE_PLACE("weight: tp=S(1)") torch::nn::Linear down{nullptr};
};
// CHECK: VS_MODULE(Mlp);
TORCH_MODULE(Mlp);

// CHECK: int vs_main(int, char**) {
int main() {
  // CHECK: vs::manual_seed(1);
  torch::manual_seed(1);
  // CHECK: Mlp model;
  // CHECK-NEXT: {{^}}  vs::distribute_module(*model, {{[{][{]}}"up.weight", "tp=S(0)"},
  // CHECK-NEXT:                       {"up.bias", "tp=S(0)"},
  // CHECK-NEXT:                       {"down.weight", "tp=S(1)"}});
  Mlp model;
  // CHECK: vs::DTensor x = vs::redistribute(vs::ones({4, 8}, torch::kFloat), "dp=S(0)");
  VESCALE_PLACE("dp=S(0)") torch::Tensor x = torch::ones({4, 8}, torch::kFloat);
  // CHECK: vs::optim::SGD optimizer(model->parameters(), vs::optim::SGDOptions(0.1));
  torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(0.1));
  auto loss = model->forward(x).mean();
  loss.backward();
  optimizer.step();
  std::printf("loss %f\n", loss.item<double>());
  // CHECK: return 0;
  // CHECK-NEXT: }
}
// CHECK: int main(int argc, char** argv) { return vs::run(argc, argv, vs_main, {"dp", "tp"}); }
