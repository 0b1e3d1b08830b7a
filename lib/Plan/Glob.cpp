#include <algorithm>
#include <vector>

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

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace vescale::plan
