// RUN: %check_rewrite
// A value with a placement is redistributed where it is made, a parameter where its function starts.
#include <torch/torch.h>
#include <vescale/annotate.h>
VESCALE_MESH(dp, tp)

// CHECK: vs::DTensor f(vs::DTensor x, vs::DTensor y) {
// CHECK-NEXT: {{^}}  x = vs::redistribute(x, "dp=S(0)");
// CHECK-NEXT: {{^}}  y = vs::redistribute(y, "tp=S(1)");
torch::Tensor f(VESCALE_PLACE("dp=S(0); b s d") torch::Tensor x, VESCALE_PLACE("tp=S(1)") torch::Tensor y) {
  // CHECK: auto h = vs::redistribute(x + y, "dp=S(0), tp=R");
  VESCALE_PLACE("dp=S(0), tp=R") auto h = x + y;
  // CHECK: vs::DTensor g(vs::redistribute(vs::relu(h), "tp=R"));
  VESCALE_PLACE("tp=R") torch::Tensor g(torch::relu(h));
  // CHECK: return vs::redistribute(vs::gelu(g), "tp=S(0)");
  return VESCALE_REDISTRIBUTE(torch::gelu(g), "tp=S(0)");
}

// CHECK: vs::DTensor one_line(vs::DTensor x) {
// CHECK-NEXT: {{^}}  x = vs::redistribute(x, "tp=R");
// CHECK-NEXT: {{^}} return x; }
torch::Tensor one_line(VESCALE_PLACE("tp=R") torch::Tensor x) { return x; }
