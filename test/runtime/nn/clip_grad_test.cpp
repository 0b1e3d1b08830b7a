// clip_grad_norm_ and clip_grad_value_ over parameters of mixed placements.
#include <limits>

#include "module_sweep.h"

namespace vescale::test {
namespace {

const PlacementTable table = {
    {"0.weight", "tp=S(0)"}, {"0.bias", "tp=S(0)"}, {"1.weight", "dp=S(0), tp=S(1)"}};

/// Norm and clipped gradients of a model of two layers.
template <class Module, class Tensor, class Clip>
std::pair<double, NamedTensors> clipped(Module& module, const Tensor& input, const Clip& clip) {
  module->to(torch::kDouble);
  (module->forward(input) * Tensor(values({5, 3}, 9))).sum().backward();
  const double norm = clip(module->parameters());
  NamedTensors gradients;
  for (const auto& item : module->named_parameters())
    gradients.emplace_back(item.key(), whole(item.value().grad()));
  return {norm, gradients};
}

template <class PlainClip, class Clip>
void compare_clips(const PlainClip& plain_clip, const Clip& clip) {
  torch::manual_seed(3);
  torch::nn::Sequential plain(torch::nn::Linear(6, 4), torch::nn::Linear(4, 3));
  const auto expected = clipped(plain, values({5, 6}), plain_clip);
  for (const std::string& mesh : meshes()) {
    run_ranks(MeshShape::parse(mesh),
              [&] {
                manual_seed(3);
                nn::Sequential model(nn::Linear(6, 4), nn::Linear(4, 3));
                distribute_module(model, table);
                const auto actual = clipped(model, redistribute(DTensor(values({5, 6})), "dp=S(0)"), clip);
                EXPECT_NEAR(actual.first, expected.first, 1e-9 * std::max(1.0, expected.first)) << mesh;
                compare(expected.second, actual.second, mesh + ": gradient");
              },
              {60});
  }
}

TEST(ClipGrad, norms) {
  for (double order : {1.0, 2.0, 3.0, std::numeric_limits<double>::infinity()}) {
    for (double most : {0.5, 1e6}) {
      compare_clips(
          [=](auto parameters) { return torch::nn::utils::clip_grad_norm_(parameters, most, order); },
          [=](auto parameters) { return nn::utils::clip_grad_norm_(parameters, most, order); });
    }
  }
}

TEST(ClipGrad, values) {
  compare_clips(
      [](auto parameters) {
        torch::nn::utils::clip_grad_value_(parameters, 0.3);
        return 0.0;
      },
      [](auto parameters) {
        nn::utils::clip_grad_value_(parameters, 0.3);
        return 0.0;
      });
}

TEST(ClipGrad, nonfinite) {
  nn::Linear linear(2, 2);
  (linear(DTensor(at::full({1, 2}, std::numeric_limits<float>::infinity())))).sum().backward();
  EXPECT_ANY_THROW(nn::utils::clip_grad_norm_(linear->parameters(), 1.0, 2.0, /*error_if_nonfinite=*/true));
}

}  // namespace
}  // namespace vescale::test
