#pragma once
/// Emits vs::distribute_module behind the construction of each root module.
#include "Comm/Decision.h"
#include "Rewrite/EditSet.h"
#include "Rewrite/RootModules.h"

namespace vescale::rewrite {

/// An empty table emits nothing: all parameters are replicated anyway.
void emit_distribute_module(const RootModule& root, const std::vector<comm::ParameterPlacement>& table,
                            EditSet& edits);

}  // namespace vescale::rewrite
