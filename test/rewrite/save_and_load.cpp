// RUN: %check_all_rewritten
// Files are those of the plain program; loading by copy_, set_data and rebinding keeps what is registered.
#include <torch/torch.h>

#include <vector>

struct NetImpl : torch::nn::Module {
  // CHECK: NetImpl() { fc = register_module("fc", vs::nn::Linear(4, 4)); }
  NetImpl() { fc = register_module("fc", torch::nn::Linear(4, 4)); }
  // CHECK: vs::nn::Linear fc{nullptr};
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(Net);

// CHECK: void store(Net& net, vs::optim::Optimizer& optimizer) {
void store(Net& net, torch::optim::Optimizer& optimizer) {
  // CHECK: vs::save(net, "net.pt");
  torch::save(net, "net.pt");
  // CHECK: vs::load(net, "net.pt");
  torch::load(net, "net.pt");
  // CHECK: vs::save(net->fc->weight, "weight.pt");
  torch::save(net->fc->weight, "weight.pt");
  // CHECK: vs::save(std::vector<vs::DTensor>{net->fc->bias}, "list.pt");
  torch::save(std::vector<torch::Tensor>{net->fc->bias}, "list.pt");
  // CHECK: std::vector<vs::DTensor> tensors;
  std::vector<torch::Tensor> tensors;
  // CHECK: vs::load(tensors, "list.pt");
  torch::load(tensors, "list.pt");
  torch::NoGradGuard guard;
  // CHECK: for (auto& p : net->named_parameters()) p.value().copy_(tensors[0]);
  for (auto& p : net->named_parameters()) p.value().copy_(tensors[0]);
  // CHECK: net->fc->weight.set_data(tensors[0]);
  net->fc->weight.set_data(tensors[0]);
  // CHECK: net->fc->bias = tensors[0].clone().set_requires_grad(true);
  net->fc->bias = tensors[0].clone().set_requires_grad(true);
  optimizer.zero_grad();
}
