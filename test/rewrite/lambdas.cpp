// RUN: %check_all_rewritten
// Lambdas and std::function are interpreted where they are called, with what they capture.
#include <torch/torch.h>
#include <vescale/annotate.h>

#include <functional>
VESCALE_MESH(tp)

torch::Tensor f(VESCALE_PLACE("tp=P; a b") torch::Tensor x) {
  // CHECK: auto act = [](const vs::DTensor& y) { return vs::relu(y); };
  auto act = [](const torch::Tensor& y) { return torch::relu(y); };
  // CHECK: auto twice = [&](vs::DTensor y) -> vs::DTensor { return act(act(y)); };
  auto twice = [&](torch::Tensor y) -> torch::Tensor { return act(act(y)); };
  // CHECK: std::function<vs::DTensor(vs::DTensor)> later = twice;
  std::function<torch::Tensor(torch::Tensor)> later = twice;
  // CHECK: auto add = [x](auto y) mutable { return y + x; };
  auto add = [x](auto y) mutable { return y + x; };
  // CHECK: vs::DTensor sum = vs::zeros({2, 2});
  torch::Tensor sum = torch::zeros({2, 2});
  // CHECK: std::vector<std::function<vs::DTensor(const vs::DTensor&)>> all{act, later};
  std::vector<std::function<torch::Tensor(const torch::Tensor&)>> all{act, later};
  // CHECK: for (auto& one : all) sum += one(x);
  for (auto& one : all) sum += one(x);
  // CHECK: return add(sum);
  return add(sum);
}
