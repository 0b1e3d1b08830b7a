#pragma once
/// What the tool decided, for people and for programs.
#include <string>

#include "Rewrite/Rewriter.h"

namespace vescale::tool {

/// Remarks whose id or text matches the regular expression. Throws std::regex_error for a malformed one.
std::string remarks(const rewrite::Outcome& outcome, const std::string& pattern);

/// All messages of FILE:LINE; says so if there are none.
std::string explain(const rewrite::Outcome& outcome, const std::string& place);

/// Files changed and messages by kind.
std::string summary(const rewrite::Outcome& outcome);

/// {"version", "status", "files": [{path, changed}], "messages": [{file, line, column, level, id, text}]}
std::string json(const rewrite::Outcome& outcome);

}  // namespace vescale::tool
