#pragma once
/// Finds what reads the memory of a tensor that may be in pieces.
#include "Frontend/Facts.h"
#include "Rewrite/Messages.h"

namespace vescale::rewrite {

void report_host_access(const facts::Program& program, Messages& messages);

}  // namespace vescale::rewrite
