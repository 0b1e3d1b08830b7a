#include "random/stream.h"

#include <algorithm>
#include <string>

#include <vescale/error.h>

#include "random/jump.h"

namespace vescale::rng {
namespace {

static_assert(block_words == at::MERSENNE_STATE_N);

// Stepping over this many blocks takes as long as a jump: measured at 0.9 million words without vector
// instructions, 1.1 with AVX2, 1.2 with AVX-512.
constexpr uint64_t jump_pays_from = 1'100'000 / block_words;

}  // namespace

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
    const uint64_t blocks = words / block_words;
    words -= rest_;
    if (blocks >= jump_pays_from) {
      // Wherever in a block it starts, a distance that comes again finds its jump, and steps the rest.
      const uint64_t far = blocks - 2;
      if (const Jump* jump = JumpCache::of_rank().find(far)) {
        jump->apply(block_);
        words -= far * block_words;
      }
    }
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
