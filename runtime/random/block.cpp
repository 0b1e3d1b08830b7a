#include "random/block.h"

#include <algorithm>
#include <cstring>

namespace vescale::rng {
namespace {

constexpr size_t shift_words = 397;
constexpr uint32_t upper_bit = 0x80000000U;
constexpr uint32_t lower_bits = 0x7fffffffU;
constexpr uint32_t twist = 0x9908b0dfU;
constexpr size_t lanes = 16;  // divides the block
using Lanes = uint32_t __attribute__((vector_size(lanes * sizeof(uint32_t))));

/// Words `words`.. of the next block, `lanes` at once, from those of the old block and the words each is
/// combined with.
[[gnu::always_inline]] inline void step_lanes(uint32_t* words, const uint32_t* combined) {
  Lanes upper, lower, other;
  std::memcpy(&upper, words, sizeof(Lanes));
  std::memcpy(&lower, words + 1, sizeof(Lanes));
  std::memcpy(&other, combined, sizeof(Lanes));
  other ^= (((upper & upper_bit) | (lower & lower_bits)) >> 1) ^ ((0U - (lower & 1U)) & twist);
  std::memcpy(words, &other, sizeof(Lanes));
}

[[gnu::always_inline]] inline void step_block(uint32_t* words) {
  step_lanes(words, words + shift_words);
  // Behind the block's end stand its first words, renewed, as they follow there in the stream: vectors may
  // then cross the end.
  std::copy_n(words, lanes, words + block_words);
  size_t i = lanes;
  for (; i + shift_words < block_words; i += lanes) step_lanes(words + i, words + i + shift_words);
  for (; i < block_words; i += lanes) step_lanes(words + i, words + i + shift_words - block_words);
}

void step_block_portable(uint32_t* words) { step_block(words); }
#if defined(__x86_64__)
[[gnu::target("avx2")]] void step_block_avx2(uint32_t* words) { step_block(words); }
[[gnu::target("avx512f")]] void step_block_avx512(uint32_t* words) { step_block(words); }
#endif

}  // namespace

// Chosen by hand: linkers differ in what they make of functions that the loader resolves.
VectorSet vector_set() {
#if defined(__x86_64__)
  static const VectorSet set = __builtin_cpu_supports("avx512f") ? VectorSet::avx512
                               : __builtin_cpu_supports("avx2")  ? VectorSet::avx2
                                                                 : VectorSet::portable;
  return set;
#else
  return VectorSet::portable;
#endif
}

void next_block(BlockBuffer& block, VectorSet set) {
#if defined(__x86_64__)
  if (set == VectorSet::avx512) return step_block_avx512(block.data());
  if (set == VectorSet::avx2) return step_block_avx2(block.data());
#endif
  step_block_portable(block.data());
}

void next_block(BlockBuffer& block) { next_block(block, vector_set()); }

}  // namespace vescale::rng
