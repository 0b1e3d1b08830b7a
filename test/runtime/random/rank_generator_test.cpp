// Each rank's own generator: equal to LibTorch's for equal seeds, private to the rank.
#include "vescale/random/generator.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <thread>

#include <vescale/rank_context.h>
#include <vescale/run.h>

#include "random/fill.h"

namespace vescale {
namespace {

TEST(RankGenerator, DrawsWhatLibTorchDrawsForTheSeed) {
  manual_seed(1234);
  torch::manual_seed(1234);
  EXPECT_TRUE(torch::equal(at::randn({100}, rank_generator()), torch::randn({100})));
  EXPECT_TRUE(torch::equal(get_rng_state(), at::detail::getDefaultCPUGenerator().get_state()));
}

TEST(RankGenerator, SeedingDropsTheKeptNormal) {
  manual_seed(3);
  const at::Tensor first = at::randn({3}, rank_generator());
  manual_seed(3);
  EXPECT_TRUE(torch::equal(at::randn({3}, rank_generator()), first));
}

TEST(RankGenerator, StatesMoveBetweenLibTorchAndTheRank) {
  at::Generator plain = at::detail::createCPUGenerator(8);
  at::randn({7}, plain);  // leaves a kept normal
  set_rng_state(plain.get_state());
  EXPECT_TRUE(torch::equal(at::randn({40}, rank_generator()), at::randn({40}, plain)));
  at::rand({3}, rank_generator());
  plain.set_state(get_rng_state());
  EXPECT_TRUE(torch::equal(at::randn({7}, rank_generator()), at::randn({7}, plain)));
  EXPECT_THROW(set_rng_state(torch::zeros({3}, torch::kByte)), c10::Error);
}

TEST(RankGenerator, ThreadsHaveTheirOwn) {
  manual_seed(1);
  const at::Tensor before = get_rng_state();
  at::Tensor other;
  std::thread thread([&] {
    manual_seed(2);
    other = at::rand({5}, rank_generator());
  });
  thread.join();
  EXPECT_TRUE(torch::equal(get_rng_state(), before));
  manual_seed(2);
  EXPECT_TRUE(torch::equal(at::rand({5}, rank_generator()), other));
}

TEST(RankGenerator, AHelperThreadUsesItsRanksOwn) {
  manual_seed(7);
  RankContext& context = RankContext::current();
  std::thread helper([&] {
    const RankContext::Scope scope(context);
    at::rand({5}, rank_generator());
  });
  helper.join();
  const at::Generator plain = at::detail::createCPUGenerator(7);
  at::rand({5}, plain);
  EXPECT_TRUE(torch::equal(get_rng_state(), plain.get_state()));
}

TEST(RankGenerator, AnExplicitGeneratorWins) {
  const at::Generator own = at::detail::createCPUGenerator(8);
  EXPECT_EQ(generator_for(own), own);
  EXPECT_EQ(generator_for(std::nullopt), rank_generator());
  EXPECT_EQ(generator_for(at::Generator()), rank_generator());
}

TEST(RankGenerator, WholeTensorOpsTakeIt) {
  manual_seed(5);
  torch::manual_seed(5);
  const at::Tensor weights = torch::rand({4, 10});
  const at::Tensor same = at::rand({4, 10}, rank_generator());
  ASSERT_TRUE(torch::equal(weights, same));
  EXPECT_TRUE(torch::equal(at::randperm(100, rank_generator()), torch::randperm(100)));
  EXPECT_TRUE(
      torch::equal(at::multinomial(weights, 3, false, rank_generator()), weights.multinomial(3, false)));
  EXPECT_TRUE(
      torch::equal(at::multinomial(weights, 30, true, rank_generator()), weights.multinomial(30, true)));
  EXPECT_TRUE(torch::equal(at::poisson(weights * 5, rank_generator()), torch::poisson(weights * 5)));
  const at::Tensor counts = torch::full({4, 10}, 20.0F);
  EXPECT_TRUE(torch::equal(at::binomial(counts, weights, rank_generator()), at::binomial(counts, weights)));
  EXPECT_TRUE(
      torch::equal(at::_standard_gamma(weights + 1, rank_generator()), at::_standard_gamma(weights + 1)));
  EXPECT_TRUE(torch::equal(get_rng_state(), at::detail::getDefaultCPUGenerator().get_state()));
}

// More words than the ranks step through one by one; a second round, as distances that come again are jumped.
TEST(RankGenerator, StatesGoBetweenLibTorchAndPiecesInTheMiddleOfAProgram) {
  constexpr std::int64_t rows = 4099, columns = 2003;
  const rng::GlobalShape global{{rows, columns}, {columns, 1}};
  at::Generator plain = at::detail::createCPUGenerator(3);
  at::empty({5}).normal_(0, 1, plain);  // leaves a kept normal
  for (int round = 0; round < 2; ++round) {
    const at::Tensor saved = plain.get_state();
    const at::Tensor whole = at::empty({rows, columns}).normal_(0, 1, plain);
    for (const std::int64_t first : {std::int64_t{0}, std::int64_t{2000}, rows - 7}) {
      set_rng_state(saved);
      const at::Tensor local = at::empty({7, columns});
      rng::fill(local, rng::Normal{}, global, {{{first, 7}}, {{0, columns}}});
      EXPECT_TRUE(torch::equal(local, whole.narrow(0, first, 7))) << first;
      EXPECT_TRUE(torch::equal(get_rng_state(), plain.get_state())) << first;
      at::Generator other = at::detail::createCPUGenerator();
      other.set_state(get_rng_state());
      EXPECT_TRUE(torch::equal(at::randn({3}, other), at::randn({3}, plain.clone()))) << first;
    }
  }
}

// What a program may draw with LibTorch itself, whatever the overload it calls.
std::vector<at::Tensor> plain_draws() {
  std::vector<at::Tensor> drawn;
  const auto keep = [&](const at::Tensor& value) { drawn.push_back(value.detach().clone()); };
  torch::data::samplers::RandomSampler sampler(37);
  std::vector<std::int64_t> order;
  for (auto batch = sampler.next(5); batch.has_value(); batch = sampler.next(5))
    order.insert(order.end(), batch->begin(), batch->end());
  keep(torch::tensor(order));
  keep(torch::randperm(50));
  keep(torch::rand({5, 7}));
  keep(torch::randn({3}));  // leaves a kept normal
  keep(torch::randn({40}, torch::kDouble));
  keep(torch::randint(0, 1000, {9}));
  keep(torch::rand_like(torch::empty({4, 4})));
  keep(torch::dropout(torch::ones({33}), 0.4, true));
  keep(torch::nn::functional::dropout2d(torch::ones({2, 9, 3, 3})));
  keep(torch::bernoulli(torch::full({20}, 0.3)));
  keep(torch::multinomial(torch::rand({4, 6}), 2));
  keep(at::normal(torch::zeros({8}), torch::ones({8})));
  keep(torch::poisson(torch::full({8}, 3.0)));
  keep(torch::empty({6}).exponential_());
  keep(std::get<0>(torch::native_dropout(torch::ones({33}), 0.4, true)));
  const torch::nn::Linear linear(5, 3);
  keep(linear->weight);
  keep(linear->bias);
  return drawn;
}

TEST(RankGenerator, PlainDrawsOfARankAreThoseOfOneDevice) {
  torch::manual_seed(41);
  const std::vector<at::Tensor> expected = plain_draws();
  const at::Tensor state = at::detail::getDefaultCPUGenerator().get_state();
  for (const char* mesh : {"tp=1", "tp=2", "dp=2,tp=2"}) {
    run_ranks(MeshShape::parse(mesh), [&] {
      manual_seed(41);
      const std::vector<at::Tensor> drawn = plain_draws();
      for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_TRUE(torch::equal(drawn[i], expected[i])) << mesh << ", draw " << i;
      EXPECT_TRUE(torch::equal(get_rng_state(), state)) << mesh;
    });
  }
  EXPECT_TRUE(torch::equal(at::detail::getDefaultCPUGenerator().get_state(), state));
}

TEST(RankGenerator, PlainDrawsInBackwardAreTheRanks) {
  run_ranks(MeshShape::parse("tp=2"), [&] {
    manual_seed(2);
    torch::Tensor x = torch::ones({4}).requires_grad_();
    x.register_hook([](const torch::Tensor& gradient) { return gradient * torch::rand({4}); });
    x.sum().backward();
    at::Generator plain = at::detail::createCPUGenerator(2);
    EXPECT_TRUE(torch::equal(x.grad(), at::rand({4}, plain)));
  });
}

TEST(RankGenerator, AThreadWithoutARankKeepsLibTorchsGenerator) {
  manual_seed(1);
  {
    const RankContext::Scope scope(RankContext::current());
    torch::rand({3});
  }
  const at::Tensor state = get_rng_state();
  torch::manual_seed(6);
  const at::Tensor drawn = torch::rand({3});
  at::Generator plain = at::detail::createCPUGenerator(6);
  EXPECT_TRUE(torch::equal(drawn, at::rand({3}, plain)));
  EXPECT_TRUE(torch::equal(get_rng_state(), state));
}

}  // namespace
}  // namespace vescale
