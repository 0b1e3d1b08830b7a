#pragma once
/// Calls of functions with a sharding rule: f(x) becomes vs::call_local("rule", f, x).
#include <clang/AST/ASTContext.h>

#include "Frontend/Locations.h"
#include "Rewrite/EditSet.h"
#include "Rewrite/HostSide.h"
#include "Rewrite/Messages.h"
#include "Rewrite/Rules.h"

namespace vescale::rewrite {

/// In all that is not on the host side. Uses that are no calls, or that no macro-free text makes, are errors.
void write_local_calls(clang::ASTContext& context, const frontend::Locations& locations, const HostSide& host,
                       const Rules& rules, EditSet& edits, Messages& messages);

}  // namespace vescale::rewrite
