#pragma once
/// Short forms of decisions, for comparing.
#include <map>
#include <set>
#include <string>

#include "Comm/Decide.h"
#include "builder.h"

namespace vescale::test {

inline comm::Decisions decided(const Builder& b, bool strict = false, plan::Plan plan = {}) {
  plan.axes = {"dp", "tp"};
  comm::Options options;
  options.mesh = MeshShape{{"dp", "tp"}, {2, 2}};
  options.strict = strict;
  return comm::decide(b.program, plan, options);
}

/// expression -> "tp P -> R"
inline std::map<ExprId, std::string> conversions(const comm::Decisions& decisions) {
  std::map<ExprId, std::string> result;
  for (const auto& one : decisions.conversions) {
    std::string& text = result[Builder::expr_at(one.range)];
    text += (text.empty() ? "" : ", ") + one.axis + " " + one.from.to_string() + " -> " + one.to.to_string();
  }
  return result;
}

inline std::string comment_at(const comm::Decisions& decisions, const facts::SourceRange& range) {
  for (const auto& one : decisions.comments) {
    if (one.range.begin == range.begin && one.range.end == range.end) return one.text;
  }
  return {};
}

/// The ids of remarks and diagnostics.
inline std::multiset<std::string> ids(const comm::Decisions& decisions) {
  std::multiset<std::string> result;
  for (const auto& one : decisions.remarks) result.insert(one.id);
  for (const auto& one : decisions.diagnostics) result.insert(one.id);
  return result;
}

}  // namespace vescale::test
