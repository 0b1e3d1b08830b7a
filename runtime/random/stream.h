#pragma once
/// LibTorch's mt19937 word stream as a value: taken from a CPU generator, moved, and put back.

#include <ATen/CPUGeneratorImpl.h>

#include <cstddef>
#include <cstdint>

#include "random/block.h"

namespace vescale::rng {

/// A position in the endless sequence of 32-bit words that a CPU generator draws from.
///
/// The position moves forward only. Words are counted from where the stream was taken. Putting the stream
/// back leaves the generator with the very bytes (`get_state`) that drawing the same words one by one leaves.
class Stream {
 public:
  /// Takes the stream of `generator`; the caller holds the generator's mutex.
  explicit Stream(at::CPUGeneratorImpl& generator) { set_engine(generator.engine().data()); }

  /// Words drawn or skipped since the stream was taken.
  uint64_t position() const { return position_; }

  /// Moves forward by `words`: steps through near ones, jumps over far ones.
  void skip(uint64_t words);

  /// Moves forward to `position`; throws Error if that lies behind.
  void seek(uint64_t position);

  /// Draws `words` raw state words (before mt19937's output tempering) into `out`.
  void take_raw(uint32_t* out, size_t words);

  /// The engine at this position.
  at::mt19937_data_pod engine() const;

  /// Continues from `engine`, which is this stream's engine after `words` more draws.
  void resume(const at::mt19937_data_pod& engine, uint64_t words) {
    set_engine(engine);
    position_ += words;
  }

 private:
  void set_engine(const at::mt19937_data_pod& engine);

  BlockBuffer block_;
  uint64_t seed_ = 0;
  uint32_t next_ = 0;  // the next word's place in the block
  uint32_t rest_ = 0;  // words of the block that are left
  bool seeded_ = false;
  uint64_t position_ = 0;
};

}  // namespace vescale::rng
