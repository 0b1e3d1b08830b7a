// The word stream against LibTorch's engine: words, end states, skips.
#include "random/stream.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include <vescale/error.h>

namespace vescale::rng {
namespace {

std::unique_ptr<at::CPUGeneratorImpl> generator_at(uint64_t seed, uint64_t draws) {
  auto generator = std::make_unique<at::CPUGeneratorImpl>(seed);
  for (uint64_t i = 0; i < draws; ++i) generator->random();
  return generator;
}

uint32_t temper(uint32_t y) {
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680U;
  y ^= (y << 15) & 0xefc60000U;
  return y ^ (y >> 18);
}

void expect_same_engine(const at::mt19937_data_pod& a, const at::mt19937_data_pod& b) {
  EXPECT_EQ(a.seed_, b.seed_);
  EXPECT_EQ(a.left_, b.left_);
  EXPECT_EQ(a.next_, b.next_);
  EXPECT_EQ(a.seeded_, b.seeded_);
  EXPECT_EQ(a.state_, b.state_);
}

TEST(Stream, SkipLeavesTheEngineThatDrawingLeaves) {
  for (const uint64_t before : {0, 1, 2, 622, 623, 624, 625, 1000, 1248}) {
    for (const uint64_t words : {0, 1, 2, 100, 622, 623, 624, 625, 1247, 1248, 1249, 100003}) {
      const auto start = generator_at(17, before);
      Stream stream(*start);
      stream.skip(words);
      EXPECT_EQ(stream.position(), words);
      expect_same_engine(stream.engine(), generator_at(17, before + words)->engine().data());
    }
  }
}

TEST(Stream, RawWordsTemperToTheDrawnOnes) {
  std::mt19937 sizes(3);
  for (const uint64_t before : {0, 1, 623, 624, 1000}) {
    const auto reference = generator_at(5, before);
    const auto start = generator_at(5, before);
    Stream stream(*start);
    for (int i = 0; i < 50; ++i) {
      const size_t skipped = sizes() % 700;
      for (size_t k = 0; k < skipped; ++k) reference->random();
      stream.skip(skipped);
      std::vector<uint32_t> words(sizes() % 1500);
      stream.take_raw(words.data(), words.size());
      for (const uint32_t word : words) ASSERT_EQ(temper(word), reference->random());
      expect_same_engine(stream.engine(), reference->engine().data());
    }
  }
}

TEST(Stream, SeekIsAbsoluteAndForwardOnly) {
  const auto start = generator_at(9, 10);
  Stream stream(*start);
  stream.seek(50);
  stream.seek(50);
  stream.seek(2000);
  expect_same_engine(stream.engine(), generator_at(9, 2010)->engine().data());
  EXPECT_THROW(stream.seek(1999), Error);
}

}  // namespace
}  // namespace vescale::rng
