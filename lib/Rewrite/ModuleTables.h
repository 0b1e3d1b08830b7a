#pragma once
/// Where parameters belong, from the annotations of module classes and their members.
#include <string>
#include <vector>

#include "Comm/Decision.h"
#include "Frontend/Facts.h"
#include "Plan/Plan.h"

namespace vescale::rewrite {

/// The table for a module of class `name`: its own and its members' annotations, with the names that modules
/// are registered by in front; elements of module lists are "*". Lines of the plan that can match below the
/// module come last and replace those annotations that they cover.
std::vector<comm::ParameterPlacement> parameter_table(const std::vector<facts::Class>& classes,
                                                      const std::string& name, const plan::Plan& plan);

}  // namespace vescale::rewrite
