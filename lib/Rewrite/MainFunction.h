#pragma once
/// Turns main into vs_main, called by vs::run on every rank.
#include <clang/AST/ASTContext.h>

#include <string>
#include <vector>

#include "Frontend/Locations.h"
#include "Rewrite/EditSet.h"

namespace vescale::rewrite {

void rewrite_main(clang::ASTContext& context, const frontend::Locations& locations,
                  const std::vector<std::string>& axes, EditSet& edits);

}  // namespace vescale::rewrite
