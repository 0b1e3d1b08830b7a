#pragma once
/// One interned Layout per content on a rank, so that layouts compare by pointer; with what the rank owns of
/// each.
#include <c10/util/ArrayRef.h>

#include <memory>
#include <unordered_map>
#include <vector>

#include <vescale/rank_context.h>
#include <vescale/sharding/layout.h>

namespace vescale {

/// An interned layout and this rank's piece of it.
struct RankLayout : Layout {
  std::vector<std::int64_t> local_sizes;
  std::vector<std::vector<Range>> ranges;  ///< per dim what this rank owns
};

inline const RankLayout& rank_layout(const Layout* layout) { return *static_cast<const RankLayout*>(layout); }

class LayoutTable {
 public:
  /// The rank's table.
  static LayoutTable& current() { return RankContext::current().slot<LayoutTable>(); }

  const Layout* intern(const std::vector<Placement>& placements, c10::IntArrayRef sizes,
                       c10::IntArrayRef strides);
  /// R on every axis.
  const Layout* invariant(c10::IntArrayRef sizes, c10::IntArrayRef strides);
  const Layout* with_placements(const Layout* layout, const std::vector<Placement>& placements) {
    return intern(placements, layout->sizes, layout->strides);
  }

 private:
  std::unordered_multimap<std::size_t, std::unique_ptr<RankLayout>> layouts_;
  std::vector<Placement> invariant_;
};

/// The layout of the gradient of a tensor of `layout`.
const Layout* gradient_layout(const Layout* layout);

/// Strides of a dense tensor of `sizes` whose dims are in the memory order of `strides`.
std::vector<std::int64_t> dense_strides_like(c10::IntArrayRef sizes, c10::IntArrayRef strides);

/// Whether tensors of these sizes and strides are row-major without gaps.
bool is_row_major(c10::IntArrayRef sizes, c10::IntArrayRef strides);

}  // namespace vescale
