// Ops of networks: norms, convolutions, pooling, lookups, attention.
#include "op_sweep.h"

namespace vescale::test {
namespace {

using Tensors = std::vector<at::Tensor>;
#define SWEEP(name, inputs, ...)                                                       \
  TEST(Network, name) {                                                                \
    EXPECT_GT(sweep(op_case(#name, inputs, [](auto& x) { return __VA_ARGS__; })), 0u); \
  }
const auto images = [] { return Tensors{values({3, 4, 5, 5}), values({4}, 2), values({4}, 3)}; };

SWEEP(layer_norm, (Tensors{values({3, 5, 4}), values({4}, 2), values({4}, 3)}),
      layer_norm(x[0], {4}, x[1], x[2]))
SWEEP(layer_norm_plain, (Tensors{values({3, 5, 4})}), layer_norm(x[0], {5, 4}))
SWEEP(group_norm, images(), group_norm(x[0], 2, x[1], x[2]))
SWEEP(batch_norm_train, images(), batch_norm(x[0], x[1], x[2], {}, {}, true, 0.1, 1e-5, false))
SWEEP(conv2d, (Tensors{values({3, 4, 5, 5}), values({6, 4, 3, 3}, 2), values({6}, 3)}),
      conv2d(x[0], x[1], x[2], 1, 1))
SWEEP(conv1d, (Tensors{values({3, 4, 7}), values({6, 4, 3}, 2)}), conv1d(x[0], x[1]))
SWEEP(conv2d_groups, (Tensors{values({3, 4, 5, 5}), values({4, 2, 3, 3}, 2)}),
      conv2d(x[0], x[1], {}, 1, 1, 1, 2))
SWEEP(conv_transpose2d, (Tensors{values({3, 4, 5, 5}), values({4, 6, 3, 3}, 2)}),
      conv_transpose2d(x[0], x[1]))
SWEEP(max_pool2d, (Tensors{values({3, 4, 6, 6})}), max_pool2d(x[0], 2))
SWEEP(avg_pool2d, (Tensors{values({3, 4, 6, 6})}), avg_pool2d(x[0], 2))
SWEEP(adaptive_avg_pool2d, (Tensors{values({3, 4, 6, 6})}), adaptive_avg_pool2d(x[0], {2, 3}))
SWEEP(embedding, (Tensors{values({7, 3}), integers(7, {4, 5})}), embedding(x[0], x[1]))
SWEEP(embedding_padding, (Tensors{values({7, 3}), integers(7, {4, 5})}), embedding(x[0], x[1], 2))
SWEEP(index_select, (Tensors{values({7, 3}), integers(7, {4})}), x[0].index_select(0, x[1]))
SWEEP(gather, (Tensors{values({5, 7}), integers(7, {5, 2})}), x[0].gather(1, x[1]))
SWEEP(sdpa, (Tensors{values({2, 4, 5, 3}), values({2, 4, 5, 3}, 2), values({2, 4, 5, 3}, 3)}),
      scaled_dot_product_attention(x[0], x[1], x[2]))
SWEEP(sdpa_causal, (Tensors{values({2, 4, 5, 3}), values({2, 4, 5, 3}, 2), values({2, 4, 5, 3}, 3)}),
      scaled_dot_product_attention(x[0], x[1], x[2], {}, 0.0, true))
SWEEP(prelu, (Tensors{values({3, 4, 2}), values({4}, 2)}), prelu(x[0], x[1]))
SWEEP(no_rule, (Tensors{values({5, 3})}), x[0].renorm(2, 0, 1))

}  // namespace
}  // namespace vescale::test
