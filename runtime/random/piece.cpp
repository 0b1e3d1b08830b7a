#include "random/piece.h"

#include <ATen/TensorGeometry.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace vescale::rng {
namespace {

/// The same indices with neighbouring ranges joined and empty ones dropped.
DimRanges joined(const DimRanges& ranges) {
  DimRanges result;
  for (const Range& range : ranges) {
    if (range.len == 0) continue;
    if (!result.empty() && result.back().start + result.back().len == range.start) {
      result.back().len += range.len;
    } else {
      result.push_back(range);
    }
  }
  return result;
}

void check_ranges(const DimRanges& ranges, int64_t size, size_t dim) {
  int64_t end = 0;
  for (const Range& range : ranges) {
    TORCH_CHECK(range.len >= 0 && range.start >= end && range.start + range.len <= size,
                "random piece: range [", range.start, ", ", range.start + range.len, ") of dim ", dim,
                " of size ", size, " is out of bounds or not after the range before it");
    end = range.start + range.len;
  }
}

/// Indices [begin, begin + count) of the concatenation of `ranges`, appended to `result`.
void append_slice(const DimRanges& ranges, int64_t begin, int64_t count, DimRanges& result) {
  int64_t offset = 0;
  for (const Range& range : ranges) {
    const int64_t first = std::max(begin, offset);
    const int64_t last = std::min(begin + count, offset + range.len);
    if (first < last) result.push_back({range.start + first - offset, last - first});
    offset += range.len;
  }
}

}  // namespace

GlobalShape GlobalShape::contiguous(c10::IntArrayRef sizes) {
  GlobalShape shape{sizes.vec(), std::vector<int64_t>(sizes.size())};
  int64_t stride = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    shape.strides[d] = stride;
    stride *= std::max<int64_t>(sizes[d], 1);
  }
  return shape;
}

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

Piece whole_piece(c10::IntArrayRef sizes) {
  Piece piece;
  for (const int64_t size : sizes) piece.push_back({{0, size}});
  return piece;
}

int64_t length(const DimRanges& ranges) {
  int64_t total = 0;
  for (const Range& range : ranges) total += range.len;
  return total;
}

DimRanges split(const DimRanges& ranges, int64_t parts, int64_t index) {
  return split_interleaved(ranges, 1, parts, index);
}

DimRanges split_interleaved(const DimRanges& ranges, int64_t groups, int64_t parts, int64_t index) {
  const int64_t total = length(ranges);
  TORCH_CHECK(groups > 0 && total % groups == 0, "interleaved split: ", total,
              " elements do not divide into ", groups, " equal groups");
  TORCH_CHECK(index >= 0 && index < parts, "split: no part ", index, " of ", parts);
  const int64_t group = total / groups;
  const int64_t chunk = (group + parts - 1) / parts;
  const int64_t begin = std::min(group, chunk * index);
  DimRanges result;
  for (int64_t g = 0; g < groups; ++g) {
    append_slice(ranges, g * group + begin, std::min(chunk, group - begin), result);
  }
  return joined(result);
}

Runs::Runs(const GlobalShape& global, const Piece& piece) {
  TORCH_CHECK(global.strides.size() == global.sizes.size() && piece.size() == global.sizes.size(),
              "random piece: ", piece.size(), " dims of ranges and ", global.strides.size(), " strides for ",
              global.sizes.size(), " dims");
  dims_.push_back({1, {{0, 1}}, 1});
  for (const int64_t d : global.memory_order()) {
    check_ranges(piece[d], global.sizes[d], static_cast<size_t>(d));
    Dim dim{global.sizes[d], joined(piece[d]), 1};
    empty_ = empty_ || dim.ranges.empty();
    dims_.push_back(std::move(dim));
  }
  // From the fastest dim outwards: a dim held in full joins the next slower one, so that runs are maximal.
  int64_t step = 1;
  for (size_t i = dims_.size(); i-- > 0;) {
    Dim& dim = dims_[i];
    const bool full = dim.ranges.size() == 1 && dim.ranges[0].len == dim.size;
    if (full && i > 0) {
      Dim& slower = dims_[i - 1];
      for (Range& range : slower.ranges) range = {range.start * dim.size, range.len * dim.size};
      slower.size *= dim.size;
      dims_.erase(dims_.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    dim.step = step;
    step *= dim.size;
  }
}

}  // namespace vescale::rng
