#pragma once
/// What inference and communication planning decided, by source range: all that Rewrite and Report need.
#include <string>
#include <vector>

#include <vescale/sharding/placement.h>
#include "Frontend/Facts.h"
#include "Sharding/Conversion.h"

namespace vescale::comm {

/// Wrap the expression at `range` in a call that changes its placement on one axis.
struct InsertedConversion {
  facts::SourceRange range;
  std::string axis;
  Placement from;
  Placement to;
  sharding::Conversion movement;
  std::string reason;        ///< e.g. "dropout is not linear in its input's sum"
  double bytes_forward = 0;  ///< per rank at the mesh given, 0 if sizes are unknown
  double bytes_backward = 0;
};

/// A trailing comment for the line of `range`: the placements of what the line makes.
struct PlacementComment {
  facts::SourceRange range;
  std::string text;
};

/// A communication that is not a call of its own (deferred gradient sums), or something decided at run time.
struct Remark {
  facts::SourceRange range;
  std::string id;
  std::string text;
};

/// An error or warning with a stable id, listed in docs/diagnostics.md.
struct Diagnostic {
  enum class Level : unsigned char { Note, Warning, Error } level = Level::Error;
  std::string id;
  facts::SourceRange range;
  std::string message;
  std::string fixit;  ///< replacement or insertion to offer, may be empty
  std::vector<Diagnostic> notes;
};

/// A line of the emitted distribute_module table.
struct ParameterPlacement {
  std::string pattern;     ///< FQN glob
  std::string placements;  ///< "tp=S(0)"
};

/// A parameter that the program uses, and what a rank keeps of it.
struct ParameterMemory {
  std::string fqn;            ///< elements of lists are "*"
  std::string placements;     ///< "tp=S(0)", "R" if every rank has all of it
  double bytes = 0;           ///< as floats; 0 if its sizes or the mesh come at run time
  double bytes_per_rank = 0;  ///< of the rank with the largest piece
};

struct Decisions {
  std::vector<std::string> axes;
  std::vector<InsertedConversion> conversions;
  std::vector<PlacementComment> comments;
  std::vector<Remark> remarks;
  std::vector<Diagnostic> diagnostics;
  std::vector<ParameterMemory> parameters;  ///< by FQN
  /// Per root module variable (index into Program::variables) the table emitted after its construction.
  std::vector<std::pair<facts::VarId, std::vector<ParameterPlacement>>> modules;
};

}  // namespace vescale::comm
