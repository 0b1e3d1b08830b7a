#pragma once
/// Views that had to move. x[1] of an x sharded on dim 0 lies on one rank; the other ranks get a copy of it.
/// So that a write to it (`x[1] = y`, `x[1] += y`) still reaches x, the copy remembers where it comes from.
#include <memory>
#include <optional>
#include <vector>

#include <vescale/dtensor.h>

#include "tensor/access.h"

namespace vescale {

/// Elements start, start + step, ... of a dim, `count` of them; `selected`: one element, whose dim is
/// dropped.
struct Part {
  std::int64_t dim = 0;
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
  bool selected = false;
};

struct MovedView {
  DTensor base;
  DTensor copy;
  std::optional<Part> part;  ///< which elements of base; none: not known, and a write is an error
};

/// Sparse tensors have no storage; their views are not followed.
inline bool share_storage(const DTensor& x, const DTensor& y) {
  const at::Tensor &a = x.local(), &b = y.local();
  return !a.has_storage() || !b.has_storage() ||
         a.storage().unsafeGetStorageImpl() == b.storage().unsafeGetStorageImpl();
}

/// What a view op made of `self`, for a result that is a copy or a view of one.
DTensor moved_result(const DTensor& self, DTensor result, std::optional<Part> part);

/// `result` as the view of `self` that an op gave.
inline DTensor viewed(const DTensor& self, DTensor result, std::optional<Part> part = std::nullopt) {
  if (share_storage(self, result) && DTensorAccess::moved_view(self) == nullptr) return result;
  return moved_result(self, std::move(result), part);
}
inline std::vector<DTensor> viewed(const DTensor& self, std::vector<DTensor> results) {
  for (DTensor& result : results) result = viewed(self, std::move(result));
  return results;
}
/// Of an op that may as well give a copy by its own meaning (reshape, contiguous, to).
inline DTensor maybe_viewed(const DTensor& self, DTensor result) {
  return share_storage(self, result) ? viewed(self, std::move(result)) : result;
}

/// Throws Error before a write to a view that moved and does not know where it came from.
void check_writable(const MovedView& moved);
/// Writes the copy's elements to the tensor that they were copied from.
void write_back(const MovedView& moved);

/// Runs an in-place op on `self`; if self is a view that moved, the tensor behind it is written too.
template <class Op>
DTensor& written(const DTensor& self, Op&& op) {
  const std::shared_ptr<const MovedView> moved = DTensorAccess::moved_view(self);
  if (moved == nullptr) return op();
  check_writable(*moved);
  DTensor& result = op();
  write_back(*moved);
  return result;
}

}  // namespace vescale
