#include "Sharding/FactorPlacement.h"

#include <algorithm>
#include <functional>

namespace vescale::sharding {
namespace {

// More ranges than this on one rank are not compared; the placement counts as broken.
constexpr std::size_t max_ranges = 1 << 14;

// The number of blocks that the factors before `position` cut what an axis sees of the dim into. Nothing if
// it is unknown or differs from rank to rank.
std::optional<std::int64_t> sections_before(const AxisFactors& axes, const DimFactors& dim,
                                            std::size_t position) {
  std::int64_t sections = 1;
  for (std::size_t j = 0; j < position; ++j) {
    std::int64_t size = (*axes.factors)[dim[j]].size;
    if (size <= 0) return std::nullopt;
    for (std::size_t axis = 0; axis < axes.chosen.size(); ++axis) {
      if (axes.chosen[axis] != dim[j]) continue;
      if (size % axes.mesh->sizes[axis] != 0) return std::nullopt;
      size /= axes.mesh->sizes[axis];
    }
    sections *= size;
  }
  return sections;
}

struct ShardedAxis {
  std::size_t axis;
  int factor;
  Placement placement;
};

std::vector<ShardedAxis> axes_on_dim(const AxisFactors& axes, const std::vector<Placement>& placements,
                                     std::size_t dim) {
  std::vector<ShardedAxis> result;
  for (std::size_t axis = 0; axis < placements.size(); ++axis) {
    if (placements[axis].is_sharded_on(static_cast<std::int64_t>(dim))) {
      result.push_back({axis, axes.chosen[axis], placements[axis]});
    }
  }
  return result;
}

// Calls `check` with each combination of coordinates on `sharded` until it says no.
bool for_all_coordinates(const AxisFactors& axes, const std::vector<ShardedAxis>& sharded,
                         const std::function<bool(const std::vector<std::int64_t>&)>& check) {
  std::vector<std::int64_t> coordinate(sharded.size(), 0);
  for (;;) {
    if (!check(coordinate)) return false;
    std::size_t i = sharded.size();
    while (i > 0 && ++coordinate[i - 1] == axes.mesh->sizes[sharded[i - 1].axis]) coordinate[--i] = 0;
    if (i == 0) return true;
  }
}

Range nested_chunk(const AxisFactors& axes, const std::vector<ShardedAxis>& sharded, int factor,
                   std::int64_t size, const std::vector<std::int64_t>& coordinate) {
  Range range{0, size};
  for (std::size_t i = 0; i < sharded.size(); ++i) {
    if (sharded[i].factor == factor) {
      range = chunk_range(range, axes.mesh->sizes[sharded[i].axis], coordinate[i]);
    }
  }
  return range;
}

// All axes shard the same factor, in the same way: one section stands for all. Pieces follow one another, so
// if all have the right length, all have the right start.
bool sections_align(const AxisFactors& axes, const std::vector<ShardedAxis>& sharded, std::int64_t dim_size) {
  const int factor = sharded.front().factor;
  const std::int64_t section = dim_size / sharded.front().placement.sections;
  const std::int64_t size = (*axes.factors)[factor].size;
  return for_all_coordinates(axes, sharded, [&](const std::vector<std::int64_t>& coordinate) {
    const Range of_dim = nested_chunk(axes, sharded, factor, section, coordinate);
    const Range of_factor = nested_chunk(axes, sharded, factor, size, coordinate);
    return of_dim.length == of_factor.length * (section / size);
  });
}

void append_merged(std::vector<Range>& ranges, const Range& next) {
  if (next.length == 0) return;
  if (!ranges.empty() && ranges.back().start + ranges.back().length == next.start) {
    ranges.back().length += next.length;
  } else {
    ranges.push_back(next);
  }
}

// The elements of the dim that belong to the parts of its factors at `coordinate`; nothing if they are too
// scattered.
std::optional<std::vector<Range>> ranges_of_factors(const AxisFactors& axes,
                                                    const std::vector<ShardedAxis>& sharded,
                                                    const DimFactors& dim,
                                                    const std::vector<std::int64_t>& coordinate) {
  std::vector<Range> ranges{{0, 1}};
  std::int64_t block = 1;
  for (std::size_t j = dim.size(); j-- > 0;) {
    const std::int64_t size = (*axes.factors)[dim[j]].size;
    const Range part = nested_chunk(axes, sharded, dim[j], size, coordinate);
    std::vector<Range> outer;
    if (ranges == std::vector<Range>{{0, block}}) {
      append_merged(outer, {part.start * block, part.length * block});
    } else {
      for (std::int64_t i = part.start; i < part.start + part.length; ++i) {
        for (const Range& inner : ranges) append_merged(outer, {i * block + inner.start, inner.length});
        if (outer.size() > max_ranges) return std::nullopt;
      }
    }
    ranges = std::move(outer);
    block *= size;
  }
  return ranges;
}

bool ranges_align(const AxisFactors& axes, const std::vector<ShardedAxis>& sharded, const DimFactors& dim,
                  std::int64_t dim_size) {
  return for_all_coordinates(axes, sharded, [&](const std::vector<std::int64_t>& coordinate) {
    std::vector<Range> owned{{0, dim_size}};
    for (std::size_t i = 0; i < sharded.size(); ++i) {
      if (static_cast<std::size_t>(sharded[i].placement.sections) * owned.size() > max_ranges) return false;
      owned = piece_ranges(owned, sharded[i].placement, axes.mesh->sizes[sharded[i].axis], coordinate[i]);
    }
    std::vector<Range> merged;
    for (const Range& range : owned) append_merged(merged, range);
    const auto expected = ranges_of_factors(axes, sharded, dim, coordinate);
    return expected && merged == *expected;
  });
}

Alignment dim_alignment(const AxisFactors& axes, const DimFactors& dim, std::int64_t dim_size,
                        const std::vector<ShardedAxis>& sharded) {
  std::int64_t product = 1;
  for (int factor : dim) {
    const std::int64_t size = (*axes.factors)[factor].size;
    product = size == unknown_size || product == unknown_size ? unknown_size : product * size;
  }
  const bool known = product != unknown_size && dim_size != unknown_size;
  if (known && product != dim_size) return Alignment::Broken;
  if (dim.size() == 1) return Alignment::Exact;
  if (!known) return Alignment::Assumed;
  if (dim_size == 0) return Alignment::Exact;
  const bool alike = std::all_of(sharded.begin(), sharded.end(), [&](const ShardedAxis& other) {
    return other.factor == sharded.front().factor && other.placement == sharded.front().placement;
  });
  const bool aligned =
      alike ? sections_align(axes, sharded, dim_size) : ranges_align(axes, sharded, dim, dim_size);
  return aligned ? Alignment::Exact : Alignment::Broken;
}

}  // namespace

FactorLocation locate(const AxisFactors& axes, const TensorFactors& tensor, int factor) {
  FactorLocation location;
  for (std::size_t d = 0; d < tensor.dims.size(); ++d) {
    const DimFactors& dim = tensor.dims[d];
    for (std::size_t j = 0; j < dim.size(); ++j) {
      if (dim[j] != factor) continue;
      const auto sections = sections_before(axes, dim, j);
      // A factor that runs along two dims (a diagonal) can't be sharded by one placement.
      if (location.kind != FactorLocation::Kind::Absent || !sections) {
        return {FactorLocation::Kind::Inexpressible, {}};
      }
      const auto at = static_cast<std::int64_t>(d);
      location = {FactorLocation::Kind::Found,
                  *sections == 1 ? Placement::shard(at) : Placement::interleaved(at, *sections)};
    }
  }
  return location;
}

std::vector<int> factors_at(const AxisFactors& axes, const TensorFactors& tensor,
                            const Placement& placement) {
  std::vector<int> result;
  if (!placement.is_sharded() || static_cast<std::size_t>(placement.dim) >= tensor.dims.size()) return result;
  const DimFactors& dim = tensor.dims[placement.dim];
  for (std::size_t j = 0; j < dim.size(); ++j) {
    if (sections_before(axes, dim, j) == placement.sections) result.push_back(dim[j]);
  }
  return result;
}

bool has_piece_of(const AxisFactors& axes, int factor, std::int64_t elements) {
  const std::int64_t size = (*axes.factors)[factor].size;
  if (size == unknown_size) return false;
  std::vector<ShardedAxis> sharded;
  for (std::size_t axis = 0; axis < axes.chosen.size(); ++axis) {
    if (axes.chosen[axis] == factor) sharded.push_back({axis, factor, {}});
  }
  return !for_all_coordinates(axes, sharded, [&](const std::vector<std::int64_t>& coordinate) {
    return nested_chunk(axes, sharded, factor, size, coordinate).length != elements;
  });
}

Alignment alignment(const AxisFactors& axes, const TensorFactors& tensor,
                    const std::vector<std::int64_t>& sizes, const std::vector<Placement>& placements) {
  Alignment result = Alignment::Exact;
  for (std::size_t d = 0; d < tensor.dims.size(); ++d) {
    const std::vector<ShardedAxis> sharded = axes_on_dim(axes, placements, d);
    if (sharded.empty()) continue;
    const std::int64_t size = d < sizes.size() ? sizes[d] : unknown_size;
    const Alignment of_dim = dim_alignment(axes, tensor.dims[d], size, sharded);
    if (of_dim == Alignment::Broken) return of_dim;
    if (of_dim == Alignment::Assumed) result = of_dim;
  }
  return result;
}

}  // namespace vescale::sharding
