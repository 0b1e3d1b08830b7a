// RUN: %check_rewrite
// A tensor's memory is read by host code alone; from_blob makes a host tensor, which converts where it meets others.
#include <torch/torch.h>
#include <vescale/annotate.h>

#include <vector>

// CHECK: void fill(torch::Tensor x) {
VESCALE_HOST void fill(torch::Tensor x) {
  // CHECK: auto rows = x.accessor<float, 2>();
  auto rows = x.accessor<float, 2>();
  // CHECK: rows[0][0] = 1;
  rows[0][0] = 1;
  // CHECK: x.data_ptr<float>()[1] = 2;
  x.data_ptr<float>()[1] = 2;
}

torch::Tensor f(torch::Tensor x) {
  std::vector<float> values{1, 2};
  // CHECK: vs::DTensor host = torch::from_blob(values.data(), {2}, torch::kFloat);
  torch::Tensor host = torch::from_blob(values.data(), {2}, torch::kFloat);
  // CHECK: torch::Tensor table = torch::zeros({2, 2});
  VESCALE_HOST torch::Tensor table = torch::zeros({2, 2});
  // CHECK: fill(table);
  fill(table);
  // CHECK: return vs::matmul(x, table) + host + torch::from_blob(values.data(), {2}).clone();
  return torch::matmul(x, table) + host + torch::from_blob(values.data(), {2}).clone();
}
