// Each rank's own generator: equal to LibTorch's for equal seeds, private to the rank.
#include "vescale/random/generator.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <thread>

#include <vescale/rank_context.h>

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

}  // namespace
}  // namespace vescale
