#include <vescale/sharding/layout.h>

#include <algorithm>

#include <vescale/error.h>

namespace vescale {
namespace {

std::int64_t total_length(const std::vector<Range>& ranges) {
  std::int64_t length = 0;
  for (const Range& range : ranges) length += range.length;
  return length;
}

// Appends elements `wanted` of the sequence that `ranges` make. Something is appended even if nothing is
// wanted, so that an empty piece keeps its place.
void append_subsequence(const std::vector<Range>& ranges, const Range& wanted, std::vector<Range>& result) {
  const std::size_t before = result.size();
  std::int64_t position = 0;
  for (const Range& range : ranges) {
    const std::int64_t first = std::max(wanted.start, position);
    const std::int64_t last = std::min(wanted.start + wanted.length, position + range.length);
    if (first < last) result.push_back({range.start + first - position, last - first});
    position += range.length;
  }
  if (result.size() > before) return;
  const std::int64_t end = ranges.empty() ? 0 : ranges.back().start + ranges.back().length;
  result.push_back({ranges.size() == 1 ? ranges.front().start + wanted.start : end, 0});
}

void check_dim(const Layout& layout, const Placement& placement) {
  if (placement.dim >= layout.dim()) {
    throw Error("placement " + placement.to_string() + " of a tensor with " + std::to_string(layout.dim()) +
                " dims: it has no dim " + std::to_string(placement.dim));
  }
  const std::int64_t size = layout.sizes[placement.dim];
  if (placement.kind == Placement::Kind::Interleaved && size % placement.sections != 0) {
    throw Error("placement " + placement.to_string() + " of a dim of size " + std::to_string(size) + ": " +
                std::to_string(placement.sections) + " sections do not divide it");
  }
}

}  // namespace

Range chunk_range(Range whole, std::int64_t pieces, std::int64_t index) {
  const std::int64_t chunk = (whole.length + pieces - 1) / pieces;
  const std::int64_t first = std::min(index * chunk, whole.length);
  const std::int64_t last = std::min(first + chunk, whole.length);
  return {whole.start + first, last - first};
}

std::vector<Range> piece_ranges(const std::vector<Range>& ranges, const Placement& placement,
                                std::int64_t pieces, std::int64_t index) {
  const std::int64_t sections = placement.kind == Placement::Kind::Interleaved ? placement.sections : 1;
  const Range all{0, total_length(ranges)};
  std::vector<Range> result;
  for (std::int64_t section = 0; section < sections; ++section) {
    append_subsequence(ranges, chunk_range(chunk_range(all, sections, section), pieces, index), result);
  }
  return result;
}

std::int64_t Layout::numel() const {
  std::int64_t product = 1;
  for (std::int64_t size : sizes) product *= size;
  return product;
}

bool Layout::is_replicated() const {
  return std::all_of(placements.begin(), placements.end(),
                     [](const Placement& p) { return p.is_replicated(); });
}

bool Layout::is_invariant() const {
  return std::all_of(placements.begin(), placements.end(),
                     [](const Placement& p) { return p.is_invariant(); });
}

std::string Layout::to_string() const {
  std::string text;
  for (std::size_t axis = 0; axis < placements.size(); ++axis) {
    if (placements[axis].is_invariant()) continue;
    if (!text.empty()) text += ' ';
    text += mesh->names[axis] + "=" + placements[axis].to_string();
  }
  return text.empty() ? "R" : text;
}

std::vector<std::vector<Range>> owned_ranges(const Layout& layout,
                                             const std::vector<std::int64_t>& coordinate) {
  std::vector<std::vector<Range>> dims;
  dims.reserve(layout.sizes.size());
  for (std::int64_t size : layout.sizes) dims.push_back({Range{0, size}});
  for (std::size_t axis = 0; axis < layout.placements.size(); ++axis) {
    const Placement& placement = layout.placements[axis];
    if (!placement.is_sharded()) continue;
    check_dim(layout, placement);
    std::vector<Range>& ranges = dims[placement.dim];
    ranges = piece_ranges(ranges, placement, layout.mesh->sizes[axis], coordinate[axis]);
  }
  return dims;
}

std::vector<std::int64_t> local_sizes(const Layout& layout, const std::vector<std::int64_t>& coordinate) {
  std::vector<std::int64_t> sizes;
  sizes.reserve(layout.sizes.size());
  for (const std::vector<Range>& dim : owned_ranges(layout, coordinate)) sizes.push_back(total_length(dim));
  return sizes;
}

std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> strides(sizes.size());
  std::int64_t stride = 1;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<std::int64_t>(sizes[d], 1);
  }
  return strides;
}

}  // namespace vescale
