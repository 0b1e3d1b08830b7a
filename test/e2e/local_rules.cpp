// Trains a small classifier whose distances, gate and normalisation are functions of plain tensors under
// sharding rules: a kernel over raw memory, a custom autograd Function, and one with two results and an
// optional argument.
#include <torch/torch.h>
#include <vescale/annotate.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <tuple>

VESCALE_MESH(dp, tp)

// Only called by functions under a rule, so it stays plain too.
torch::Tensor squares(const torch::Tensor& x) { return (x * x).sum(-1); }

VESCALE_RULE("(n d!, m d!) -> n m")
torch::Tensor distances(const torch::Tensor& x, const torch::Tensor& y) {
  return squares(x).unsqueeze(1) + squares(y).unsqueeze(0) - 2 * torch::mm(x, y.t());
}

// Values by a loop over memory, which nothing but a rule can describe.
struct VESCALE_RULE("(n d) -> n d") Gate : torch::autograd::Function<Gate> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, torch::Tensor x, double slope) {
    context->saved_data["slope"] = slope;
    x = x.contiguous();
    context->save_for_backward({x});
    torch::Tensor y = torch::empty_like(x);
    const double* from = x.data_ptr<double>();
    double* to = y.data_ptr<double>();
    for (int64_t i = 0; i < x.numel(); ++i) to[i] = from[i] > 0 ? from[i] : slope * from[i];
    return y;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const torch::Tensor x = context->get_saved_variables()[0];
    const double slope = context->saved_data["slope"].toDouble();
    return {torch::where(x > 0, gradients[0], gradients[0] * slope), torch::Tensor()};
  }
};

VESCALE_RULE("(... d!, d?) -> (... d, ...)")
std::tuple<torch::Tensor, torch::Tensor> normalised(torch::Tensor x,
                                                    std::optional<torch::Tensor> scale = {}) {
  const torch::Tensor size = x.pow(2).mean(-1) + 1e-3;
  x = x / size.sqrt().unsqueeze(-1);
  return std::make_tuple(scale ? x * *scale : x, size);
}

struct NetImpl : torch::nn::Module {
  NetImpl() {
    up = register_module("up", torch::nn::Linear(6, 10));
    down = register_module("down", torch::nn::Linear(10, 6));
    scale = register_parameter("scale", torch::ones({6}));
    centers = register_parameter("centers", torch::randn({5, 6}));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = std::get<0>(normalised(x));
    auto [h, size] = normalised(down(Gate::apply(up(x), 0.1)), scale);
    return -distances(h, centers) - 0.01 * size.unsqueeze(1);
  }
  VESCALE_PLACE("weight: tp=S(0); bias: tp=S(0)") torch::nn::Linear up { nullptr };
  VESCALE_PLACE("weight: tp=S(1)") torch::nn::Linear down { nullptr };
  torch::Tensor scale, centers;
};
TORCH_MODULE(Net);

int main(int argc, char** argv) {
  int steps = 5;
  std::string save;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--steps") steps = std::stoi(argv[i + 1]);
    if (name == "--save") save = argv[i + 1];
  }
  torch::manual_seed(3);
  Net net;
  net->to(torch::kFloat64);
  VESCALE_PLACE("dp=S(0)") torch::Tensor x = torch::randn({7, 6}, torch::kFloat64);
  VESCALE_PLACE("dp=S(0)") torch::Tensor y = torch::randint(5, {7});
  torch::optim::SGD optimizer(net->parameters(), torch::optim::SGDOptions(0.05));
  for (int step = 0; step < steps; ++step) {
    optimizer.zero_grad();
    auto loss = torch::nn::functional::cross_entropy(net->forward(x), y);
    loss.backward();
    optimizer.step();
    std::printf("step %d loss %.15g\n", step, loss.item<double>());
  }
  if (!save.empty()) torch::save(net, save);
  return 0;
}
