// RUN: %check_rewrite
// In a macro's arguments names are rewritten where they are written, in a macro's body once in the body.
#include <torch/torch.h>

#define TWICE(x) ((x) + (x))
// CHECK: #define ACTIVATE(x) vs::relu(x)
#define ACTIVATE(x) torch::relu(x)
// CHECK: #define DECLARE(name) vs::DTensor name
#define DECLARE(name) torch::Tensor name

// CHECK: vs::DTensor f(vs::DTensor x) {
torch::Tensor f(torch::Tensor x) {
  // CHECK: DECLARE(y) = TWICE(vs::relu(x));
  DECLARE(y) = TWICE(torch::relu(x));
  // CHECK: return ACTIVATE(y) + ACTIVATE(TWICE(vs::gelu(x)));
  return ACTIVATE(y) + ACTIVATE(TWICE(torch::gelu(x)));
}
