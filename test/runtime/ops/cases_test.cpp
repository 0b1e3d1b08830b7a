// Whole cases in which sharded programs have gone wrong: packed projections and tied tables.
#include "op_sweep.h"

namespace vescale::test {
namespace {

/// Runs `body` on plain tensors and on DTensors whose first leaf is placed as `placements`, on `mesh_text`.
template <class Body>
void check_case(const char* mesh_text, const char* placements, const at::Tensor& weight, const at::Tensor& x,
                const char* x_placements, const Body& body) {
  const at::Tensor plain_weight = weight.detach().clone().requires_grad_();
  const at::Tensor plain = body(plain_weight, x);
  plain.backward();
  run_ranks(MeshShape::parse(mesh_text), [&] {
    DTensor w = redistribute(DTensor(weight), placements).detach();
    w.set_requires_grad(true);
    const DTensor loss = body(w, redistribute(DTensor(x), x_placements));
    loss.backward();
    EXPECT_NEAR(loss.item<double>(), plain.item<double>(), 1e-11) << mesh_text << " " << placements;
    EXPECT_TRUE(at::allclose(w.grad().full(), plain_weight.grad(), 1e-10, 1e-11))
        << mesh_text << " " << placements;
  });
}

TEST(Cases, PackedQueryKeyValue) {
  constexpr std::int64_t h = 8;
  auto attention = [](const auto& w, const auto& x) {
    auto parts = linear(x, w).chunk(3, -1);
    auto scores = matmul(parts[0], parts[1].transpose(-2, -1)).softmax(-1);
    return matmul(scores, parts[2]).pow(2).mean();
  };
  const at::Tensor w = values({3 * h, h}), x = values({2, 5, h}, 2);
  for (const char* mesh : {"tp=1", "tp=2", "tp=4"}) {
    check_case(mesh, "tp=S(0,3)", w, x, "tp=R", attention);
    // A contiguous split does not hold whole thirds; it must be converted, not chunked piece by piece.
    check_case(mesh, "tp=S(0)", w, x, "tp=R", attention);
  }
  check_case("dp=2,tp=2", "tp=S(0,3)", w, x, "dp=S(0)", attention);
}

TEST(Cases, PackedSectionsStaySharded) {
  run_ranks(MeshShape::parse("tp=2"), [] {
    const DTensor w = redistribute(DTensor(values({24, 8})), "tp=S(0,3)");
    const std::vector<DTensor> parts = linear(DTensor(values({5, 8}, 2)), w).chunk(3, -1);
    for (const DTensor& part : parts) EXPECT_EQ(part.placements()[0], Placement::shard(1));
  });
}

TEST(Cases, TiedEmbeddingAndHeadOverAShardedVocabulary) {
  constexpr std::int64_t vocabulary = 11;
  const at::Tensor targets = integers(vocabulary, {4, 3}, 7);
  auto model = [&](const auto& w, const auto& tokens) {
    using T = std::decay_t<decltype(w)>;
    const auto hidden = embedding(w, tokens).tanh();
    const auto logits = linear(hidden, w);
    return cross_entropy_loss(logits.flatten(0, 1), T(targets).flatten());
  };
  const at::Tensor w = values({vocabulary, 6}), tokens = integers(vocabulary, {4, 3}, 5);
  for (const char* mesh : {"tp=1", "tp=2", "tp=3", "tp=4"})
    check_case(mesh, "tp=S(0)", w, tokens, "tp=R", model);
  check_case("dp=2,tp=2", "tp=S(0)", w, tokens, "dp=S(0)", model);
  check_case("dp=2,tp=3", "tp=S(0)", w, tokens, "dp=R", model);
}

TEST(Cases, PaddingRowsOfAShardedVocabularyGetNoGradient) {
  const at::Tensor w = values({7, 3});
  for (const std::int64_t padding : {std::int64_t{0}, std::int64_t{3}, std::int64_t{6}}) {
    // All tokens of one shard, tokens of some, tokens of all.
    for (const at::Tensor& tokens :
         {at::full({4}, padding, at::kLong), integers(3, {5}), integers(7, {6, 2})}) {
      auto lookup = [&](const auto& table, const auto& index) {
        return embedding(table, index, padding).pow(2).sum();
      };
      for (const char* mesh : {"tp=2", "tp=3", "tp=4"})
        check_case(mesh, "tp=S(0)", w, tokens, "tp=R", lookup);
    }
  }
}

}  // namespace
}  // namespace vescale::test
