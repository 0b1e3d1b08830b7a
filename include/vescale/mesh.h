#pragma once
/// The ranks of a program, arranged along named axes, as one of them sees it.
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <vescale/comm.h>
#include <vescale/sharding/mesh_shape.h>

namespace vescale {

class Backend;

/// Bit a is set if axis a takes part.
using AxisMask = std::uint32_t;

/// One object per rank, used by that rank's thread only.
class Mesh {
 public:
  static constexpr std::int64_t max_axes = 10;

  /// `backend` connects as many ranks as `shape` has.
  Mesh(MeshShape shape, std::unique_ptr<Backend> backend);
  ~Mesh();
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;

  const MeshShape& shape() const { return shape_; }
  std::int64_t num_axes() const { return shape_.num_axes(); }
  std::int64_t num_ranks() const { return num_ranks_; }
  /// Index of the axis called `name`; throws Error that lists the axes if there is none.
  std::int64_t axis(std::string_view name) const { return shape_.axis(name); }
  std::int64_t size(std::int64_t axis) const { return shape_.size(axis); }

  std::int64_t rank() const { return rank_; }
  /// Of this rank, one per axis.
  const std::vector<std::int64_t>& coordinate() const { return coordinate_; }
  std::int64_t coordinate(std::int64_t axis) const { return coordinate_.at(static_cast<std::size_t>(axis)); }

  /// The ranks that differ from this one at most in their coordinate on `axis`; their order is that
  /// coordinate's.
  Group& group(std::int64_t axis);
  /// The ranks that agree with this one on every axis outside `axes`, in order of rank. All ranks of such a
  /// group must ask for it sooner or later. Throws Error for a bit that is no axis.
  Group& group_of(AxisMask axes);
  /// All ranks.
  Group& world();

 private:
  MeshShape shape_;
  std::unique_ptr<Backend> backend_;
  std::int64_t num_ranks_;
  std::int64_t rank_;
  std::vector<std::int64_t> coordinate_;
  std::vector<std::unique_ptr<Group>> groups_;  // by mask, made at first use
};

}  // namespace vescale
