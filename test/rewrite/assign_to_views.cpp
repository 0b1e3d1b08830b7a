// RUN: %check_all_rewritten
// What is assigned to a view is written into the tensor behind it, so it gets the view's placement.
#include <torch/torch.h>
#include <vescale/annotate.h>
VESCALE_MESH(tp)

// CHECK: using torch::indexing::Slice;
using torch::indexing::Slice;

torch::Tensor f(VESCALE_PLACE("tp=S(1); a b") torch::Tensor x, VESCALE_PLACE("tp=P; b") torch::Tensor part,
                VESCALE_PLACE("tp=S(1); a b") torch::Tensor whole) {
  // CHECK: x[0] = part;
  x[0] = part;
  // CHECK: x.index({1}) = whole[1];
  x.index({1}) = whole[1];
  // CHECK: x.index({Slice(0, 2), torch::indexing::None}) = 1.5;
  x.index({Slice(0, 2), torch::indexing::None}) = 1.5;
  // CHECK: x.slice(0, 1, 2) = 0;
  x.slice(0, 1, 2) = 0;
  // CHECK: x.select(0, 2) = vs::reduce_scatter(part, "tp", 0);{{ +}}// tp: P -> S(0), it is split as input 0 is
  x.select(0, 2) = part;
  // CHECK: x[0][1] = 2;
  x[0][1] = 2;
  return x;
}
