#pragma once
/// Global indices into a sharded dim, as this rank's piece sees them.
#include <ATen/ATen.h>

#include <vector>

#include <vescale/sharding/layout.h>

namespace vescale::special {

struct LocalIndex {
  at::Tensor index;    ///< position in the piece; 0 where this rank does not own the element
  at::Tensor missing;  ///< bool: not owned by this rank
};

inline LocalIndex local_index(const at::Tensor& global, const std::vector<Range>& owned) {
  LocalIndex result{at::zeros_like(global), at::ones_like(global, global.options().dtype(at::kBool))};
  std::int64_t offset = 0;
  for (const Range& range : owned) {
    const at::Tensor inside = global.ge(range.start).logical_and_(global.lt(range.start + range.length));
    result.index = at::where(inside, global - range.start + offset, result.index);
    result.missing.logical_and_(inside.logical_not());
    offset += range.length;
  }
  return result;
}

}  // namespace vescale::special
