#pragma once
/// Functions and custom autograd Functions with a sharding rule, from VESCALE_RULE or the plan.
#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>

#include <map>
#include <string>
#include <vector>

#include "Frontend/Locations.h"
#include "Plan/Plan.h"
#include "Rewrite/Messages.h"

namespace vescale::rewrite {

class Rules {
 public:
  void add(const clang::Decl& decl, std::string rule) { rules_[decl.getCanonicalDecl()] = std::move(rule); }
  /// Of a function, a template's pattern or a class; null without one.
  const std::string* of(const clang::Decl& decl) const;
  /// Of what a call calls: a function, or `apply` of a custom Function class.
  const std::string* of_callee(const clang::NamedDecl& callee) const;

 private:
  std::map<const clang::Decl*, std::string> rules_;  // by canonical declaration
};

/// Reports texts that are no rule or don't fit their function, and each of `annotations`, the places of
/// VESCALE_RULE, that stands before neither.
Rules find_rules(clang::ASTContext& context, const frontend::Locations& locations, const plan::Plan& plan,
                 const std::vector<clang::SourceLocation>& annotations, Messages& messages);

}  // namespace vescale::rewrite
