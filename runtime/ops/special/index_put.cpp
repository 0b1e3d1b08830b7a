// Writes at indices. The elements may lie on any rank, while self has to stay where it is.
#include <vescale/generated/special.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "ops/generated_support.h"

namespace vescale::special {
namespace {

using Indices = std::vector<std::optional<DTensor>>;

bool is_index(const std::optional<DTensor>& index) { return index && index->defined(); }
bool is_mask(const DTensor& index) {
  return index.scalar_type() == at::kBool || index.scalar_type() == at::kByte;
}

/// Whether the write can be done piece by piece: no index is a mask or runs along a dim that some mesh axis
/// splits.
bool is_local(const DTensor& self, const Indices& indices) {
  for (const Placement& placement : self.placements()) {
    if (!placement.is_sharded()) continue;
    if (std::any_of(indices.begin(), indices.end(), [](const auto& i) { return is_index(i) && is_mask(*i); }))
      return false;
    const auto dim = static_cast<std::size_t>(placement.dim);
    if (dim < indices.size() && is_index(indices[dim])) return false;
  }
  return true;
}

/// The only index, a mask, with self's number of dims; nothing if there are others.
std::optional<DTensor> only_mask(const DTensor& self, const Indices& indices) {
  const auto first = std::find_if(indices.begin(), indices.end(), is_index);
  if (first == indices.end() || std::any_of(first + 1, indices.end(), is_index) || !is_mask(**first))
    return {};
  const std::int64_t dim = first - indices.begin();
  DTensor mask = (*first)->to(at::kBool);
  TORCH_CHECK_INDEX(dim + mask.dim() <= self.dim() && self.sizes().slice(dim, mask.dim()) == mask.sizes(),
                    "The shape of the mask ", mask.sizes(), " at index ", dim,
                    " does not match the shape of the indexed tensor ", self.sizes());
  for (std::int64_t i = 0; i < dim; ++i) mask = mask.unsqueeze(0);
  while (mask.dim() < self.dim()) mask = mask.unsqueeze(-1);
  return mask;
}

}  // namespace

DTensor& index_put_(DTensor& self, const Indices& indices, const DTensor& values, bool accumulate) {
  if (is_local(self, indices)) {
    return call_inplace<at::_ops::index_put_>(self, indices, values, accumulate);
  }
  if (!accumulate && values.numel() == 1) {
    const std::optional<DTensor> mask = only_mask(self, indices);
    if (mask) return self.masked_fill_(*mask, values.dim() == 0 ? values : values.reshape(at::IntArrayRef()));
  }
  return self.copy_(call<at::_ops::index_put>(self, indices, values, accumulate));
}

}  // namespace vescale::special
