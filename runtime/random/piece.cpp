#include "random/piece.h"

#include <ATen/TensorGeometry.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include <vescale/error.h>

namespace vescale::rng {
namespace {

/// The same indices with neighbouring ranges joined and empty ones dropped.
DimRanges joined(const DimRanges& ranges) {
  DimRanges result;
  for (const Range& range : ranges) {
    if (range.length == 0) continue;
    if (!result.empty() && result.back().start + result.back().length == range.start) {
      result.back().length += range.length;
    } else {
      result.push_back(range);
    }
  }
  return result;
}

void check_ranges(const DimRanges& ranges, int64_t size, int64_t dim) {
  int64_t end = 0;
  for (const Range& range : ranges) {
    if (range.length == 0) continue;
    if (range.length < 0 || range.start < end || range.start + range.length > size) {
      throw Error("random fill: elements [" + std::to_string(range.start) + ", " +
                  std::to_string(range.start + range.length) + ") of dim " + std::to_string(dim) +
                  " of size " + std::to_string(size) +
                  " are out of bounds, or not behind those listed before them");
    }
    end = range.start + range.length;
  }
}

}  // namespace

int64_t GlobalShape::numel() const {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

bool GlobalShape::is_contiguous() const { return at::geometry_is_contiguous(sizes, strides); }

std::vector<int64_t> GlobalShape::memory_order() const {
  std::vector<int64_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [this](int64_t a, int64_t b) {
    // A dim of one element has a stride that means nothing.
    if ((sizes[a] == 1) != (sizes[b] == 1)) return sizes[a] == 1;
    return sizes[a] != 1 && strides[a] > strides[b];
  });
  return order;
}

int64_t length(const DimRanges& ranges) {
  int64_t total = 0;
  for (const Range& range : ranges) total += range.length;
  return total;
}

Runs::Runs(const GlobalShape& global, const Piece& piece) {
  if (global.strides.size() != global.sizes.size() || piece.size() != global.sizes.size()) {
    throw Error("random fill: a tensor of " + std::to_string(global.sizes.size()) +
                " dims with strides for " + std::to_string(global.strides.size()) + " and a piece of " +
                std::to_string(piece.size()));
  }
  dims_.push_back({1, {{0, 1}}, 1});
  for (const int64_t d : global.memory_order()) {
    check_ranges(piece[d], global.sizes[d], d);
    Dim dim{global.sizes[d], joined(piece[d]), 1};
    empty_ = empty_ || dim.ranges.empty();
    dims_.push_back(std::move(dim));
  }
  // From the fastest dim outwards: a dim held in full joins the next slower one, so that runs are maximal.
  int64_t step = 1;
  for (size_t i = dims_.size(); i-- > 0;) {
    Dim& dim = dims_[i];
    const bool full = dim.ranges.size() == 1 && dim.ranges[0].length == dim.size;
    if (full && i > 0) {
      Dim& slower = dims_[i - 1];
      for (Range& range : slower.ranges) range = {range.start * dim.size, range.length * dim.size};
      slower.size *= dim.size;
      dims_.erase(dims_.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    dim.step = step;
    step *= dim.size;
  }
}

}  // namespace vescale::rng
