#pragma once
/// What stays plain LibTorch: data sets and what only they reach, and what is annotated VESCALE_HOST.
#include <clang/AST/ASTContext.h>

#include <set>
#include <vector>

#include "Frontend/Locations.h"

namespace vescale::rewrite {

struct HostSide {
  std::set<const clang::Decl*> declarations;  ///< classes, functions and variables, canonical
  /// Functions with tensors that both sides call.
  std::vector<const clang::FunctionDecl*> contested;

  bool contains(const clang::Decl* decl) const { return declarations.count(decl->getCanonicalDecl()) > 0; }
};

HostSide find_host_side(clang::ASTContext& context, const frontend::Locations& locations);

}  // namespace vescale::rewrite
