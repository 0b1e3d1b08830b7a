#pragma once
/// Unified diffs with three lines around each change.
#include <string>

namespace vescale::rewrite {

/// Empty if both are equal. Headers name `path` with a/ and b/ in front.
std::string unified_diff(const std::string& path, const std::string& before, const std::string& after);

}  // namespace vescale::rewrite
