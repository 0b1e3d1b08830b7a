#include <torch/torch.h>
#include <vescale/annotate.h>

#include <cstdio>

VESCALE_MESH(dp)

int main() {
  torch::manual_seed(3);
  VESCALE_PLACE("dp=S(0)") torch::Tensor x = torch::randn({6, 4}, torch::kFloat64);
  auto total = torch::relu(x).sum();
  std::printf("%.10f\n", total.item<double>());
  return 0;
}
