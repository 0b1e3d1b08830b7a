// RUN: %check_rewrite
// The rule says where results are and what has to move before the call.
#include <torch/torch.h>
#include <vescale/annotate.h>
VESCALE_MESH(dp, tp)

VESCALE_RULE("(n d!, m d!) -> n m")
torch::Tensor distances(const torch::Tensor& x, const torch::Tensor& y) { return torch::matmul(x, y); }

VESCALE_RULE("(n k) -> (n, k)")
std::tuple<torch::Tensor, torch::Tensor> sums(const torch::Tensor& x) { return std::make_tuple(x, x); }

VESCALE_RULE("(n d, d?, n) -> n d")
torch::Tensor shifted(const torch::Tensor& x, std::optional<torch::Tensor>, const torch::Tensor& y) { return x + y; }

torch::Tensor use(VESCALE_PLACE("dp=S(0), tp=S(1)") torch::Tensor x, VESCALE_PLACE("dp=R, tp=R") torch::Tensor y) {
  // CHECK: auto d = vs::call_local("(n d!, m d!) -> n m", distances, vs::all_gather(x, "tp"), y);{{ +}}// dp=S(0); tp: S(1) -> R, the rule
  auto d = distances(x, y);
  // CHECK: d = vs::call_local("(n d, d?, n) -> n d", shifted, d, std::nullopt, vs::shard(vs::ones({8}), "dp", 0));{{ +}}// dp=S(0); dp: R -> S(0)
  d = shifted(d, std::nullopt, torch::ones({8}));
  // CHECK: auto [rows, columns] = vs::call_local("(n k) -> (n, k)", sums, d);
  auto [rows, columns] = sums(d);
  // columns: dp=P
  // CHECK: return vs::relu(vs::all_reduce(columns, "dp"));
  return torch::relu(columns);
}
