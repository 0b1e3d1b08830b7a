// RUN: %check_all_rewritten
// Learning rates are set through parameter groups; state is kept by the parameters' own impl.
#include <torch/torch.h>

#include <unordered_map>

// CHECK: class Momentum {
class Momentum {
 public:
  // CHECK: explicit Momentum(std::vector<vs::DTensor> params) : params_(std::move(params)) {}
  explicit Momentum(std::vector<torch::Tensor> params) : params_(std::move(params)) {}
  void step() {
    torch::NoGradGuard guard;
    // CHECK: for (auto& p : params_) {
    for (auto& p : params_) {
      // CHECK: if (!p.grad().defined()) continue;
      if (!p.grad().defined()) continue;
      // CHECK: vs::DTensor& state = state_[p.unsafeGetTensorImpl()];
      torch::Tensor& state = state_[p.unsafeGetTensorImpl()];
      // CHECK: if (!state.defined()) state = vs::zeros_like(p);
      if (!state.defined()) state = torch::zeros_like(p);
      // CHECK: state.mul_(0.9).add_(p.grad());
      state.mul_(0.9).add_(p.grad());
      // CHECK: p.add_(state);
      p.add_(state);
    }
  }

 private:
  // CHECK: std::vector<vs::DTensor> params_;
  std::vector<torch::Tensor> params_;
  // CHECK: std::unordered_map<c10::TensorImpl*, vs::DTensor> state_;
  std::unordered_map<c10::TensorImpl*, torch::Tensor> state_;
};

void train(torch::nn::Module& net, int step) {
  // CHECK: std::vector<vs::optim::OptimizerParamGroup> groups{net.parameters()};
  std::vector<torch::optim::OptimizerParamGroup> groups{net.parameters()};
  // CHECK: vs::optim::Adam adam(net.parameters(), vs::optim::AdamOptions(1e-3));
  torch::optim::Adam adam(net.parameters(), torch::optim::AdamOptions(1e-3));
  // CHECK: vs::optim::SGD sgd(net.parameters(), vs::optim::SGDOptions(0.1).momentum(0.9));
  torch::optim::SGD sgd(net.parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
  // CHECK: for (auto& group : adam.param_groups()) group.options().set_lr(1e-3 / (1 + step));
  for (auto& group : adam.param_groups()) group.options().set_lr(1e-3 / (1 + step));
  // CHECK: for (auto& group : sgd.param_groups()) static_cast<vs::optim::SGDOptions&>(group.options()).lr() *= 0.5;
  for (auto& group : sgd.param_groups()) static_cast<torch::optim::SGDOptions&>(group.options()).lr() *= 0.5;
  // CHECK: std::unique_ptr<vs::optim::Optimizer> any = std::make_unique<vs::optim::Adam>(net.parameters(), vs::optim::AdamOptions());
  std::unique_ptr<torch::optim::Optimizer> any = std::make_unique<torch::optim::Adam>(net.parameters(), torch::optim::AdamOptions());
  any->zero_grad();
  any->step();
  Momentum(net.parameters()).step();
}
