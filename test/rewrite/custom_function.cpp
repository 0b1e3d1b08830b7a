// RUN: %check_rewrite
// A custom autograd Function with a sharding rule runs on pieces, forward and backward.
#include <torch/torch.h>
#include <vescale/annotate.h>
VESCALE_MESH(dp, tp)

// CHECK: {{^}}struct Cube : torch::autograd::Function<Cube> {
struct VESCALE_RULE("(n d) -> n d") Cube : torch::autograd::Function<Cube> {
  // CHECK: static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x, int) {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x, int) {
    context->save_for_backward({x});
    // CHECK: return torch::matmul(x, x);
    return torch::matmul(x, x);
  }
  // CHECK: static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    // CHECK: torch::Tensor x = context->get_saved_variables()[0];
    torch::Tensor x = context->get_saved_variables()[0];
    return {gradients[0] * x, torch::Tensor()};
  }
};

torch::Tensor use(VESCALE_PLACE("dp=S(0), tp=R") torch::Tensor x) {
  // CHECK: auto y = vs::call_local("(n d) -> n d", [](auto&&... pieces) { return Cube::apply(pieces...); }, x, 3);{{ +}}// dp=S(0)
  auto y = Cube::apply(x, 3);
  return torch::relu(y);
}
