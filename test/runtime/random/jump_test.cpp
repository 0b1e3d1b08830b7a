// Jumps against each other and against LibTorch's engine; the polynomial against a stream.
#include "random/jump.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>
#include <vector>

#include "random/polynomial.h"
#include "random/stream.h"

namespace vescale::rng {
namespace {

BlockBuffer first_block(uint64_t seed) {
  const at::mt19937_data_pod engine = at::mt19937(seed).data();
  BlockBuffer block{};
  std::copy(engine.state_.begin(), engine.state_.end(), block.begin());
  return block;
}

bool same_block(const BlockBuffer& a, const BlockBuffer& b) {
  return std::memcmp(a.data(), b.data(), block_words * sizeof(uint32_t)) == 0;
}

std::vector<VectorSet> vector_sets() {
  std::vector<VectorSet> sets;
  for (const VectorSet set : {VectorSet::portable, VectorSet::avx2, VectorSet::avx512}) {
    if (set <= vector_set()) sets.push_back(set);
  }
  return sets;
}

/// Distances of every order of magnitude below 2^bits words.
uint64_t random_distance(std::mt19937_64& random, int bits) {
  return random() >> (64 - 1 - random() % static_cast<uint64_t>(bits));
}

/// The shortest linear recurrence of the bits: coefficients of its characteristic polynomial, the highest
/// degree first (Massey, Shift-register synthesis and BCH decoding, 1969).
std::vector<bool> shortest_recurrence(const std::vector<bool>& bits) {
  std::vector<uint64_t> now(bits.size() / 64 + 2), before(now), latest(now);
  now[0] = before[0] = 1;
  size_t degree = 0, since = 1;
  for (size_t i = 0; i < bits.size(); ++i) {
    for (size_t k = latest.size() - 1; k > 0; --k) latest[k] = latest[k] << 1 | latest[k - 1] >> 63;
    latest[0] = latest[0] << 1 | static_cast<uint64_t>(bits[i]);
    uint64_t sum = 0;
    for (size_t k = 0; k <= degree / 64; ++k) sum ^= now[k] & latest[k];
    if (std::popcount(sum) % 2 == 0) {
      ++since;
      continue;
    }
    const std::vector<uint64_t> kept = now;
    for (size_t k = 0; k + since / 64 < now.size(); ++k) {
      now[k + since / 64] ^= before[k] << (since % 64);
      if (since % 64 != 0 && k + since / 64 + 1 < now.size())
        now[k + since / 64 + 1] ^= before[k] >> (64 - since % 64);
    }
    if (2 * degree <= i) {
      degree = i + 1 - degree;
      before = kept;
      since = 1;
    } else {
      ++since;
    }
  }
  std::vector<bool> result;
  for (size_t k = 0; k <= degree; ++k) result.push_back((now[k / 64] >> (k % 64) & 1U) != 0);
  return result;
}

TEST(Polynomial, IsTheShortestRecurrenceOfAStream) {
  at::mt19937 engine(12345);
  std::vector<bool> bits(2 * state_bits + 100);
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = (engine() & 1U) != 0;
  const std::vector<bool> found = shortest_recurrence(bits);
  ASSERT_EQ(found.size(), state_bits + 1);
  std::vector<uint16_t> exponents;
  for (size_t k = 0; k < found.size(); ++k) {
    if (found[k]) exponents.push_back(static_cast<uint16_t>(state_bits - k));
  }
  const auto expected = characteristic_exponents();
  EXPECT_TRUE(std::equal(exponents.begin(), exponents.end(), expected.begin(), expected.end()));
}

TEST(Polynomial, PowersBelowTheDegreeAreThemselves) {
  for (const size_t exponent :
       {size_t{0}, size_t{1}, size_t{63}, size_t{16383}, size_t{16384}, state_bits - 1}) {
    const Polynomial power = power_of_x(exponent);
    for (size_t degree = 0; degree < state_bits; ++degree) {
      ASSERT_EQ(coefficient(power, degree), degree == exponent) << exponent;
    }
  }
}

TEST(Block, EveryVectorSetStepsAsTheEngineDoes) {
  for (const VectorSet set : vector_sets()) {
    at::mt19937 engine(7);
    BlockBuffer block = first_block(7);
    for (int i = 0; i < 100; ++i) {
      for (size_t k = 0; k < block_words; ++k) engine();
      next_block(block, set);
      const at::mt19937_data_pod expected = engine.data();
      ASSERT_TRUE(std::equal(expected.state_.begin(), expected.state_.end(), block.begin()));
    }
  }
}

TEST(Jump, IsSteppingForEveryVectorSet) {
  std::mt19937_64 random(1);
  std::vector<uint64_t> distances{1, 2, 3, 31, 32, 33, 34, 35};
  for (int i = 0; i < 30; ++i) distances.push_back(1 + random_distance(random, 16));
  for (const uint64_t blocks : distances) {
    const BlockBuffer start = first_block(random());
    BlockBuffer stepped = start;
    for (uint64_t i = 0; i < blocks; ++i) next_block(stepped);
    const Jump jump(blocks);
    for (const VectorSet set : vector_sets()) {
      BlockBuffer jumped = start;
      jump.apply(jumped, set);
      ASSERT_TRUE(same_block(jumped, stepped)) << blocks << " blocks";
    }
  }
}

TEST(Jump, TwoAreOneOverTheirSum) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t a = 1 + random_distance(random, 40) / block_words;
    const uint64_t b = 1 + random_distance(random, 40) / block_words;
    BlockBuffer twice = first_block(static_cast<uint64_t>(i));
    BlockBuffer once = twice;
    Jump(a).apply(twice);
    Jump(b).apply(twice);
    Jump(a + b).apply(once);
    ASSERT_TRUE(same_block(once, twice)) << a << " and " << b << " blocks";
  }
}

TEST(Jump, OfAStreamIsDrawing) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 60; ++i) {
    const uint64_t before = random() % 1300;
    const uint64_t words = i < 40 ? 1200000 + random_distance(random, 24) : random_distance(random, 20);
    at::CPUGeneratorImpl generator(static_cast<uint64_t>(i));
    for (uint64_t k = 0; k < before; ++k) generator.random();
    Stream stream(generator), known(generator);
    stream.skip(words);
    known.skip(words);  // now by a jump that was near enough to step before
    for (uint64_t k = 0; k < words; ++k) generator.random();
    const at::mt19937_data_pod expected = generator.engine().data();
    for (const Stream& s : {stream, known}) {
      const at::mt19937_data_pod engine = s.engine();
      ASSERT_EQ(engine.state_, expected.state_) << words << " words after " << before;
      ASSERT_EQ(engine.next_, expected.next_);
      ASSERT_EQ(engine.left_, expected.left_);
    }
  }
}

TEST(Jump, OfAStreamByAnyTwoPartsEndsAtOnePlace) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 200; ++i) {
    at::CPUGeneratorImpl start(static_cast<uint64_t>(i));
    // Multiples of a block from its very end are the bounds of what is left to step.
    const uint64_t a =
        i % 4 == 0 ? block_words * (1 + random_distance(random, 30)) : random_distance(random, 40);
    const uint64_t b = random_distance(random, 40);
    Stream once(start), twice(start);
    once.skip(a + b);
    twice.skip(a);
    twice.skip(b);
    EXPECT_EQ(once.position(), twice.position());
    ASSERT_EQ(once.engine().state_, twice.engine().state_) << a << " and " << b << " words";
    ASSERT_EQ(once.engine().next_, twice.engine().next_);
    ASSERT_EQ(once.engine().left_, twice.engine().left_);
  }
}

TEST(JumpCache, MakesAJumpWhenItComesAgainOrIsFar) {
  JumpCache cache;
  constexpr uint64_t near = 2000, far = 1 << 20;
  EXPECT_EQ(cache.find(near), nullptr);
  EXPECT_NE(cache.find(near), nullptr);
  EXPECT_NE(cache.find(far), nullptr);
  for (uint64_t i = 0; i < 200; ++i) cache.find(near + 1 + i);
  EXPECT_EQ(cache.find(near), nullptr) << "the oldest is forgotten";
}

}  // namespace
}  // namespace vescale::rng
