#pragma once
/// Which elements of a logical tensor a rank holds, and in which order the random stream visits them.

#include <c10/util/ArrayRef.h>

#include <cstdint>
#include <vector>

namespace vescale::rng {

/// The logical (global) tensor: sizes and memory order. Only the order of the strides matters, and whether
/// they are those of a contiguous tensor: LibTorch draws in memory order, and by another rule for normals of
/// contiguous ones.
struct GlobalShape {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;

  /// A row-major tensor.
  static GlobalShape contiguous(c10::IntArrayRef sizes);

  int64_t dim() const { return static_cast<int64_t>(sizes.size()); }
  int64_t numel() const;
  bool is_contiguous() const;

  /// Dims from the slowest to the fastest in memory.
  std::vector<int64_t> memory_order() const;
};

/// Indices [start, start + len) of one dim.
struct Range {
  int64_t start = 0;
  int64_t len = 0;
};

/// The indices of one dim that a rank holds: ascending ranges that do not overlap. The local tensor's order
/// along the dim is their concatenation. Shard gives one range, InterleavedShard(d, k) gives k.
using DimRanges = std::vector<Range>;

/// A rank's piece of a tensor: one DimRanges a dim.
using Piece = std::vector<DimRanges>;

/// The piece that is the whole tensor.
Piece whole_piece(c10::IntArrayRef sizes);

/// The number of indices in `ranges`.
int64_t length(const DimRanges& ranges);

/// Part `index` of `parts` of the indices in `ranges`, split as torch.chunk splits: parts of ceil(n / parts),
/// the last ones shorter or empty. Splitting the result again nests.
DimRanges split(const DimRanges& ranges, int64_t parts, int64_t index);

/// As `split`, of each of `groups` equal groups of the indices. Their number must be a multiple of `groups`.
DimRanges split_interleaved(const DimRanges& ranges, int64_t groups, int64_t parts, int64_t index);

/// Elements [start, start + len) of the global stream order; they are elements [local, local + len) of the
/// piece in its own memory order.
struct Run {
  int64_t start = 0;
  int64_t len = 0;
  int64_t local = 0;
};

/// The piece as maximal runs, visited in ascending order.
class Runs {
 public:
  /// Throws c10::Error if `piece` does not fit `global`.
  Runs(const GlobalShape& global, const Piece& piece);

  template <typename Visit>
  void for_each(Visit&& visit) const {
    int64_t local = 0;
    if (!empty_) descend(0, 0, local, visit);
  }

 private:
  struct Dim {
    int64_t size;
    DimRanges ranges;
    int64_t step;  // elements of the stream between neighbours along this dim
  };

  template <typename Visit>
  void descend(size_t level, int64_t base, int64_t& local, Visit&& visit) const {
    const Dim& dim = dims_[level];
    for (const Range& range : dim.ranges) {
      if (level + 1 == dims_.size()) {
        visit(Run{base + range.start, range.len, local});
        local += range.len;
        continue;
      }
      for (int64_t i = range.start; i < range.start + range.len; ++i) {
        descend(level + 1, base + i * dim.step, local, visit);
      }
    }
  }

  std::vector<Dim> dims_;
  bool empty_ = false;
};

}  // namespace vescale::rng
