/// scaled_dot_product_attention: batch and heads shard; queries too, where no triangle ties them to keys.
#include <algorithm>

#include <vescale/error.h>

#include "Sharding/Rules/Families.h"

namespace vescale::sharding::rules {

std::optional<ShardingRule> attention(const Call& call, const Traits&) {
  const int q = call.required("query");
  const int k = call.required("key");
  const int v = call.required("value");
  const auto batch_of = [&](int tensor) {
    const Sizes& sizes = call.sizes(tensor);
    if (sizes.size() < 2) throw Error("scaled_dot_product_attention: operands must have 2 or more dims");
    return Sizes(sizes.begin(), sizes.end() - 2);
  };
  const bool grouped = call.boolean("enable_gqa").value_or(false) && call.sizes(q).size() >= 3;
  Builder builder(call);
  Dims q_batch;
  Dims k_batch;
  Dims v_batch;
  if (grouped) {
    // Several query heads share a head of keys and values: [b..., h g] with [b..., h].
    const Sizes query = batch_of(q);
    const Sizes key = batch_of(k);
    if (key.size() != query.size() || batch_of(v) != key) return std::nullopt;
    if (key.back() == unknown_size || query.back() == unknown_size || key.back() == 0) return std::nullopt;
    q_batch = builder.factors(query);
    for (std::size_t d = 0; d < key.size(); ++d) {
      if (d + 1 < key.size()) builder.learn(q_batch[d].front(), key[d]);
    }
    const int heads = builder.factor(key.back());
    q_batch.back() = {heads};
    if (query.back() != key.back())
      q_batch.back().push_back(builder.factor(query.back() / key.back(), false));
    k_batch = q_batch;
    k_batch.back() = {heads};
    v_batch = k_batch;
  } else {
    Broadcast joined = broadcast(builder, {batch_of(q), batch_of(k), batch_of(v)}, call.name());
    if (joined.inputs[0].size() != joined.output.size()) return std::nullopt;
    q_batch = std::move(joined.inputs[0]);
    k_batch = std::move(joined.inputs[1]);
    v_batch = std::move(joined.inputs[2]);
    if (q_batch != joined.output) return std::nullopt;  // the result broadcasts beyond the query
  }
  const bool causal = call.boolean("is_causal").value_or(false);
  const DimFactors queries{builder.factor(call.sizes(q).end()[-2], !causal)};
  const DimFactors keys = builder.fixed(call.sizes(k).end()[-2]);
  const DimFactors depth = builder.fixed(call.sizes(q).back());
  const DimFactors width{builder.factor(call.sizes(v).back())};
  builder.learn(keys.front(), call.sizes(v).end()[-2]);
  builder.learn(depth.front(), call.sizes(k).back());
  builder.input(q, concat({q_batch, {queries, depth}}));
  builder.input(k, concat({k_batch, {keys, depth}}));
  builder.input(v, concat({v_batch, {keys, width}}));
  if (const std::optional<int> mask = call.tensor("attn_mask")) {
    builder.input(*mask,
                  broadcast_to(builder, call.sizes(*mask), concat({q_batch, {queries, keys}}), call.name()));
  }
  // LibTorch divides by the number of heads, empty or not.
  builder.never(0, Dims{queries, width});
  if (!q_batch.empty()) builder.never(0, q_batch.back());
  builder.output(concat({q_batch, {queries, width}}));
  builder.linear(Linearity::Multilinear, {v});
  return std::move(builder).finish();
}

}  // namespace vescale::sharding::rules
