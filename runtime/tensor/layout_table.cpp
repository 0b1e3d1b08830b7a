#include "tensor/layout_table.h"

#include <algorithm>
#include <numeric>

#include <vescale/mesh.h>

namespace vescale {
namespace {

void mix(std::size_t& hash, std::size_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2);
}

std::size_t content_hash(const std::vector<Placement>& placements, c10::IntArrayRef sizes,
                         c10::IntArrayRef strides) {
  std::size_t hash = sizes.size();
  for (const Placement& p : placements) {
    mix(hash, static_cast<std::size_t>(p.kind) | static_cast<std::size_t>(p.reduce) << 4 |
                  static_cast<std::size_t>(p.dim) << 8 | static_cast<std::size_t>(p.sections) << 24);
  }
  for (std::int64_t n : sizes) mix(hash, static_cast<std::size_t>(n));
  for (std::int64_t n : strides) mix(hash, static_cast<std::size_t>(n));
  return hash;
}

}  // namespace

const Layout* LayoutTable::intern(const std::vector<Placement>& placements, c10::IntArrayRef sizes,
                                  c10::IntArrayRef strides) {
  const std::size_t hash = content_hash(placements, sizes, strides);
  const auto [first, last] = layouts_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    const RankLayout& layout = *it->second;
    if (layout.placements == placements && sizes == layout.sizes && strides == layout.strides) return &layout;
  }
  const RankContext& context = RankContext::current();
  auto layout = std::make_unique<RankLayout>();
  layout->mesh = &context.mesh().shape();
  layout->placements = placements;
  layout->sizes = sizes.vec();
  layout->strides = strides.vec();
  layout->ranges = owned_ranges(*layout, context.mesh().coordinate());
  for (const std::vector<Range>& dim : layout->ranges) {
    layout->local_sizes.push_back(std::accumulate(dim.begin(), dim.end(), std::int64_t{0},
                                                  [](auto n, const Range& r) { return n + r.length; }));
  }
  return layouts_.emplace(hash, std::move(layout))->second.get();
}

const Layout* LayoutTable::invariant(c10::IntArrayRef sizes, c10::IntArrayRef strides) {
  invariant_.resize(RankContext::current().mesh().shape().num_axes());
  return intern(invariant_, sizes, strides);
}

const Layout* gradient_layout(const Layout* layout) {
  std::vector<Placement> placements;
  placements.reserve(layout->placements.size());
  for (const Placement& p : layout->placements) placements.push_back(p.gradient());
  return LayoutTable::current().with_placements(layout, placements);
}

std::vector<std::int64_t> dense_strides_like(c10::IntArrayRef sizes, c10::IntArrayRef strides) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Innermost first; equal strides keep the row-major order.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return strides[a] != strides[b] ? strides[a] < strides[b] : a > b;
  });
  std::vector<std::int64_t> dense(sizes.size());
  std::int64_t stride = 1;
  for (std::size_t d : order) {
    dense[d] = stride;
    stride *= std::max<std::int64_t>(sizes[d], 1);
  }
  return dense;
}

bool is_row_major(c10::IntArrayRef sizes, c10::IntArrayRef strides) {
  std::int64_t expected = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 0) return true;
    if (sizes[i] != 1 && strides[i] != expected) return false;
    expected *= sizes[i];
  }
  return true;
}

}  // namespace vescale
