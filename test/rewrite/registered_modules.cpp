// RUN: %check_all_rewritten
// Modules registered in every way keep their names: holders, shared pointers, values, buffers and parameters.
#include <torch/torch.h>
#include <vescale/annotate.h>
VESCALE_MESH(tp)

// CHECK: struct NormImpl : vs::nn::Module {
struct NormImpl : torch::nn::Module {
  explicit NormImpl(int d, double eps = 1e-5) : eps_(eps) {
    // CHECK: gain = register_parameter("gain", vs::ones({d}));
    gain = register_parameter("gain", torch::ones({d}));
    // CHECK: bias = register_parameter("bias", vs::zeros({d}), /*requires_grad=*/false);
    bias = register_parameter("bias", torch::zeros({d}), /*requires_grad=*/false);
    // CHECK: mean = register_buffer("running_mean", vs::zeros({d}));
    mean = register_buffer("running_mean", torch::zeros({d}));
  }
  // CHECK: vs::DTensor forward(vs::DTensor x) { return (x - mean) * gain + bias + eps_; }
  torch::Tensor forward(torch::Tensor x) { return (x - mean) * gain + bias + eps_; }
  // CHECK: vs::DTensor gain, bias, mean;
  torch::Tensor gain, bias, mean;
  double eps_;
};
// CHECK: VS_MODULE(Norm);
TORCH_MODULE(Norm);

// CHECK: struct PlainModule : vs::nn::Module {
struct PlainModule : torch::nn::Module {
  // CHECK: vs::DTensor forward(const vs::DTensor& x) { return vs::tanh(x); }
  torch::Tensor forward(const torch::Tensor& x) { return torch::tanh(x); }
};

// CHECK: class NetImpl : public vs::nn::Module {
class NetImpl : public torch::nn::Module {
 public:
  // CHECK: NetImpl() : norm(4), act(std::make_shared<PlainModule>()) {
  NetImpl() : norm(4), act(std::make_shared<PlainModule>()) {
    // CHECK: register_module("norm", norm);
    register_module("norm", norm);
    // CHECK: register_module("act", act);
    register_module("act", act);
    // CHECK: fc = register_module("fc", std::make_shared<vs::nn::LinearImpl>(4, 4));
    fc = register_module("fc", std::make_shared<torch::nn::LinearImpl>(4, 4));
    // CHECK: body = register_module("body", vs::nn::Sequential(vs::nn::Linear(4, 8), vs::nn::ReLU(), vs::nn::Dropout(0.1), vs::nn::Linear(8, 4)));
    body = register_module("body", torch::nn::Sequential(torch::nn::Linear(4, 8), torch::nn::ReLU(), torch::nn::Dropout(0.1), torch::nn::Linear(8, 4)));
    // CHECK: for (int i = 0; i < 2; ++i) layers->push_back(vs::nn::Linear(4, 4));
    for (int i = 0; i < 2; ++i) layers->push_back(torch::nn::Linear(4, 4));
    // CHECK: register_module("layers", layers);
    register_module("layers", layers);
    // CHECK: std::shared_ptr<vs::nn::Module> base = fc;
    std::shared_ptr<torch::nn::Module> base = fc;
    // CHECK: extra.push_back(register_module("extra", vs::nn::Linear(4, 4)));
    extra.push_back(register_module("extra", torch::nn::Linear(4, 4)));
  }
  torch::Tensor forward(torch::Tensor x) {
    // CHECK: x = body->forward(fc->forward(act->forward(norm(x))));
    x = body->forward(fc->forward(act->forward(norm(x))));
    // CHECK: for (auto& layer : *layers) x = layer->as<vs::nn::Linear>()->forward(x);
    for (auto& layer : *layers) x = layer->as<torch::nn::Linear>()->forward(x);
    // CHECK: for (std::size_t i = 0; i < layers->size(); ++i) x = layers[i]->as<vs::nn::LinearImpl>()->forward(x);
    for (std::size_t i = 0; i < layers->size(); ++i) x = layers[i]->as<torch::nn::LinearImpl>()->forward(x);
    // CHECK: x = layers->at<vs::nn::LinearImpl>(0).forward(x);
    x = layers->at<torch::nn::LinearImpl>(0).forward(x);
    // CHECK: return extra.front()->forward(x);
    return extra.front()->forward(x);
  }

 private:
  Norm norm;
  std::shared_ptr<PlainModule> act;
  // CHECK: std::shared_ptr<vs::nn::LinearImpl> fc;
  std::shared_ptr<torch::nn::LinearImpl> fc;
  // CHECK: vs::nn::Sequential body{nullptr};
  torch::nn::Sequential body{nullptr};
  // CHECK: vs::nn::ModuleList layers;
  torch::nn::ModuleList layers;
  // CHECK: std::vector<vs::nn::Linear> extra;
  std::vector<torch::nn::Linear> extra;
};
TORCH_MODULE(Net);

torch::Tensor by_value(torch::Tensor x) {
  PlainModule module;
  Net net;
  // CHECK: return module.forward(net(x));
  return module.forward(net(x));
}
