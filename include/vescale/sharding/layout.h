#pragma once
/// The global description of a sharded tensor: mesh, placement per mesh axis, sizes and memory order.
#include <cstdint>
#include <string>
#include <vector>

#include <vescale/sharding/mesh_shape.h>
#include <vescale/sharding/placement.h>

namespace vescale {

/// Elements [start, start + length) of a dim.
struct Range {
  std::int64_t start = 0;
  std::int64_t length = 0;
  friend bool operator==(const Range& a, const Range& b) {
    return a.start == b.start && a.length == b.length;
  }
};

/// The piece of `whole` that `index` of `pieces` owns: torch.chunk's, so ceil(n/p) each, last ones shorter or
/// empty.
Range chunk_range(Range whole, std::int64_t pieces, std::int64_t index);

/// What `index` of `pieces` keeps, split by the sharded `placement`, of elements that lie in `ranges` one
/// after another. S(d,k) cuts them into k sections first, of which each gives a piece.
std::vector<Range> piece_ranges(const std::vector<Range>& ranges, const Placement& placement,
                                std::int64_t pieces, std::int64_t index);

/// One interned instance per content and mesh: compare layouts by pointer. Never changes.
struct Layout {
  const MeshShape* mesh = nullptr;
  std::vector<Placement> placements;  ///< one per mesh axis
  std::vector<std::int64_t> sizes;    ///< global
  std::vector<std::int64_t> strides;  ///< global memory order, in elements
  /// Null, but for a parameter that is not placed yet: then the layout that every handle of it gets once it
  /// is, or the layout itself until then.
  const Layout* placed_as = nullptr;

  std::int64_t dim() const { return static_cast<std::int64_t>(sizes.size()); }
  std::int64_t numel() const;
  /// No axis shards or leaves a reduction open: every rank holds the whole value.
  bool is_replicated() const;
  /// Every axis is Invariant.
  bool is_invariant() const;
  /// "dp=S(0) tp=P"; axes that are R are left out; "R" when all are.
  std::string to_string() const;
};

/// For each dim the ranges that the rank at `coordinate` owns, in order: one range a dim, or k for
/// Interleaved. Several axes on one dim nest in mesh-axis order: each splits what the axes before it left.
/// Throws vescale::Error if a placement names a dim that the tensor lacks, or if k of S(d,k) does not divide
/// its size.
std::vector<std::vector<Range>> owned_ranges(const Layout& layout,
                                             const std::vector<std::int64_t>& coordinate);

/// Sizes of the local tensor of the rank at `coordinate`.
std::vector<std::int64_t> local_sizes(const Layout& layout, const std::vector<std::int64_t>& coordinate);

/// Row-major strides of a dense tensor of `sizes`.
std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& sizes);

}  // namespace vescale
