// RUN: %check_all_rewritten
// The type of auto follows from what is rewritten; vectors, tuples and std::any of tensors hold DTensors.
#include <torch/torch.h>

#include <any>
#include <vector>

// CHECK: std::vector<vs::DTensor> pieces(const vs::DTensor& x) {
std::vector<torch::Tensor> pieces(const torch::Tensor& x) {
  // CHECK: auto parts = x.chunk(2, 0);
  auto parts = x.chunk(2, 0);
  // CHECK: const auto& first = parts[0];
  const auto& first = parts[0];
  // CHECK: auto&& second = parts.at(1);
  auto&& second = parts.at(1);
  // CHECK: decltype(auto) both = vs::cat({first, second});
  decltype(auto) both = torch::cat({first, second});
  // CHECK: parts.emplace_back(both);
  parts.emplace_back(both);
  return parts;
}

torch::Tensor from_any(const std::any& value) {
  // CHECK: if (value.type() != typeid(vs::DTensor)) return vs::DTensor();
  if (value.type() != typeid(torch::Tensor)) return torch::Tensor();
  // CHECK: return std::any_cast<vs::DTensor>(value);
  return std::any_cast<torch::Tensor>(value);
}

torch::Tensor use() {
  // CHECK: std::any kept = vs::DTensor(vs::ones({2}));
  std::any kept = torch::Tensor(torch::ones({2}));
  // CHECK: const std::any list = std::vector<vs::DTensor>{vs::ones({2})};
  const std::any list = std::vector<torch::Tensor>{torch::ones({2})};
  // CHECK: return from_any(kept) + std::any_cast<const std::vector<vs::DTensor>&>(list).front();
  return from_any(kept) + std::any_cast<const std::vector<torch::Tensor>&>(list).front();
}
