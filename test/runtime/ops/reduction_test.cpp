// Reductions over sharded and whole dims, uneven and empty pieces.
#include "op_sweep.h"

namespace vescale::test {
namespace {

using Tensors = std::vector<at::Tensor>;
#define SWEEP(name, inputs, ...)                                                       \
  TEST(Reduction, name) {                                                              \
    EXPECT_GT(sweep(op_case(#name, inputs, [](auto& x) { return __VA_ARGS__; })), 0u); \
  }
const auto uneven = [] { return Tensors{values({3, 4})}; };
const auto one_row = [] { return Tensors{values({1, 4})}; };
const auto deep = [] { return Tensors{values({2, 5, 3})}; };

SWEEP(sum_all, uneven(), x[0].sum())
SWEEP(sum_dim, deep(), x[0].sum(1))
SWEEP(sum_dims_keep, deep(), x[0].sum(at::IntArrayRef({0, 2}), true))
SWEEP(mean_all, uneven(), x[0].mean())
SWEEP(mean_one_row, one_row(), x[0].mean())
SWEEP(mean_dim, deep(), x[0].mean(1))
SWEEP(mean_keep, deep(), x[0].mean(at::IntArrayRef({0}), true))
SWEEP(var_all, uneven(), x[0].var())
SWEEP(var_one_row, one_row(), x[0].var())
SWEEP(var_dim, deep(), var(x[0], {1}, true, true))
SWEEP(std_all, uneven(), x[0].std())
SWEEP(std_dim, deep(), std(x[0], {1}, false))
SWEEP(var_mean, deep(), var_mean(x[0], {1}, true))
SWEEP(softmax_0, uneven(), x[0].softmax(0))
SWEEP(softmax_1, one_row(), x[0].softmax(1))
SWEEP(log_softmax, deep(), x[0].log_softmax(-1))
SWEEP(logsumexp, deep(), x[0].logsumexp(1))
SWEEP(amax, deep(), x[0].amax(1))
SWEEP(max_dim, deep(), x[0].max(2))
SWEEP(max_all, uneven(), x[0].max())
SWEEP(min_all, one_row(), x[0].min())
SWEEP(argmax, deep(), x[0].argmax(1).to(at::kDouble))
SWEEP(prod, uneven(), x[0].prod(1))
SWEEP(cumsum, deep(), x[0].cumsum(1))
SWEEP(norm, uneven(), x[0].norm())
SWEEP(norm_1, uneven(), x[0].norm(1))
SWEEP(norm_3_dim, deep(), x[0].norm(3, {1}, true))
SWEEP(norm_inf, uneven(), linalg_vector_norm(x[0], std::numeric_limits<double>::infinity()))
SWEEP(sort, deep(), x[0].sort(1))
SWEEP(topk, deep(), x[0].topk(2, 1))
SWEEP(any, uneven(), (x[0] > 0).any(1).to(at::kDouble))

}  // namespace
}  // namespace vescale::test
