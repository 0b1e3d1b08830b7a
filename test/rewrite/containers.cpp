// RUN: %check_rewrite
// Tensors in tuples, pairs, maps, optionals, arrays and functions; structured bindings and std::tie.
#include <torch/torch.h>

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <unordered_map>

// CHECK: std::tuple<vs::DTensor, vs::DTensor> two(vs::DTensor x) { return std::make_tuple(x, vs::relu(x)); }
std::tuple<torch::Tensor, torch::Tensor> two(torch::Tensor x) { return std::make_tuple(x, torch::relu(x)); }
// CHECK: using Named = std::map<std::string, vs::DTensor>;
using Named = std::map<std::string, torch::Tensor>;
// CHECK: typedef std::unordered_map<int, std::pair<vs::DTensor, float>> Scored;
typedef std::unordered_map<int, std::pair<torch::Tensor, float>> Scored;
// CHECK: std::function<vs::DTensor(const vs::DTensor&)> act = [](const vs::DTensor& x) { return vs::gelu(x); };
std::function<torch::Tensor(const torch::Tensor&)> act = [](const torch::Tensor& x) { return torch::gelu(x); };

// CHECK: vs::DTensor all(vs::DTensor x, std::optional<vs::DTensor> mask = std::nullopt) {
torch::Tensor all(torch::Tensor x, std::optional<torch::Tensor> mask = std::nullopt) {
  // CHECK: vs::DTensor a, b;
  torch::Tensor a, b;
  // CHECK: std::tie(a, b) = two(x);
  std::tie(a, b) = two(x);
  // CHECK: auto [c, d] = two(b);
  auto [c, d] = two(b);
  // CHECK: std::deque<vs::DTensor> queue{a, c};
  std::deque<torch::Tensor> queue{a, c};
  // CHECK: std::array<vs::DTensor, 2> pair{d, queue.front()};
  std::array<torch::Tensor, 2> pair{d, queue.front()};
  Named named{{"x", x}};
  Scored scored;
  // CHECK: scored[0] = std::pair<vs::DTensor, float>(pair[0], 0.5f);
  scored[0] = std::pair<torch::Tensor, float>(pair[0], 0.5f);
  // CHECK: for (const vs::DTensor& one : pair) x += act(one);
  for (const torch::Tensor& one : pair) x += act(one);
  // CHECK: for (auto& [name, value] : named) x = x + value;
  for (auto& [name, value] : named) x = x + value;
  if (mask) x = x + *mask;
  // CHECK: return vs::cat({x, scored.at(0).first, static_cast<vs::DTensor>(named.at("x"))}, 0);
  return torch::cat({x, scored.at(0).first, static_cast<torch::Tensor>(named.at("x"))}, 0);
}
