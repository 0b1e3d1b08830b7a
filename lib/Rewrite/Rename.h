#pragma once
/// Renames LibTorch's types, functions and namespaces to their counterparts in vs, each by the narrowest
/// tokens.
#include <clang/AST/ASTContext.h>

#include "Frontend/Locations.h"
#include "Rewrite/EditSet.h"
#include "Rewrite/HostSide.h"

namespace vescale::rewrite {

void rename_torch(clang::ASTContext& context, const frontend::Locations& locations, const HostSide& host,
                  EditSet& edits);

}  // namespace vescale::rewrite
