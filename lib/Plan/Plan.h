#pragma once
/// plan.json: the annotations of a program kept beside it. What it says wins over annotations in the source.
///
///   {"mesh": ["dp", "tp"],
///    "parameters": {"blocks.*.up.weight": "tp=S(0)"},
///    "values": {"BlockImpl::forward.x": "tp=S(1)"},
///    "rules": {"distances": "(n d, m d) -> n m"}}
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "Plan/Annotation.h"

namespace vescale::plan {

struct Plan {
  std::vector<std::string> axes;                            ///< empty if the plan names none
  std::vector<ParameterPlacement> parameters;               ///< in the order of the file
  std::vector<std::pair<std::string, std::string>> values;  ///< "Class::function.variable" -> placements
  std::vector<std::pair<std::string, std::string>> rules;   ///< function or custom Function -> sharding rule
  std::string text;                                         ///< the file, for the output's digest

  /// The rule for a function or class of this qualified name; null if the plan has none.
  const std::string* rule_of(std::string_view name) const;
};

/// `axes` are those of VESCALE_MESH; a plan's own "mesh" must name the same if both are there.
/// Throws vescale::Error of the form FILE:LINE:COLUMN: message, or FILE: at KEY: message.
Plan read_plan(const std::string& path, const std::vector<std::string>& axes);
Plan parse_plan(const std::string& text, const std::string& path, const std::vector<std::string>& axes);

/// `*` matches within one component of an FQN, `**` any number of components.
bool matches_fqn(std::string_view pattern, std::string_view fqn);

/// Insertions, deletions and replacements that turn one name into the other, for "did you mean".
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace vescale::plan
