// RUN: %vescale-rewrite %s --report=json -- %flags | %FileCheck %s --check-prefix=JSON
// RUN: %vescale-rewrite %s --report=summary -- %flags | %FileCheck %s --check-prefix=SUMMARY
// Each collective that a line causes is told with its axis and pass.
#include <torch/torch.h>
#include <vescale/annotate.h>
VESCALE_MESH(dp, tp)

struct MlpImpl : torch::nn::Module {
  MlpImpl() {
    up = register_module("up", torch::nn::Linear(8, 32));
    down = register_module("down", torch::nn::Linear(32, 8));
  }
  torch::Tensor forward(torch::Tensor x) {
    auto h = torch::gelu(up(x));
    // JSON: "line": [[@LINE+4]]
    // JSON: "collective": "all_reduce"
    // JSON: "axis": "tp"
    // SUMMARY: communication_report.cpp:[[@LINE+1]]: all_reduce over tp forward
    return torch::dropout(down(h), 0.1, is_training());
  }
  VESCALE_PLACE("weight: tp=S(0); bias: tp=S(0)") torch::nn::Linear up{nullptr};
  VESCALE_PLACE("weight: tp=S(1)") torch::nn::Linear down{nullptr};
};
TORCH_MODULE(Mlp);

int main() {
  Mlp model;
  VESCALE_PLACE("dp=S(0)") torch::Tensor x = torch::ones({4, 8}, torch::kFloat);
  auto loss = model->forward(x).mean();
  loss.backward();
}
