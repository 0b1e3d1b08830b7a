#pragma once
/// How shards of factors and shards of the dims made of them correspond.
#include <optional>
#include <vector>

#include "Sharding/Rule.h"

namespace vescale::sharding {

/// Which factor each mesh axis shards, for the axes decided so far; -1 for none.
struct AxisFactors {
  const MeshShape* mesh = nullptr;
  const std::vector<Factor>* factors = nullptr;
  std::vector<int> chosen;
};

/// Where a factor's shards lie in a tensor.
struct FactorLocation {
  enum class Kind : unsigned char { Absent, Inexpressible, Found } kind = Kind::Absent;
  Placement placement;  ///< of Found
};

/// The placement on the next axis that shards `factor` in `tensor`: Shard where it leads its dim, Interleaved
/// behind other factors.
FactorLocation locate(const AxisFactors& axes, const TensorFactors& tensor, int factor);

/// The factors that `placement` on the next axis may shard in `tensor`. Several if some have size 1.
std::vector<int> factors_at(const AxisFactors& axes, const TensorFactors& tensor, const Placement& placement);

/// Whether some rank's piece of `factor`, cut by the decided axes, has exactly `elements`; not if its size is
/// unknown.
bool has_piece_of(const AxisFactors& axes, int factor, std::int64_t elements);

enum class Alignment : unsigned char {
  Exact,
  Assumed,  ///< a size is unknown; right if it divides
  Broken,   ///< some rank would own other elements than those of its part of the factors
};

/// Whether every rank's piece of a tensor of `sizes` under `placements` (one per decided axis) is its part of
/// the factors: what chunks of a flattened or unflattened dim are only if sizes divide.
Alignment alignment(const AxisFactors& axes, const TensorFactors& tensor,
                    const std::vector<std::int64_t>& sizes, const std::vector<Placement>& placements);

}  // namespace vescale::sharding
