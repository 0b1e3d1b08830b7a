#include "Plan/Plan.h"

namespace vescale::plan {

bool matches_fqn(std::string_view pattern, std::string_view fqn) {
  if (pattern.empty()) return fqn.empty();
  if (pattern.substr(0, 2) == "**") {
    for (std::size_t i = 0; i <= fqn.size(); ++i) {
      if (matches_fqn(pattern.substr(2), fqn.substr(i))) return true;
    }
    return false;
  }
  if (pattern.front() == '*') {
    for (std::size_t i = 0; i <= fqn.size(); ++i) {
      if (matches_fqn(pattern.substr(1), fqn.substr(i))) return true;
      if (i < fqn.size() && fqn[i] == '.') return false;
    }
    return false;
  }
  return !fqn.empty() && pattern.front() == fqn.front() && matches_fqn(pattern.substr(1), fqn.substr(1));
}

}  // namespace vescale::plan
