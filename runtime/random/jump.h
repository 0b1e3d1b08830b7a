#pragma once
/// Jumps of an mt19937 stream: far ahead in a time that does not depend on the distance.

#include <cstddef>
#include <cstdint>
#include <list>
#include <vector>

#include "random/block.h"

namespace vescale::rng {

/// A jump over a fixed number of blocks. Making one takes one or two milliseconds, applying it about as long
/// as stepping through a million words. Immutable: threads may share one.
class Jump {
 public:
  /// `blocks` is at least 1 and at most 2^54.
  explicit Jump(uint64_t blocks);

  /// Replaces `block` by the one that is the number of blocks further on.
  void apply(BlockBuffer& block) const { apply(block, vector_set()); }

  /// As apply, by the instructions of `set`, which the machine must have.
  void apply(BlockBuffer& block, VectorSet set) const;

 private:
  // Four neighbouring coefficients of the polynomial, the first of them 1: 8 times the first's degree, plus
  // the other three. Ascending.
  std::vector<uint32_t> windows_;
};

/// The jumps that a rank makes again and again. Programs repeat their random ops, hence the distances.
class JumpCache {
 public:
  /// The calling rank's cache.
  static JumpCache& of_rank();

  /// The jump if there is one already or if it pays to make it: if the distance came before, or is so far
  /// that making the jump and applying it once takes less time than stepping. Else null, and the caller
  /// steps. Valid until the next call.
  const Jump* find(uint64_t blocks);

 private:
  struct Entry {
    uint64_t blocks;
    std::vector<Jump> jump;  // none or one
  };

  std::list<Entry> entries_;  // the last used first
};

}  // namespace vescale::rng
