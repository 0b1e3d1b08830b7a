#pragma once
/// Where a conversion that several places need is written once.
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "Inference/Infer.h"

namespace vescale::comm {

using inference::Written;

/// A conversion on an axis around what is written somewhere.
struct Proposal {
  Placement from;
  Placement to;
  std::string reason;
  std::set<std::pair<facts::ExprId, int>> wanted;  ///< expression and context
  bool has_gradient = true;                        ///< of what is converted
};
using Proposals = std::map<std::pair<Written, std::size_t>, Proposal>;

/// Conversions that are right in every context: new ones, given what the trace still needs. Places where
/// contexts disagree go to `refused`.
Proposals propose(const facts::Program& program, const inference::Trace& trace, inference::Refused& refused);

/// Every expression that is written there.
std::vector<facts::ExprId> expressions_at(const facts::Program& program, const Written& place);

}  // namespace vescale::comm
