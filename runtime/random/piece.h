#pragma once
/// Which elements of a logical tensor a rank holds, and in which order the random stream visits them.

#include <cstdint>
#include <vector>

#include <vescale/sharding/layout.h>

namespace vescale::rng {

/// The logical (global) tensor: sizes and memory order. Only the order of the strides matters, and whether
/// they are those of a contiguous tensor: LibTorch draws in memory order, and by another rule for normals of
/// contiguous ones.
struct GlobalShape {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;

  int64_t dim() const { return static_cast<int64_t>(sizes.size()); }
  int64_t numel() const;
  bool is_contiguous() const;

  /// Dims from the slowest to the fastest in memory.
  std::vector<int64_t> memory_order() const;
};

/// The indices of one dim that a rank holds: ascending ranges that do not overlap. The local tensor's order
/// along the dim is their concatenation.
using DimRanges = std::vector<Range>;

/// A rank's piece of a tensor: one DimRanges a dim, as `owned_ranges` gives them.
using Piece = std::vector<DimRanges>;

/// The number of indices in `ranges`.
int64_t length(const DimRanges& ranges);

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
  /// Throws vescale::Error if `piece` does not fit `global`.
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
        visit(Run{base + range.start, range.length, local});
        local += range.length;
        continue;
      }
      for (int64_t i = range.start; i < range.start + range.length; ++i) {
        descend(level + 1, base + i * dim.step, local, visit);
      }
    }
  }

  std::vector<Dim> dims_;
  bool empty_ = false;
};

}  // namespace vescale::rng
