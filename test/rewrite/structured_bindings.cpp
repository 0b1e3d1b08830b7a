// RUN: %check_all_rewritten
// Bindings and std::tie take the placements of what they are made of.
#include <torch/torch.h>
#include <vescale/annotate.h>
VESCALE_MESH(tp)

// CHECK: std::pair<vs::DTensor, vs::DTensor> halves(vs::DTensor x) { return {vs::relu(x), x.transpose(0, 1)}; }
std::pair<torch::Tensor, torch::Tensor> halves(torch::Tensor x) { return {torch::relu(x), x.transpose(0, 1)}; }

torch::Tensor f(VESCALE_PLACE("tp=S(0); a b") torch::Tensor x) {
  // CHECK: auto [a, b] = halves(x);
  auto [a, b] = halves(x);
  // CHECK: auto same = vs::relu(b);{{ +}}// tp=S(1)
  auto same = torch::relu(b);
  // CHECK: vs::DTensor c, d;
  torch::Tensor c, d;
  // CHECK: std::tie(c, d) = halves(same);
  std::tie(c, d) = halves(same);
  // CHECK: auto [values, where] = vs::max(x, 1);
  auto [values, where] = torch::max(x, 1);
  // CHECK: auto doubled = values + values;{{ +}}// tp=S(0)
  auto doubled = values + values;
  // CHECK: return vs::relu(d) + vs::redistribute(doubled.sum(), "tp=R+");{{ +}}// tp=S(0); tp: P -> R+, its open reduction can't meet the shards of input 0
  return torch::relu(d) + doubled.sum();
}
