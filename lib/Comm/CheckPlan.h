#pragma once
/// A plan and annotations against the program they speak of.
#include <vector>

#include "Comm/Decision.h"
#include "Plan/Plan.h"

namespace vescale::comm {

/// Names in the plan that nothing in the program has, and placements that the plan takes over from
/// annotations.
void check_plan(const facts::Program& program, const plan::Plan& plan, std::vector<Diagnostic>& diagnostics);

/// FQNs of the parameters and buffers below a module class; elements of lists are "*", what is not known
/// "**".
std::vector<std::string> parameter_names(const facts::Program& program, const std::string& class_name);

}  // namespace vescale::comm
