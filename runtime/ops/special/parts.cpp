// Parts of a tensor along one dim. Where they lie on other ranks they are copies that remember their place.
#include <ATen/WrapDimUtils.h>
#include <vescale/generated/special.h>

#include <algorithm>

#include "ops/generated_support.h"

namespace vescale::special {
namespace {

/// As LibTorch counts them: negative from the end, then cut to the dim.
std::int64_t clamped(std::int64_t index, std::int64_t size) {
  return std::clamp<std::int64_t>(index < 0 ? index + size : index, 0, size);
}

}  // namespace

DTensor select_int(const DTensor& self, std::int64_t dim, std::int64_t index) {
  DTensor result = call<at::_ops::select_int>(self, dim, sym(index));
  dim = at::maybe_wrap_dim(dim, self.dim());
  return viewed(self, std::move(result), Part{dim, index < 0 ? index + self.size(dim) : index, 1, 1, true});
}

DTensor slice_Tensor(const DTensor& self, std::int64_t dim, std::optional<std::int64_t> start,
                     std::optional<std::int64_t> end, std::int64_t step) {
  DTensor result = call<at::_ops::slice_Tensor>(self, dim, sym(start), sym(end), sym(step));
  dim = at::maybe_wrap_dim(dim, self.dim());
  const std::int64_t count = result.size(dim);
  return viewed(self, std::move(result), Part{dim, clamped(start.value_or(0), self.size(dim)), step, count});
}

DTensor narrow(const DTensor& self, std::int64_t dim, std::int64_t start, std::int64_t length) {
  DTensor result = call<at::_ops::narrow>(self, dim, sym(start), sym(length));
  dim = at::maybe_wrap_dim(dim, self.dim());
  return viewed(self, std::move(result), Part{dim, start < 0 ? start + self.size(dim) : start, 1, length});
}

DTensor narrow_Tensor(const DTensor& self, std::int64_t dim, const DTensor& start, std::int64_t length) {
  return narrow(self, dim, start.item<std::int64_t>(), length);
}

}  // namespace vescale::special
