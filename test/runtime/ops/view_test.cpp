// Views: the factors that dims are split into and merged from.
#include "op_sweep.h"

namespace vescale::test {
namespace {

using Tensors = std::vector<at::Tensor>;
#define SWEEP(name, inputs, ...)                                                       \
  TEST(View, name) {                                                                   \
    EXPECT_GT(sweep(op_case(#name, inputs, [](auto& x) { return __VA_ARGS__; })), 0u); \
  }
const auto matrix = [] { return Tensors{values({12, 8})}; };
const auto cube = [] { return Tensors{values({4, 3, 6})}; };

SWEEP(view_16_6, matrix(), x[0].view({16, 6}))
SWEEP(view_flat, matrix(), x[0].view({-1}))
SWEEP(view_uneven_flat_and_back, (Tensors{values({6, 32})}), x[0].view({-1}).view({6, 32}) * 2)
SWEEP(reshape_split, matrix(), x[0].reshape({3, 4, 2, 4}))
SWEEP(reshape_merge, cube(), x[0].reshape({12, 6}))
SWEEP(flatten, cube(), x[0].flatten(1))
SWEEP(unflatten, matrix(), x[0].unflatten(0, {3, 4}))
SWEEP(permute, cube(), x[0].permute({2, 0, 1}))
SWEEP(transpose, cube(), x[0].transpose(0, 2))
SWEEP(t, matrix(), x[0].t())
SWEEP(transposed_reshape, matrix(), x[0].t().reshape({4, 24}))
SWEEP(squeeze, (Tensors{values({4, 1, 6})}), x[0].squeeze(1))
SWEEP(squeeze_all, (Tensors{values({4, 1, 1})}), x[0].squeeze())
SWEEP(unsqueeze, matrix(), x[0].unsqueeze(1))
SWEEP(expand, (Tensors{values({4, 1, 6})}), x[0].expand({4, 5, 6}))
SWEEP(expand_front, matrix(), x[0].expand({2, 12, 8}))
SWEEP(slice, matrix(), x[0].slice(0, 2, 9, 2))
SWEEP(narrow, cube(), x[0].narrow(1, 1, 2))
SWEEP(select, cube(), x[0].select(1, 2))
SWEEP(index_integer, cube(), x[0][1])
SWEEP(split, cube(), x[0].split(2, 2))
SWEEP(split_uneven, matrix(), x[0].split(5, 0))
SWEEP(chunk, cube(), x[0].chunk(3, 2))
SWEEP(unbind, cube(), x[0].unbind(1))
SWEEP(cat, (Tensors{values({4, 3}), values({2, 3}, 2)}), cat(std::vector{x[0], x[1]}, 0))
SWEEP(stack, (Tensors{values({4, 3}), values({4, 3}, 2)}), stack(std::vector{x[0], x[1]}, 1))
SWEEP(repeat, matrix(), x[0].repeat({2, 1}))
SWEEP(flip, cube(), x[0].flip({1}))
SWEEP(roll, matrix(), x[0].roll(2, 0))
SWEEP(pad, matrix(), constant_pad_nd(x[0], {1, 2}, 0.5))
SWEEP(tril, matrix(), x[0].tril())
SWEEP(diagonal, matrix(), x[0].diagonal())
SWEEP(contiguous, matrix(), x[0].t().contiguous())

}  // namespace
}  // namespace vescale::test
