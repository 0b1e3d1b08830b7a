// RUN: %check_all_rewritten
// Classes of modules map one to one: typeid, dynamic_cast and as<T>() tell them apart as before.
#include <torch/torch.h>

#include <typeinfo>

// CHECK: void init(vs::nn::Module& module) {
void init(torch::nn::Module& module) {
  // CHECK: torch::NoGradGuard guard;
  torch::NoGradGuard guard;
  // CHECK: if (auto* linear = dynamic_cast<vs::nn::LinearImpl*>(&module)) vs::nn::init::normal_(linear->weight, 0.0, 0.02);
  if (auto* linear = dynamic_cast<torch::nn::LinearImpl*>(&module)) torch::nn::init::normal_(linear->weight, 0.0, 0.02);
  // CHECK: if (typeid(module) == typeid(vs::nn::EmbeddingImpl)) vs::nn::init::zeros_(module.as<vs::nn::Embedding>()->weight);
  if (typeid(module) == typeid(torch::nn::EmbeddingImpl)) torch::nn::init::zeros_(module.as<torch::nn::Embedding>()->weight);
  // CHECK: if (auto* relu = module.as<vs::nn::ReLUImpl>()) relu->eval();
  if (auto* relu = module.as<torch::nn::ReLUImpl>()) relu->eval();
}

// CHECK: void walk(const std::shared_ptr<vs::nn::Module>& net) {
void walk(const std::shared_ptr<torch::nn::Module>& net) {
  net->apply(init);
  // CHECK: net->apply([](vs::nn::Module& m) { m.train(false); });
  net->apply([](torch::nn::Module& m) { m.train(false); });
  // CHECK: for (auto& module : net->modules(/*include_self=*/false)) {
  for (auto& module : net->modules(/*include_self=*/false)) {
    // CHECK: auto linear = std::dynamic_pointer_cast<vs::nn::LinearImpl>(module);
    auto linear = std::dynamic_pointer_cast<torch::nn::LinearImpl>(module);
    // CHECK: if (linear) linear->bias.fill_(0);
    if (linear) linear->bias.fill_(0);
  }
}
