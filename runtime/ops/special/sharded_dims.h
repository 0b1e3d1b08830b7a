#pragma once
/// Questions that ops with global statistics ask of a layout.
#include <ATen/ATen.h>
#include <ATen/WrapDimUtils.h>

#include <vescale/dtensor.h>

namespace vescale::special {

/// Whether an axis of several ranks places `x` by `holds`. On an axis of one rank every placement is the
/// whole value, and LibTorch's own op serves.
template <class Holds>
bool on_some_axis(const DTensor& x, const Holds& holds) {
  const Layout& layout = *x.layout();
  for (std::size_t axis = 0; axis < layout.placements.size(); ++axis) {
    if (layout.mesh->sizes[axis] > 1 && holds(layout.placements[axis])) return true;
  }
  return false;
}

inline bool is_sharded_on(const DTensor& x, std::int64_t dim) {
  return on_some_axis(x, [&](const Placement& p) { return p.is_sharded_on(dim); });
}

inline bool is_whole(const DTensor& x) {
  return !x.defined() || !on_some_axis(x, [](const Placement& p) { return !p.is_replicated(); });
}

/// The dims that a reduction over `dim` runs over: all if it names none.
inline std::vector<std::int64_t> reduced_dims(const DTensor& x, at::OptionalIntArrayRef dim) {
  std::vector<std::int64_t> dims;
  if (!dim || dim->empty()) {
    for (std::int64_t d = 0; d < x.dim(); ++d) dims.push_back(d);
  } else {
    for (std::int64_t d : *dim) dims.push_back(at::maybe_wrap_dim(d, x.dim()));
  }
  return dims;
}

inline bool reduces_sharded_dim(const DTensor& x, at::OptionalIntArrayRef dim) {
  const std::vector<std::int64_t> dims = reduced_dims(x, dim);
  return std::any_of(dims.begin(), dims.end(), [&](std::int64_t d) { return is_sharded_on(x, d); });
}

/// Elements that a reduction over `dim` takes together, over all ranks.
inline std::int64_t reduced_count(const DTensor& x, at::OptionalIntArrayRef dim) {
  std::int64_t count = 1;
  for (std::int64_t d : reduced_dims(x, dim)) count *= x.size(d);
  return count;
}

}  // namespace vescale::special
