// RUN: %check_all_rewritten
// Walks over parameters by name see the names of the single device.
#include <torch/torch.h>

#include <map>

// CHECK: std::map<std::string, vs::DTensor> by_name(vs::nn::Module& net) {
std::map<std::string, torch::Tensor> by_name(torch::nn::Module& net) {
  // CHECK: std::map<std::string, vs::DTensor> result;
  std::map<std::string, torch::Tensor> result;
  // CHECK: for (auto& entry : net.named_parameters()) {
  for (auto& entry : net.named_parameters()) {
    // CHECK: if (entry.key().find("bias") == std::string::npos) result[entry.key()] = entry.value();
    if (entry.key().find("bias") == std::string::npos) result[entry.key()] = entry.value();
  }
  // CHECK: for (const auto& p : net.named_buffers(true)) result.emplace(p.key(), p.value().detach());
  for (const auto& p : net.named_buffers(true)) result.emplace(p.key(), p.value().detach());
  // CHECK: torch::OrderedDict<std::string, vs::DTensor> all = net.named_parameters();
  torch::OrderedDict<std::string, torch::Tensor> all = net.named_parameters();
  // CHECK: result["w"] = all["fc.weight"];
  result["w"] = all["fc.weight"];
  return result;
}
