#pragma once
/// What stays plain LibTorch: data sets, what is annotated VESCALE_HOST, what has a sharding rule, and what
/// only these reach.
#include <clang/AST/ASTContext.h>

#include <set>
#include <vector>

#include "Frontend/Locations.h"
#include "Rewrite/Rules.h"

namespace vescale::rewrite {

struct HostSide {
  std::set<const clang::Decl*> declarations;  ///< classes, functions and variables, canonical
  /// Functions with tensors that both sides call.
  std::vector<const clang::FunctionDecl*> contested;

  bool contains(const clang::Decl* decl) const { return declarations.count(decl->getCanonicalDecl()) > 0; }
};

HostSide find_host_side(clang::ASTContext& context, const frontend::Locations& locations, const Rules& rules);

}  // namespace vescale::rewrite
