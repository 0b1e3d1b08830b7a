#pragma once
/// The tool without its command line: sources in, rewritten texts and messages out. Writes nothing.
#include <string>
#include <vector>

#include "Rewrite/Messages.h"

namespace vescale::rewrite {

struct Request {
  std::vector<std::string> sources;
  std::string build_directory;  ///< folder of compile_commands.json; else `flags`
  std::vector<std::string> flags;
  std::vector<std::string> dropped_flags;
  std::string root;  ///< default: the folder of the first source
  std::string plan;  ///< plan.json, may be empty
  std::string mesh;  ///< "dp=2,tp=4": sizes for costs
  bool strict = false;
  bool print_facts = false;
};

struct RewrittenFile {
  std::string path;  ///< real path of the original
  std::string original;
  std::string text;
  bool changed() const { return text != original; }
};

/// A collective that a line of the source causes, once each time it runs.
struct Communication {
  std::string path;
  unsigned line = 0;
  std::string collective;  ///< "all_reduce"
  std::string axis;
  bool backward = false;
  double bytes = 0;  ///< that a rank receives, at the mesh given; 0 where sizes come at run time
  std::string reason;
};

struct Outcome {
  enum class Status { Done, Incomplete, NotCompiled, Internal } status = Status::Done;
  std::string root;
  std::vector<RewrittenFile> files;  ///< by path: every source and each file below the root that they include
  std::vector<std::string> sources;  ///< real paths of the sources, in the order given
  std::vector<std::string> dependencies;     ///< all files that were read
  std::vector<Communication> communication;  ///< in the order of files and lines
  Messages messages;
  std::string compiler_output;
  std::string facts;  ///< if asked for
};

inline constexpr const char* tool_version = "0.1.0";

/// The first line of everything the tool writes.
inline constexpr const char* banner_start = "// Written by vescale-rewrite ";

Outcome rewrite(const Request& request);

}  // namespace vescale::rewrite
