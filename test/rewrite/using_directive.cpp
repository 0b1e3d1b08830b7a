// RUN: %check_rewrite
// Names that a using directive brings are written with vs:: in front.
#include <torch/torch.h>

// CHECK: using namespace torch;
using namespace torch;

// CHECK: vs::DTensor act(vs::DTensor x) {
Tensor act(Tensor x) {
  // CHECK: auto y = vs::relu(x);
  auto y = relu(x);
  // CHECK: return vs::nn::functional::relu(y.to(kDouble));
  return nn::functional::relu(y.to(kDouble));
}
