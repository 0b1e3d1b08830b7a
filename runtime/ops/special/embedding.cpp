// Embedding over a sharded vocabulary: each rank looks up its own rows; the result is Partial.
#include <vescale/generated/special.h>
#include <vescale/ops.h>
#include <vescale/redistribute.h>

#include "ops/call.h"
#include "ops/special/local_index.h"
#include "ops/special/random_values.h"
#include "ops/special/sharded_dims.h"

namespace vescale::special {
namespace {

void check_range(const at::Tensor& indices, std::int64_t rows) {
  if (indices.numel() == 0) return;
  TORCH_CHECK_INDEX(indices.min().item<std::int64_t>() >= 0 && indices.max().item<std::int64_t>() < rows,
                    "index out of range in self");
}

/// The row of this rank's piece that is `padding`, or -1.
std::int64_t local_padding(std::int64_t padding, const std::vector<Range>& owned) {
  std::int64_t offset = 0;
  for (const Range& range : owned) {
    if (padding >= range.start && padding < range.start + range.length) return offset + padding - range.start;
    offset += range.length;
  }
  return -1;
}

at::Tensor lookup(const at::Tensor& weight, const at::Tensor& indices, const std::vector<Range>& owned,
                  std::int64_t padding) {
  const LocalIndex local = local_index(indices, owned);
  if (weight.size(0) == 0) {
    // Zeros that still depend on the weight: all ranks have the same graph.
    std::vector<std::int64_t> sizes = indices.sizes().vec();
    sizes.push_back(weight.size(1));
    return weight.new_zeros(sizes) + weight.sum() * 0;
  }
  return at::embedding(weight, local.index, local_padding(padding, owned))
      .masked_fill(local.missing.unsqueeze(-1), 0);
}

}  // namespace

DTensor embedding(const DTensor& weight, const DTensor& indices, std::int64_t padding_idx,
                  bool scale_grad_by_freq, bool sparse) {
  if (!is_sharded_on(weight, 0) || scale_grad_by_freq || sparse) {
    return call<at::_ops::embedding>(weight, indices, c10::SymInt(padding_idx), scale_grad_by_freq, sparse);
  }
  // Along an axis that shards the vocabulary the indices are whole; along the others the two fit as the rule
  // says.
  std::vector<Placement> index_placements = indices.placements();
  std::vector<Placement> weight_placements = weight.placements();
  std::vector<Placement> output(index_placements.size());
  for (std::size_t axis = 0; axis < output.size(); ++axis) {
    Placement& w = weight_placements[axis];
    Placement& i = index_placements[axis];
    if (w.is_sharded_on(0)) {
      i = Placement::invariant();
      output[axis] = Placement::partial();
    } else if (w.is_sharded_on(1)) {
      i = Placement::invariant();
      output[axis] = w;
      output[axis].dim = static_cast<std::int16_t>(indices.dim());
    } else if (i.is_sharded()) {
      w = Placement::replicate();
      output[axis] = i;
    } else if (i.kind == Placement::Kind::Replicate) {
      w = Placement::replicate();
      output[axis] = w;
    } else {
      output[axis] = w;
    }
  }
  const DTensor rows = redistribute(weight, weight_placements);
  const DTensor positions = redistribute(indices, index_placements);
  check_range(positions.local(), weight.size(0));
  std::vector<std::int64_t> sizes = indices.sizes().vec();
  sizes.push_back(weight.size(1));
  return {lookup(rows.local(), positions.local(), rank_layout(rows.layout()).ranges[0], padding_idx),
          LayoutTable::current().intern(output, sizes, contiguous_strides(sizes))};
}

}  // namespace vescale::special
