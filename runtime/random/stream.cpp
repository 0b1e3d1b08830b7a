#include "random/stream.h"

#include <algorithm>
#include <string>

#include <vescale/error.h>

namespace vescale::rng {
namespace {

constexpr int block_words = at::MERSENNE_STATE_N;
constexpr int shift_words = at::MERSENNE_STATE_M;

inline uint32_t twist(uint32_t upper, uint32_t lower) {
  const uint32_t mixed = (upper & at::UMASK) | (lower & at::LMASK);
  return (mixed >> 1) ^ ((0U - (lower & 1U)) & at::MATRIX_A);
}

}  // namespace

// The loops have no branch and no dependence closer than 227 words, so the compiler makes vector code of
// them.
#if defined(__x86_64__) && defined(__clang__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
void next_block(uint32_t* state) {
  constexpr int first_part = block_words - shift_words;
  for (int i = 0; i < first_part; ++i) state[i] = state[i + shift_words] ^ twist(state[i], state[i + 1]);
  for (int i = first_part; i < block_words - 1; ++i) {
    state[i] = state[i - first_part] ^ twist(state[i], state[i + 1]);
  }
  state[block_words - 1] = state[shift_words - 1] ^ twist(state[block_words - 1], state[0]);
}

void Stream::skip(uint64_t words) {
  position_ += words;
  // LibTorch regenerates the block lazily: on the draw that finds it used up, not on the one that uses it up.
  const auto in_block = static_cast<uint64_t>(engine_.left_ - 1);
  if (words <= in_block) {
    engine_.next_ += static_cast<uint32_t>(words);
    engine_.left_ -= static_cast<int>(words);
    return;
  }
  words -= in_block;
  const uint64_t blocks = (words - 1) / block_words + 1;
  for (uint64_t i = 0; i < blocks; ++i) next_block(engine_.state_.data());
  engine_.next_ = static_cast<uint32_t>((words - 1) % block_words + 1);
  engine_.left_ = block_words + 1 - static_cast<int>(engine_.next_);
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
    const auto in_block = static_cast<size_t>(engine_.left_ - 1);
    if (in_block > 0) {
      const size_t count = std::min(words, in_block);
      std::copy_n(engine_.state_.data() + engine_.next_, count, out);
      skip(count);
      out += count;
      words -= count;
    } else {
      skip(1);
      *out++ = engine_.state_[engine_.next_ - 1];
      --words;
    }
  }
}

}  // namespace vescale::rng
