#pragma once
/// The one table of rules: an op's name to a family of rules with its traits, or to a rule in the notation.
#include <optional>
#include <string_view>
#include <vector>

#include "Sharding/Rules/Call.h"

namespace vescale::sharding::rules {

/// How an op differs from others of its family. Each family reads those that it names.
struct Traits {
  Linearity linearity = Linearity::None;
  /// Names of the tensor arguments that the linearity speaks of; empty means all.
  std::vector<std::string_view> linear = {};
  /// Number of outputs, all of one shape.
  int outputs = 1;
  /// The dims that the op reduces or works along may be sharded: the result is Partial(sum).
  bool sums = false;
  /// Number of spatial dims at the end.
  int spatial = 0;
};

using Family = std::optional<ShardingRule> (*)(const Call& call, const Traits& traits);

struct Entry {
  std::string_view name;  ///< "add", or "max.other" for one overload
  Family family = nullptr;
  Traits traits = {};
  std::string_view notation = {};     ///< instead of a family
  std::string_view family_name = {};  ///< for docs/ops.md
};

/// The entry for an op, in place or not; null if it has none.
const Entry* find_entry(std::string_view name, std::string_view overload);

/// The same for any overload.
const Entry* find_any_entry(std::string_view name);

/// All entries, in order of their names.
std::vector<const Entry*> all_entries();

}  // namespace vescale::sharding::rules
