#include "Rewrite/HostSide.h"

#include <clang/AST/RecursiveASTVisitor.h>

#include <map>

#include "Frontend/TorchTypes.h"

namespace vescale::rewrite {
namespace {

using frontend::annotation;
using frontend::derives_from;

bool is_host_class(const clang::CXXRecordDecl& record) {
  return annotation(record, "host").has_value() || derives_from(record, "torch::data::");
}

// Which functions of the project each function of the project mentions.
class Mentions : public clang::RecursiveASTVisitor<Mentions> {
 public:
  Mentions(const frontend::Locations& locations, const Rules& rules) : locations_(locations), rules_(rules) {}

  bool TraverseDecl(clang::Decl* decl) {
    if (!decl) return true;
    if (!llvm::isa<clang::TranslationUnitDecl>(decl) && decl->getLocation().isValid() &&
        !locations_.in_root(locations_.sources().getExpansionLoc(decl->getLocation()))) {
      return true;
    }
    const bool was_host = in_host_;
    const clang::FunctionDecl* caller = caller_;
    if (const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(decl)) {
      if (is_host_class(*record)) in_host_ = true;
    }
    if (annotation(*decl, "host") || rules_.of(*decl)) in_host_ = true;
    if (in_host_) host.insert(decl->getCanonicalDecl());
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(decl)) {
      // Lambdas and local classes belong to the function around them.
      if (!caller_) caller_ = function->getCanonicalDecl();
    }
    const bool result = RecursiveASTVisitor::TraverseDecl(decl);
    in_host_ = was_host;
    caller_ = caller;
    return result;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr* use) { return mention(use->getDecl()); }
  bool VisitMemberExpr(clang::MemberExpr* use) { return mention(use->getMemberDecl()); }
  bool VisitUnresolvedLookupExpr(clang::UnresolvedLookupExpr* use) {
    for (const clang::NamedDecl* decl : use->decls()) mention(decl);
    return true;
  }

  std::set<const clang::Decl*> host;
  std::map<const clang::FunctionDecl*, std::set<const clang::FunctionDecl*>> callers;

 private:
  bool mention(const clang::NamedDecl* decl) {
    if (const auto* pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(decl))
      decl = pattern->getTemplatedDecl();
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(decl);
    if (!function) return true;
    if (const clang::FunctionDecl* pattern = function->getTemplateInstantiationPattern()) function = pattern;
    function = function->getCanonicalDecl();
    if (caller_ && function != caller_ && locations_.in_root(function->getLocation())) {
      callers[function].insert(caller_);
    }
    return true;
  }

  const frontend::Locations& locations_;
  const Rules& rules_;
  bool in_host_ = false;
  const clang::FunctionDecl* caller_ = nullptr;
};

// Somewhere in the function a name of a tensor or a function of tensors stands.
class TensorUse : public clang::RecursiveASTVisitor<TensorUse> {
 public:
  bool VisitValueDecl(clang::ValueDecl* decl) { return !(found |= frontend::holds_tensor(decl->getType())); }
  bool VisitExpr(clang::Expr* expr) { return !(found |= frontend::holds_tensor(expr->getType())); }
  bool found = false;
};

bool uses_tensors(const clang::FunctionDecl* function) {
  TensorUse use;
  const clang::FunctionDecl* definition = nullptr;
  function->isDefined(definition);
  const clang::FunctionDecl* seen = definition ? definition : function;
  if (frontend::takes_tensors(*seen)) return true;
  use.TraverseDecl(const_cast<clang::FunctionDecl*>(seen));
  return use.found;
}

}  // namespace

HostSide find_host_side(clang::ASTContext& context, const frontend::Locations& locations,
                        const Rules& rules) {
  Mentions mentions(locations, rules);
  mentions.TraverseDecl(context.getTranslationUnitDecl());
  HostSide result{std::move(mentions.host), {}};
  auto host_callers = [&](const auto& callers) {
    return std::count_if(callers.begin(), callers.end(),
                         [&](const auto* caller) { return result.contains(caller); });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [function, callers] : mentions.callers) {
      if (result.contains(function) || host_callers(callers) != static_cast<std::ptrdiff_t>(callers.size()))
        continue;
      result.declarations.insert(function);
      changed = true;
    }
  }
  for (const auto& [function, callers] : mentions.callers) {
    if (!result.contains(function) && host_callers(callers) > 0 && uses_tensors(function)) {
      result.contested.push_back(function);
    }
  }
  return result;
}

}  // namespace vescale::rewrite
