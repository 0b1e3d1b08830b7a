// What the sweep does not show: long runs, sequences, threads, refused arguments, warnings, autograd.
#include "random/fill.h"

#include <vescale/error.h>
#include <vescale/random/generator.h>
#include <vescale/rank_context.h>
#include <vescale/run.h>

#include "reference.h"

namespace vescale::rng {
namespace {

at::Tensor empty_piece(const Piece& piece, at::ScalarType dtype) { return at::empty(sizes_of(piece), dtype); }

TEST(Fill, LongRunsOfEveryOp) {
  for (const Op& op : all_ops()) {
    for (const at::ScalarType dtype : op.dtypes) {
      const std::vector<int64_t> sizes{7,
                                       2861};  // 20,027 elements, rows of many blocks and no multiple of one
      at::Tensor whole = at::empty(sizes, dtype);
      const auto* with_p = std::get_if<BernoulliTensor>(&op.distribution);
      const at::Tensor p = with_p ? torch::rand(sizes).to(with_p->p.scalar_type()) : at::Tensor();
      const at::Generator plain = generator_at(5, true);
      op.reference(whole, p, plain);
      for (const size_t dim : {0, 1}) {
        for (int64_t rank = 0; rank < 3; ++rank) {
          const Piece piece = part_of_dim(sizes, dim, 3, rank);
          const at::Tensor local = empty_piece(piece, dtype);
          const at::Generator generator = generator_at(5, true);
          const Distribution distribution = with_p ? BernoulliTensor{slice_piece(p, piece)} : op.distribution;
          fill(local, distribution, contiguous(sizes), piece, generator);
          ASSERT_TRUE(bitwise_equal(local, slice_piece(whole, piece)))
              << op.name << at::toString(dtype) << dim << rank;
          ASSERT_TRUE(bitwise_equal(generator.get_state(), plain.get_state()))
              << op.name << at::toString(dtype);
        }
      }
    }
  }
}

TEST(Fill, PiecesOfAnySizes) {
  const std::vector<int64_t> sizes{100003};
  const std::vector<Range> ragged{{0, 3}, {3, 0}, {3, 50000}, {50003, 17}, {50020, 49982}, {100002, 1}};
  for (const Distribution& distribution :
       {Distribution(Uniform{}), Distribution(Normal{}), Distribution(Bernoulli{})}) {
    const at::Generator plain = generator_at(1, true);
    const at::Tensor whole = at::empty(sizes);
    draw(distribution, whole, {}, plain);
    for (const Range& range : ragged) {
      const at::Generator generator = generator_at(1, true);
      const at::Tensor local = at::empty({range.length});
      fill(local, distribution, contiguous(sizes), {{range}}, generator);
      EXPECT_TRUE(bitwise_equal(local, whole.narrow(0, range.start, range.length)));
      EXPECT_TRUE(bitwise_equal(generator.get_state(), plain.get_state()));
    }
  }
}

TEST(Fill, RanksOfOneProcessDoNotMeet) {
  constexpr int64_t ranks = 4;
  const std::vector<int64_t> sizes{33, 40};
  std::vector<at::Tensor> pieces(ranks);
  run_ranks(MeshShape{{"tp"}, {ranks}}, [&] {
    manual_seed(21);
    const Piece piece = part_of_dim(sizes, 1, ranks, rank());
    for (int i = 0; i < 200; ++i) {
      const at::Tensor local = empty_piece(piece, at::kFloat);
      fill(local, i % 2 == 0 ? Distribution(Normal{}) : Distribution(LogNormal{}), contiguous(sizes), piece);
      pieces[static_cast<size_t>(rank())] = local;
    }
  });
  const at::Generator plain = at::detail::createCPUGenerator(21);
  at::Tensor whole = at::empty(sizes);
  for (int i = 0; i < 100; ++i) {
    whole.normal_(0, 1, plain);
    whole.log_normal_(1, 2, plain);
  }
  EXPECT_TRUE(bitwise_equal(at::cat(pieces, 1), whole));
}

TEST(Fill, SequencesOfOpsStayEqual) {
  const std::vector<Op> ops = all_ops();
  manual_seed(77);
  const at::Generator plain = at::detail::createCPUGenerator(77);
  for (int64_t step = 0; step < 300; ++step) {
    const Op& op = ops[static_cast<size_t>(step * 7) % ops.size()];
    const at::ScalarType dtype = op.dtypes[static_cast<size_t>(step) % op.dtypes.size()];
    const std::vector<int64_t> sizes{1 + step % 5, 1 + step % 23};
    at::Tensor whole = at::empty(sizes, dtype);
    const auto* with_p = std::get_if<BernoulliTensor>(&op.distribution);
    const at::Tensor p = with_p ? torch::rand(sizes).to(with_p->p.scalar_type()) : at::Tensor();
    op.reference(whole, p, plain);
    const Piece piece = part_of_dim(sizes, static_cast<size_t>(step % 2), 3, step % 3);
    const at::Tensor local = empty_piece(piece, dtype);
    fill(local, with_p ? BernoulliTensor{slice_piece(p, piece)} : op.distribution, contiguous(sizes), piece);
    ASSERT_TRUE(bitwise_equal(local, slice_piece(whole, piece))) << "step " << step << ": " << op.name;
    ASSERT_TRUE(bitwise_equal(get_rng_state(), plain.get_state())) << "step " << step << ": " << op.name;
  }
}

TEST(Fill, ProbabilitiesBroadcast) {
  const std::vector<int64_t> sizes{6, 5};
  const at::Tensor p = torch::rand({5});
  const at::Generator plain = generator_at(0, false);
  const at::Tensor whole = at::empty(sizes).bernoulli_(p, plain);
  const Piece piece = part_of_dim(sizes, 0, 2, 1);
  const at::Tensor local = empty_piece(piece, at::kFloat);
  fill(local, BernoulliTensor{p}, contiguous(sizes), piece, generator_at(0, false));
  EXPECT_TRUE(bitwise_equal(local, slice_piece(whole, piece)));
}

TEST(Fill, RefusedArgumentsAreRefusedOnEmptyPiecesTooAndDrawNothing) {
  const GlobalShape global = contiguous({5});
  const std::vector<std::pair<Distribution, at::ScalarType>> refused{
      {Uniform{1, 0}, at::kFloat},        {Uniform{}, at::kLong},
      {Normal{0, -1}, at::kFloat},        {Normal{}, at::kInt},
      {LogNormal{0, 0}, at::kFloat},      {Bernoulli{1.5}, at::kFloat},
      {Exponential{-1}, at::kFloat},      {Exponential{}, at::kLong},
      {Cauchy{0, 0}, at::kFloat},         {Geometric{1}, at::kFloat},
      {RandomRange{3, 3}, at::kLong},     {RandomRange{0, 1000}, at::kByte},
      {Normal{0, -1}, at::kComplexFloat}, {Exponential{}, at::kComplexFloat}};
  const at::Tensor before = get_rng_state();
  for (const auto& [distribution, dtype] : refused) {
    EXPECT_THROW(fill(at::empty({5}, dtype), distribution, global, {{{0, 5}}}), c10::Error)
        << distribution.index();
    EXPECT_THROW(fill(at::empty({0}, dtype), distribution, global, {{}}), c10::Error) << distribution.index();
  }
  EXPECT_THROW(fill(at::empty({5}), BernoulliTensor{at::full({5}, 1.5)}, global, {{{0, 5}}}), c10::Error);
  EXPECT_TRUE(bitwise_equal(get_rng_state(), before));
}

TEST(Fill, PiecesThatDoNotFitAreRefused) {
  const GlobalShape global = contiguous({5});
  EXPECT_THROW(fill(at::empty({4}), Normal{}, global, {{{0, 5}}}), Error);
  EXPECT_THROW(fill(at::empty({2}), Normal{}, global, {{{4, 2}}}), Error);
  EXPECT_THROW(fill(at::empty({5, 1}), Normal{}, global, {{{0, 5}}}), Error);
  EXPECT_THROW(fill(at::empty({5}), Normal{}, {{5}, {0}}, {{{0, 5}}}), Error);
  EXPECT_THROW(fill(at::empty({5}, at::kMeta), Normal{}, global, {{{0, 5}}}), Error);
}

class CountWarnings final : public c10::WarningHandler {
 public:
  void process(const c10::Warning&) override { ++count; }
  int count = 0;
};

TEST(Fill, WarnsOnceAsLibTorchDoes) {
  CountWarnings warnings;
  const c10::WarningUtils::WarningHandlerGuard guard(&warnings);
  for (const int64_t ranks : {1, 2}) {
    warnings.count = 0;
    const Piece piece = part_of_dim({5000}, 0, ranks, 0);
    fill(empty_piece(piece, at::kHalf), RandomRange{0, 10000}, contiguous({5000}), piece);
    EXPECT_EQ(warnings.count, 1);
  }
}

TEST(Fill, WritesBelowAutogradAndCountsAsAWrite) {
  for (const int64_t size : {20, 50}) {
    const at::Tensor leaf = torch::zeros({20}, torch::requires_grad());
    const int64_t version = leaf._version();
    fill(leaf, Normal{}, contiguous({size}), {{{0, 20}}});
    EXPECT_TRUE(leaf.is_leaf() && leaf.requires_grad());
    EXPECT_EQ(leaf._version(), version + 1);
  }
}

TEST(Fill, ReplaysFromARecordedState) {
  manual_seed(9);
  const GlobalShape global = contiguous({4, 9});
  at::Generator recorded = rank_generator().clone();
  advance(at::kFloat, Normal{}, global);
  const at::Tensor later = at::rand({3}, rank_generator());
  const at::Tensor local = at::empty({2, 9});
  fill(local, Normal{}, global, {{{2, 2}}, {{0, 9}}}, recorded);
  torch::manual_seed(9);
  EXPECT_TRUE(bitwise_equal(local, torch::randn({4, 9}).narrow(0, 2, 2)));
  EXPECT_TRUE(bitwise_equal(later, torch::rand({3})));
}

}  // namespace
}  // namespace vescale::rng
