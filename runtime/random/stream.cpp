#include "random/stream.h"

#include <algorithm>
#include <cstring>
#include <string>

#include <vescale/error.h>

namespace vescale::rng {
namespace {

constexpr uint32_t block_words = at::MERSENNE_STATE_N;
constexpr uint32_t shift_words = at::MERSENNE_STATE_M;
constexpr uint32_t lanes = 16;  // divides the block
using Lanes = uint32_t __attribute__((vector_size(lanes * sizeof(uint32_t))));

/// Words `words`.. of the next block, `lanes` at once, from those of the old block and the words each is
/// combined with.
[[gnu::always_inline]] inline void step_lanes(uint32_t* words, const uint32_t* combined) {
  Lanes upper, lower, other;
  std::memcpy(&upper, words, sizeof(Lanes));
  std::memcpy(&lower, words + 1, sizeof(Lanes));
  std::memcpy(&other, combined, sizeof(Lanes));
  other ^= (((upper & at::UMASK) | (lower & at::LMASK)) >> 1) ^ ((0U - (lower & 1U)) & at::MATRIX_A);
  std::memcpy(words, &other, sizeof(Lanes));
}

[[gnu::always_inline]] inline void step_block(uint32_t* words) {
  step_lanes(words, words + shift_words);
  // Behind the block's end stand its first words, renewed, as they follow there in the stream: vectors may
  // then cross the end.
  std::copy_n(words, lanes, words + block_words);
  uint32_t i = lanes;
  for (; i + shift_words < block_words; i += lanes) step_lanes(words + i, words + i + shift_words);
  for (; i < block_words; i += lanes) step_lanes(words + i, words + i + shift_words - block_words);
}

void step_block_plain(uint32_t* words) { step_block(words); }
#if defined(__x86_64__)
[[gnu::target("avx2")]] void step_block_avx2(uint32_t* words) { step_block(words); }
[[gnu::target("avx512f")]] void step_block_avx512(uint32_t* words) { step_block(words); }
#endif

// Chosen by hand: linkers differ in what they make of functions that the loader resolves.
auto best_step_block() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return &step_block_avx512;
  if (__builtin_cpu_supports("avx2")) return &step_block_avx2;
#endif
  return &step_block_plain;
}

}  // namespace

void next_block(BlockBuffer& block) {
  static const auto step = best_step_block();
  step(block.data());
}

at::mt19937_data_pod Stream::engine() const {
  at::mt19937_data_pod engine;
  engine.seed_ = seed_;
  engine.left_ = static_cast<int>(rest_) + 1;
  engine.seeded_ = seeded_;
  engine.next_ = next_;
  std::copy_n(block_.begin(), block_words, engine.state_.begin());
  return engine;
}

void Stream::set_engine(const at::mt19937_data_pod& engine) {
  seed_ = engine.seed_;
  rest_ = static_cast<uint32_t>(engine.left_ - 1);
  seeded_ = engine.seeded_;
  next_ = engine.next_;
  std::copy_n(engine.state_.begin(), block_words, block_.begin());
}

void Stream::skip(uint64_t words) {
  position_ += words;
  // LibTorch renews the block lazily: on the draw that finds it used up, not on the one that uses it up.
  if (words > rest_) {
    words -= rest_;
    for (; words > block_words; words -= block_words) next_block(block_);
    next_block(block_);
    next_ = 0;
    rest_ = block_words;
  }
  next_ += static_cast<uint32_t>(words);
  rest_ -= static_cast<uint32_t>(words);
}

void Stream::seek(uint64_t position) {
  if (position < position_) {
    throw Error("random stream: cannot move back from word " + std::to_string(position_) + " to word " +
                std::to_string(position));
  }
  skip(position - position_);
}

void Stream::take_raw(uint32_t* out, size_t words) {
  while (words > 0) {
    if (rest_ == 0) {
      next_block(block_);
      next_ = 0;
      rest_ = block_words;
    }
    const auto count = static_cast<uint32_t>(std::min<size_t>(words, rest_));
    std::copy_n(block_.data() + next_, count, out);
    skip(count);
    out += count;
    words -= count;
  }
}

}  // namespace vescale::rng
