#pragma once
/// What was decided, for people and for programs. The same decisions give the same text.
#include <string>

#include "Comm/Decision.h"

namespace vescale::report {

/// {"axes", "lines": [{"file", "line", "placements", "communication": [...]}], "parameters", "totals"}: per
/// source line what it makes and which collectives it causes, forward and backward, with the bytes that a
/// rank receives; per parameter the bytes in all and on a rank; per axis the bytes of all lines, each taken
/// once.
std::string json(const comm::Decisions& decisions, const facts::Program& program);

/// A few lines: collectives by kind and axis, parameters' bytes in all and on a rank.
std::string summary(const comm::Decisions& decisions);

}  // namespace vescale::report
