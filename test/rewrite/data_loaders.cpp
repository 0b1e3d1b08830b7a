// RUN: %check_rewrite
// Data sets of one's own, transforms and loaders stay plain LibTorch; a batch converts where it is used.
#include <torch/torch.h>

// CHECK: struct Numbers : torch::data::datasets::Dataset<Numbers> {
struct Numbers : torch::data::datasets::Dataset<Numbers> {
  // CHECK: explicit Numbers(int n) : rows(torch::ones({n, 2})) {}
  explicit Numbers(int n) : rows(torch::ones({n, 2})) {}
  // CHECK: torch::data::Example<> get(std::size_t index) override { return {rows[static_cast<std::int64_t>(index)], label(index)}; }
  torch::data::Example<> get(std::size_t index) override { return {rows[static_cast<std::int64_t>(index)], label(index)}; }
  // CHECK: std::optional<std::size_t> size() const override { return 4; }
  std::optional<std::size_t> size() const override { return 4; }
  // CHECK: torch::Tensor label(std::size_t index) { return torch::zeros({1}) + static_cast<double>(index); }
  torch::Tensor label(std::size_t index) { return torch::zeros({1}) + static_cast<double>(index); }
  // CHECK: torch::Tensor rows;
  torch::Tensor rows;
};

// CHECK: vs::DTensor step(vs::DTensor x, vs::DTensor y) { return vs::nn::functional::mse_loss(x, y); }
torch::Tensor step(torch::Tensor x, torch::Tensor y) { return torch::nn::functional::mse_loss(x, y); }

void train() {
  // CHECK: auto set = Numbers(4).map(torch::data::transforms::Stack<>());
  auto set = Numbers(4).map(torch::data::transforms::Stack<>());
  // CHECK: auto loader = torch::data::make_data_loader(std::move(set), torch::data::DataLoaderOptions(2).workers(0));
  auto loader = torch::data::make_data_loader(std::move(set), torch::data::DataLoaderOptions(2).workers(0));
  // CHECK: for (auto& batch : *loader) {
  for (auto& batch : *loader) {
    // CHECK: auto x = batch.data.to(torch::kCPU);
    auto x = batch.data.to(torch::kCPU);
    // CHECK: vs::DTensor y = batch.target;
    torch::Tensor y = batch.target;
    // CHECK: step(x, y).backward();
    step(x, y).backward();
    // CHECK: step(batch.data, batch.target);
    step(batch.data, batch.target);
  }
}
