#pragma once
/// Writes decided communication into the source: conversions as calls around expressions, placements as
/// comments at the ends of lines, remarks and diagnostics as messages.
#include <functional>
#include <string>

#include "Comm/Decision.h"
#include "Rewrite/EditSet.h"
#include "Rewrite/Messages.h"

namespace vescale::rewrite {

/// `read` gives the text of a file by its real path.
void apply_decisions(const comm::Decisions& decisions, const facts::Program& program,
                     const std::function<const std::string&(const std::string&)>& read, EditSet& edits,
                     Messages& messages);

/// What is written before and behind an expression to convert it: "vs::all_reduce(" and ", \"tp\")".
struct ConversionCall {
  std::string open;
  std::string close;
};
ConversionCall conversion_call(const comm::InsertedConversion& conversion);

}  // namespace vescale::rewrite
