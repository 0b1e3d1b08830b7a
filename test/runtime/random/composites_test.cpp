// LibTorch's composite random ops are elementwise functions of one fill each: which fill, in which memory
// order, is what the ops on sharded tensors build on. Each is drawn here by LibTorch from its default
// generator, and rebuilt from pieces drawn from the rank's.
#include "random/fill.h"
#include "reference.h"
#include "vescale/random/generator.h"

namespace vescale::rng {
namespace {

using at::Tensor;

GlobalShape shape_of(const Tensor& t) { return {t.sizes().vec(), t.strides().vec()}; }

/// The whole tensor of `like`'s shape and memory order, put together from the pieces of three ranks along
/// `dim`.
Tensor filled(const Tensor& like, const Distribution& distribution, int64_t dim = 0) {
  const GlobalShape global = shape_of(like);
  const Tensor state = get_rng_state();
  std::vector<Tensor> pieces;
  for (int64_t rank = 0; rank < 3; ++rank) {
    set_rng_state(state);
    const Piece piece = part_of_dim(global.sizes, static_cast<size_t>(dim), 3, rank);
    Distribution of_piece = distribution;
    if (auto* with_p = std::get_if<BernoulliTensor>(&of_piece)) with_p->p = slice_piece(with_p->p, piece);
    pieces.push_back(at::empty(sizes_of(piece), like.scalar_type()));
    fill(pieces.back(), of_piece, global, piece);
  }
  return at::cat(pieces, dim);
}

class Composites : public testing::Test {
 protected:
  void SetUp() override {
    torch::manual_seed(42);
    manual_seed(42);
  }
  void TearDown() override {
    EXPECT_TRUE(bitwise_equal(get_rng_state(), at::detail::getDefaultCPUGenerator().get_state()));
  }

  const Tensor x_ = at::linspace(-3, 5, 2 * 6 * 5 * 7).reshape({2, 6, 5, 7});
  const Tensor channels_last_ = x_.contiguous(at::MemoryFormat::ChannelsLast);
};

TEST_F(Composites, Dropout) {
  for (const Tensor& x : {x_, channels_last_, x_.transpose(1, 3), x_.to(at::kBFloat16), x_.to(at::kDouble)}) {
    const Tensor noise_like = at::empty_like(x);
    EXPECT_TRUE(bitwise_equal(at::dropout(x, .3, true), x * filled(noise_like, DropoutNoise{.3})));
  }
}

TEST_F(Composites, DropoutOfNothingAllOrInEvaluationDrawsNothing) {
  EXPECT_TRUE(bitwise_equal(at::dropout(x_, 0, true), x_));
  EXPECT_TRUE(bitwise_equal(at::dropout(x_, .5, false), x_));
  EXPECT_TRUE(at::equal(at::dropout(x_, 1, true), at::zeros_like(x_)));
}

TEST_F(Composites, NativeDropout) {
  for (const double p : {0., .3, 1.}) {
    const auto [out, mask] = at::native_dropout(x_, p, true);
    EXPECT_TRUE(bitwise_equal(mask, filled(at::empty_like(x_, at::kBool), Bernoulli{1 - p})));
  }
}

TEST_F(Composites, FeatureDropout) {
  const Tensor noise = filled(at::empty({2, 6, 1, 1}), DropoutNoise{.3}, 1);
  EXPECT_TRUE(bitwise_equal(at::feature_dropout(x_, .3, true), x_ * noise));
  const Tensor next = filled(at::empty({2, 6, 1, 1}), DropoutNoise{.3}, 1);
  EXPECT_TRUE(bitwise_equal(at::feature_dropout(channels_last_, .3, true), channels_last_ * next));
}

TEST_F(Composites, AlphaDropout) {
  // Dropped elements take SELU's limit at minus infinity; then mean and variance are restored.
  const double p = .3, limit = 1.7580993408473766;
  const double a = 1 / std::sqrt((limit * limit * p + 1) * (1 - p));
  for (const Tensor& x : {x_, channels_last_}) {
    const Tensor kept = filled(at::empty_like(x), Bernoulli{1 - p});
    const Tensor expected = x * (kept * a) + ((kept - 1) * (limit * a) + limit * a * p);
    EXPECT_TRUE(bitwise_equal(at::alpha_dropout(x, p, true), expected));
  }
}

TEST_F(Composites, Factories) {
  EXPECT_TRUE(bitwise_equal(torch::rand({5, 9}), filled(at::empty({5, 9}), Uniform{}, 1)));
  EXPECT_TRUE(bitwise_equal(torch::randn({5, 9}), filled(at::empty({5, 9}), Normal{}, 1)));
  EXPECT_TRUE(
      bitwise_equal(torch::randint(3, 50, {5, 9}), filled(at::empty({5, 9}, at::kLong), RandomRange{3, 50})));
  EXPECT_TRUE(
      bitwise_equal(torch::rand_like(channels_last_), filled(at::empty_like(channels_last_), Uniform{}, 2)));
  EXPECT_TRUE(
      bitwise_equal(torch::randn_like(channels_last_), filled(at::empty_like(channels_last_), Normal{}, 2)));
  EXPECT_TRUE(bitwise_equal(torch::randint_like(channels_last_, 50),
                            filled(at::empty_like(channels_last_), RandomRange{0, 50}, 3)));
}

TEST_F(Composites, NormalOfTensors) {
  const Tensor mean = at::linspace(0, 1, 40).reshape({8, 5}).t();
  const Tensor std = mean + 1;
  const Tensor out = at::empty({5, 8});  // row-major, whatever the arguments are
  EXPECT_TRUE(bitwise_equal(at::normal(mean, 2.), filled(out, Normal{0, 2}).add_(mean)));
  EXPECT_TRUE(bitwise_equal(at::normal(3., std), filled(out, Normal{}).mul_(std).add_(3.)));
  EXPECT_TRUE(bitwise_equal(at::normal(mean, std), filled(out, Normal{}).mul_(std).add_(mean)));
}

TEST_F(Composites, BernoulliOutOfPlaceIsRowMajor) {
  const Tensor p = at::linspace(0, 1, 40).reshape({8, 5}).t();
  EXPECT_TRUE(bitwise_equal(at::bernoulli(p), filled(at::empty({5, 8}), BernoulliTensor{p})));
  EXPECT_TRUE(bitwise_equal(at::bernoulli(p, .3), filled(at::empty({5, 8}), Bernoulli{.3})));
}

TEST_F(Composites, MultinomialWithoutReplacement) {
  const Tensor weights = at::linspace(.1, 1, 60).reshape({4, 15});
  const Tensor noise = filled(weights, Exponential{1}, 1);
  EXPECT_TRUE(at::equal(at::multinomial(weights, 1, false), (weights / noise).argmax(-1, true)));
  const Tensor next = filled(weights, Exponential{1}, 1);
  EXPECT_TRUE(at::equal(at::multinomial(weights, 4, false), std::get<1>((weights / next).topk(4))));
}

TEST_F(Composites, MultinomialWithReplacementTakesTwoWordsASample) {
  const Tensor weights = at::linspace(.1, 1, 60).reshape({4, 15});
  at::multinomial(weights, 20, true);
  advance(at::kDouble, Uniform{}, contiguous({4 * 20}));
}

TEST_F(Composites, RandpermTakesAWordAnElementButOne) {
  torch::randperm(100);
  advance(at::kFloat, Uniform{}, contiguous({99}));
}

TEST_F(Composites, RreluDrawsForNegativeElementsOnly) {
  const Tensor negative = x_ <= 0;
  const auto count = negative.sum().item<int64_t>();
  const Tensor slopes = filled(at::empty({count}, at::kDouble), Uniform{.1F, .3F});
  const Tensor expected =
      x_.clone().masked_scatter_(negative, x_.masked_select(negative) * slopes.to(at::kFloat));
  EXPECT_TRUE(at::allclose(at::rrelu(x_, .1, .3, true), expected));
}

TEST_F(Composites, Init) {
  namespace init = torch::nn::init;
  const Tensor w = at::empty({12, 10});
  const auto uniform = [&](double bound) { return filled(w, Uniform{-bound, bound}, 1); };
  const auto normal = [&](double std) { return filled(w, Normal{0, std}, 1); };
  const torch::NoGradGuard no_grad;
  EXPECT_TRUE(bitwise_equal(init::uniform_(at::empty_like(w), -2, 3), filled(w, Uniform{-2, 3})));
  EXPECT_TRUE(bitwise_equal(init::normal_(at::empty_like(w), 1, 3), filled(w, Normal{1, 3})));
  EXPECT_TRUE(bitwise_equal(init::kaiming_uniform_(at::empty_like(w), std::sqrt(5)),
                            uniform(std::sqrt(3.0) * (std::sqrt(2.0 / 6) / std::sqrt(10)))));
  EXPECT_TRUE(
      bitwise_equal(init::kaiming_normal_(at::empty_like(w), 0), normal(std::sqrt(2.0) / std::sqrt(10))));
  EXPECT_TRUE(
      bitwise_equal(init::xavier_uniform_(at::empty_like(w)), uniform(std::sqrt(3.0) * std::sqrt(2.0 / 22))));
  EXPECT_TRUE(bitwise_equal(init::xavier_normal_(at::empty_like(w)), normal(std::sqrt(2.0 / 22))));
}

TEST_F(Composites, LinearDrawsWeightThenBias) {
  const torch::nn::Linear linear(10, 12);
  const double bound = 1 / std::sqrt(10.);
  const Tensor weight = filled(linear->weight, Uniform{-bound, bound});
  EXPECT_TRUE(at::allclose(linear->weight, weight, 1e-6));
  EXPECT_TRUE(bitwise_equal(linear->bias, filled(linear->bias, Uniform{-bound, bound})));
}

}  // namespace
}  // namespace vescale::rng
