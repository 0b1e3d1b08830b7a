#pragma once
/// The command line of vescale-rewrite.
#include <optional>
#include <string>

#include "Rewrite/Rewriter.h"

namespace vescale::tool {

struct Options {
  rewrite::Request request;
  std::string output;  ///< -o
  std::string out_dir;
  bool in_place = false;
  bool force = false;
  bool diff = false;
  bool check = false;
  std::optional<std::string> remarks;  ///< a regular expression
  std::string report;                  ///< summary, json
  std::string explain;                 ///< FILE:LINE
  std::string depfile;
  std::optional<std::string> depfile_target;
};

/// Exit status of the tool.
enum Exit { done = 0, incomplete = 1, usage = 2, not_compiled = 3, internal = 4 };

/// Nothing if the program should end with `status` (help, version, a mistake, which is printed).
std::optional<Options> parse_options(int argc, char** argv, int& status);

}  // namespace vescale::tool
