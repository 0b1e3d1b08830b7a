// Pointwise ops, with and without broadcasting, linear and not.
#include "op_sweep.h"

namespace vescale::test {
namespace {

#define SWEEP(name, inputs, ...)                                                       \
  TEST(Pointwise, name) {                                                              \
    EXPECT_GT(sweep(op_case(#name, inputs, [](auto& x) { return __VA_ARGS__; })), 0u); \
  }
using Tensors = std::vector<at::Tensor>;
const auto one = [] { return Tensors{values({5, 3})}; };
const auto two = [] { return Tensors{values({5, 3}), values({5, 3}, 2)}; };
const auto broadcast = [] { return Tensors{values({2, 5, 3}), values({5, 1}, 2)}; };
const auto empty = [] { return Tensors{values({1, 3}), values({1, 3}, 2)}; };

SWEEP(relu, one(), x[0].relu())
SWEEP(gelu, one(), gelu(x[0]))
SWEEP(tanh, one(), x[0].tanh())
SWEEP(neg, one(), -x[0])
SWEEP(exp, one(), x[0].exp())
SWEEP(clone, one(), x[0].clone())
SWEEP(mul_scalar, one(), x[0] * 2.5)
SWEEP(add_scalar, one(), x[0] + 2.5)
SWEEP(rsub_scalar, one(), 1.0 - x[0])
SWEEP(div_scalar, one(), x[0] / 3)
SWEEP(rdiv_scalar, one(), 3.0 / (x[0] + 10))
SWEEP(pow, one(), x[0].pow(2))
SWEEP(clamp, one(), x[0].clamp(-0.5, 0.5))
SWEEP(leaky_relu, one(), leaky_relu(x[0], 0.1))
SWEEP(softplus, one(), softplus(x[0]))
SWEEP(abs, one(), x[0].abs())
SWEEP(to_float, one(), x[0].to(at::kFloat).to(at::kDouble))
SWEEP(zeros_like, one(), zeros_like(x[0]) + x[0])
SWEEP(full_like, one(), full_like(x[0], 3) * x[0])
SWEEP(add, two(), x[0] + x[1])
SWEEP(sub_alpha, two(), x[0].sub(x[1], 2))
SWEEP(mul, two(), x[0] * x[1])
SWEEP(div, two(), x[0] / (x[1] + 5))
SWEEP(maximum, two(), maximum(x[0], x[1]))
SWEEP(where, two(), where(x[0] > 0, x[0], x[1]))
SWEEP(lerp, two(), x[0].lerp(x[1], 0.3))
SWEEP(atan2, two(), atan2(x[0], x[1]))
SWEEP(add_broadcast, broadcast(), x[0] + x[1])
SWEEP(mul_broadcast, broadcast(), x[0] * x[1])
SWEEP(sub_broadcast, broadcast(), x[1] - x[0])
SWEEP(masked_fill, broadcast(), x[0].masked_fill(x[1] > 0, 2))
SWEEP(add_empty_shards, empty(), x[0] + x[1])
SWEEP(mul_empty_shards, empty(), x[0] * x[1])
SWEEP(eq, two(), (x[0] == x[1]).to(at::kDouble))
SWEEP(addcmul, (Tensors{values({5, 3}), values({5, 3}, 2), values({5, 3}, 3)}),
      addcmul(x[0], x[1], x[2], 0.5))
SWEEP(mul_int, (Tensors{values({5, 3}), integers(4, {5, 3})}), x[0] * x[1])
SWEEP(inplace_mul_scalar, one(), (x[0] * 1).mul_(3))

}  // namespace
}  // namespace vescale::test
