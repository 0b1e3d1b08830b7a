#pragma once
/// Generated meshes, placements and rules for the tests of resolve().
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "Sharding/Rule.h"

namespace vescale::sharding::test {

/// 1, 2, 3, 4 ranks, 2x2 and 2x3.
const std::vector<MeshShape>& meshes();

TensorFacts tensor(std::vector<Placement> placements, std::vector<std::int64_t> sizes,
                   bool differentiable = true);

/// Every placement that one axis may give a tensor: R, R+, P, P(max), S of each dim, S(d,2) and S(d,3) where
/// they divide.
std::vector<Placement> options(const std::vector<std::int64_t>& sizes);

/// Calls `visit` with the inputs under every assignment of options on every axis of the mesh, or, if there
/// are more than `limit`, with evenly spaced ones. Placements that can't be (sections that don't divide) are
/// left out.
void for_assignments(const MeshShape& mesh, const std::vector<TensorFacts>& inputs, std::size_t limit,
                     const std::function<void(const std::vector<TensorFacts>&)>& visit);

Layout layout_of(const MeshShape& mesh, const std::vector<Placement>& placements,
                 const std::vector<std::int64_t>& sizes);

/// Global indices along each dim that the rank at `coordinate` owns, in local order.
std::vector<std::vector<std::int64_t>> owned_indices(const Layout& layout,
                                                     const std::vector<std::int64_t>& coordinate);

/// "S(0) R | P R -> S(0) R", for messages.
std::string describe(const std::vector<TensorFacts>& inputs, const Resolution& resolution);

/// A rule in the notation with sizes of its inputs, and how its values are made.
struct RuleCase {
  enum class Values : unsigned char { Product, Sum, SquaredProduct } values;
  std::string notation;
  std::vector<std::vector<std::int64_t>> sizes;
  std::vector<bool> differentiable = {};  ///< all if empty

  std::vector<TensorFacts> inputs() const;
  ShardingRule rule() const;
  friend std::ostream& operator<<(std::ostream& stream, const RuleCase& rule_case);
};

/// Rules of every kind with sizes that divide, that don't, and that leave ranks empty.
const std::vector<RuleCase>& rule_cases();

}  // namespace vescale::sharding::test
