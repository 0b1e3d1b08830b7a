#pragma once
/// Ranks in one loop: tensors as plain arrays, distributed and collected by the meaning of their placements.
#include <string>
#include <vector>

#include "cases.h"

namespace vescale::sharding::test {

/// A row-major tensor.
struct Value {
  std::vector<std::int64_t> sizes;
  std::vector<double> data;
};

/// Small whole numbers that depend on `seed`: sums and products of them are exact.
Value numbers(const std::vector<std::int64_t>& sizes, std::uint32_t seed);

/// Each rank's local tensor. Shares of a Partial differ from rank to rank.
std::vector<Value> distribute(const MeshShape& mesh, const std::vector<Placement>& placements,
                              const Value& value);

/// The inverse. An error text if replicas differ or local sizes are wrong, else the value.
struct Collected {
  Value value;
  std::string error;
};
Collected collect(const MeshShape& mesh, const std::vector<Placement>& placements,
                  const std::vector<std::int64_t>& sizes, const std::vector<Value>& locals);

/// Output `output` of the rule on whole values.
Value evaluate(const RuleCase& rule_case, const ShardingRule& rule, std::size_t output,
               const std::vector<Value>& inputs);

/// The same as each rank computes it from local inputs under `resolution`.
std::vector<Value> evaluate_locally(const RuleCase& rule_case, const ShardingRule& rule, std::size_t output,
                                    const MeshShape& mesh, const Resolution& resolution,
                                    const std::vector<std::vector<Value>>& inputs);

}  // namespace vescale::sharding::test
