// RUN: %check_rewrite
// Data sets, what only they call, and what says so stay plain LibTorch.
#include <torch/torch.h>
#include <vescale/annotate.h>

// CHECK: torch::Tensor normalized(torch::Tensor x) { return x * 0.5; }
torch::Tensor normalized(torch::Tensor x) { return x * 0.5; }

// CHECK: class Numbers : public torch::data::datasets::Dataset<Numbers> {
class Numbers : public torch::data::datasets::Dataset<Numbers> {
 public:
  torch::data::Example<> get(std::size_t index) override {
    // CHECK: torch::Tensor row = normalized(rows_[static_cast<std::int64_t>(index)]);
    torch::Tensor row = normalized(rows_[static_cast<std::int64_t>(index)]);
    return {row, torch::zeros({1})};
  }

 private:
  // CHECK: torch::Tensor rows_ = torch::ones({8, 2});
  torch::Tensor rows_ = torch::ones({8, 2});
};

// CHECK: {{^}}torch::Tensor table() { return torch::ones({2}); }
VESCALE_HOST torch::Tensor table() { return torch::ones({2}); }

torch::Tensor use(Numbers& numbers) {
  // CHECK: {{^}}  torch::Tensor kept = torch::zeros({2});
  VESCALE_HOST torch::Tensor kept = torch::zeros({2});
  // CHECK: vs::DTensor x = numbers.get(0).data;
  torch::Tensor x = numbers.get(0).data;
  // CHECK: return x + table() + kept;
  return x + table() + kept;
}
