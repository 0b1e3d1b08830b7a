// RUN: %check_all_rewritten
// A variable has no single placement: each assignment gives it that of its value.
#include <torch/torch.h>
#include <vescale/annotate.h>
VESCALE_MESH(dp, tp)

torch::Tensor f(VESCALE_PLACE("dp=S(0); b s d") torch::Tensor x, VESCALE_PLACE("tp=S(1); d e") torch::Tensor w) {
  // CHECK: x = vs::relu(x);{{ +}}// dp=S(0)
  x = torch::relu(x);
  // CHECK: x = vs::matmul(x, w);{{ +}}// dp=S(0) tp=S(2)
  x = torch::matmul(x, w);
  // CHECK: x = x + x;{{ +}}// dp=S(0) tp=S(2)
  x = x + x;
  // CHECK: x = x.transpose(0, 1);{{ +}}// dp=S(1) tp=S(2)
  x = x.transpose(0, 1);
  // CHECK: x = vs::all_gather(x, "tp").flatten();{{ +}}// tp: S(2) -> R, the pieces of dim 2 are not the pieces of the result's dims
  x = x.flatten();
  return x;
}
