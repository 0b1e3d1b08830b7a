// RUN: %check_rewrite
// Registration, holders, shared pointers, lists and classes of modules keep their names.
#include <torch/torch.h>

// CHECK: struct BlockImpl final : public vs::nn::Module {
struct BlockImpl final : public torch::nn::Module {
  explicit BlockImpl(int d) : proj(d, d) {
    // CHECK: register_module("proj", proj);
    register_module("proj", proj);
    // CHECK: scale = register_parameter("scale", vs::ones({d}));
    scale = register_parameter("scale", torch::ones({d}));
  }
  // CHECK: vs::DTensor forward(const vs::DTensor& x) { return proj->forward(x) * scale; }
  torch::Tensor forward(const torch::Tensor& x) { return proj->forward(x) * scale; }
  // CHECK: vs::nn::Linear proj;
  torch::nn::Linear proj;
  // CHECK: vs::DTensor scale;
  torch::Tensor scale;
};
// CHECK: VS_MODULE(Block);
TORCH_MODULE(Block);

class NetImpl : public torch::nn::Module {
 public:
  NetImpl() {
    // CHECK: blocks = register_module("blocks", vs::nn::ModuleList());
    blocks = register_module("blocks", torch::nn::ModuleList());
    blocks->push_back(Block(4));
    // CHECK: head = register_module("head", std::make_shared<vs::nn::LinearImpl>(4, 2));
    head = register_module("head", std::make_shared<torch::nn::LinearImpl>(4, 2));
    // CHECK: stack = register_module("stack", vs::nn::Sequential(vs::nn::Linear(4, 4), vs::nn::ReLU()));
    stack = register_module("stack", torch::nn::Sequential(torch::nn::Linear(4, 4), torch::nn::ReLU()));
  }
  torch::Tensor forward(torch::Tensor x) {
    // CHECK: for (const auto& block : *blocks) x = block->as<BlockImpl>()->forward(x);
    for (const auto& block : *blocks) x = block->as<BlockImpl>()->forward(x);
    return head->forward(stack->forward(x));
  }

 private:
  // CHECK: vs::nn::ModuleList blocks{nullptr};
  torch::nn::ModuleList blocks{nullptr};
  // CHECK: vs::nn::Sequential stack{nullptr};
  torch::nn::Sequential stack{nullptr};
  // CHECK: std::shared_ptr<vs::nn::LinearImpl> head;
  std::shared_ptr<torch::nn::LinearImpl> head;
};
TORCH_MODULE(Net);

// CHECK: bool is_linear(vs::nn::Module& module) {
bool is_linear(torch::nn::Module& module) {
  // CHECK: return dynamic_cast<vs::nn::LinearImpl*>(&module) != nullptr;
  return dynamic_cast<torch::nn::LinearImpl*>(&module) != nullptr;
}
