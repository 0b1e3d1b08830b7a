// Losses over sharded batches and classes, every reduction.
#include "op_sweep.h"

namespace vescale::test {
namespace {

using Tensors = std::vector<at::Tensor>;

/// Targets with ignored entries; the first samples, which are one rank's, are all ignored.
at::Tensor targets(std::int64_t classes, std::initializer_list<std::int64_t> sizes) {
  at::Tensor t = integers(classes, sizes, 5);
  t.view({-1}).narrow(0, 0, 2).fill_(-100);
  return t;
}

class Reductions : public ::testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(Loss, Reductions, ::testing::Values(0, 1, 2));

#define SWEEP(name, inputs, ...)                                                        \
  TEST_P(Reductions, name) {                                                            \
    const std::int64_t r = GetParam();                                                  \
    EXPECT_GT(sweep(op_case(#name, inputs, [r](auto& x) { return __VA_ARGS__; })), 0u); \
  }

SWEEP(mse, (Tensors{values({5, 3}), values({5, 3}, 2)}), mse_loss(x[0], x[1], r))
SWEEP(l1, (Tensors{values({5, 3}), values({5, 3}, 2)}), l1_loss(x[0], x[1], r))
SWEEP(smooth_l1, (Tensors{values({5, 3}), values({5, 3}, 2)}), smooth_l1_loss(x[0], x[1], r, 1.0))
SWEEP(huber, (Tensors{values({5, 3}), values({5, 3}, 2)}), huber_loss(x[0], x[1], r, 0.7))
SWEEP(bce_logits, (Tensors{values({5, 3}), values({5, 3}, 2).sigmoid()}),
      binary_cross_entropy_with_logits(x[0], x[1], {}, {}, r))
SWEEP(kl_div, (Tensors{values({5, 3}), values({5, 3}, 2).softmax(1)}), kl_div(x[0], x[1], r))
SWEEP(nll, (Tensors{values({5, 3}).log_softmax(1), targets(3, {5})}), nll_loss(x[0], x[1], {}, r, -100))
SWEEP(cross_entropy, (Tensors{values({5, 7}), targets(7, {5})}),
      cross_entropy_loss(x[0], x[1], {}, r, -100, 0.0))
SWEEP(cross_entropy_smoothing, (Tensors{values({5, 7}), targets(7, {5})}),
      cross_entropy_loss(x[0], x[1], {}, r, -100, 0.1))
SWEEP(cross_entropy_weight, (Tensors{values({5, 7}), targets(7, {5})}),
      cross_entropy_loss(x[0], x[1], x[0].detach().slice(0, 0, 1).reshape({-1}).abs() + 0.5, r, -100, 0.1))
SWEEP(cross_entropy_image, (Tensors{values({2, 5, 3}), targets(5, {2, 3})}),
      cross_entropy_loss(x[0], x[1], {}, r, -100, 0.1))
SWEEP(cross_entropy_probabilities, (Tensors{values({5, 7}), values({5, 7}, 2).softmax(1)}),
      cross_entropy_loss(x[0], x[1], {}, r, -100, 0.1))

}  // namespace
}  // namespace vescale::test
