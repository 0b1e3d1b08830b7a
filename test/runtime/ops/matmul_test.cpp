// Matrix products: contracted, batched and added factors.
#include "op_sweep.h"

namespace vescale::test {
namespace {

using Tensors = std::vector<at::Tensor>;
#define SWEEP(name, inputs, ...)                                                       \
  TEST(Matmul, name) {                                                                 \
    EXPECT_GT(sweep(op_case(#name, inputs, [](auto& x) { return __VA_ARGS__; })), 0u); \
  }

SWEEP(mm, (Tensors{values({5, 7}), values({7, 3}, 2)}), mm(x[0], x[1]))
SWEEP(mv, (Tensors{values({5, 7}), values({7}, 2)}), mv(x[0], x[1]))
SWEEP(dot, (Tensors{values({7}), values({7}, 2)}), dot(x[0], x[1]))
SWEEP(outer, (Tensors{values({5}), values({7}, 2)}), outer(x[0], x[1]))
SWEEP(bmm, (Tensors{values({3, 5, 4}), values({3, 4, 2}, 2)}), bmm(x[0], x[1]))
SWEEP(matmul_3d_2d, (Tensors{values({3, 5, 4}), values({4, 2}, 2)}), matmul(x[0], x[1]))
SWEEP(matmul_1d_2d, (Tensors{values({4}), values({4, 5}, 2)}), matmul(x[0], x[1]))
SWEEP(matmul_broadcast, (Tensors{values({2, 1, 3, 4}), values({3, 4, 2}, 2)}), matmul(x[0], x[1]))
SWEEP(addmm, (Tensors{values({3}), values({5, 7}, 2), values({7, 3}, 3)}), addmm(x[0], x[1], x[2], 0.5, 2))
SWEEP(baddbmm, (Tensors{values({3, 5, 2}), values({3, 5, 4}, 2), values({3, 4, 2}, 3)}),
      baddbmm(x[0], x[1], x[2]))
SWEEP(linear, (Tensors{values({2, 5, 7}), values({3, 7}, 2)}), linear(x[0], x[1]))
SWEEP(linear_bias, (Tensors{values({5, 7}), values({3, 7}, 2), values({3}, 3)}), linear(x[0], x[1], x[2]))
SWEEP(linear_one_row, (Tensors{values({1, 6}), values({3, 6}, 2), values({3}, 3)}), linear(x[0], x[1], x[2]))
SWEEP(einsum, (Tensors{values({3, 5, 4}), values({3, 2, 4}, 2)}),
      einsum("bik,bjk->bij", std::vector{x[0], x[1]}))
SWEEP(einsum_sum, (Tensors{values({5, 4}), values({4, 3}, 2)}), einsum("ik,kj->j", std::vector{x[0], x[1]}))

}  // namespace
}  // namespace vescale::test
