#include "Rewrite/RootModules.h"

#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>
#include <set>

#include "Frontend/TorchTypes.h"
#include "Frontend/Types.h"
#include "Rewrite/PlacedValues.h"

namespace vescale::rewrite {
namespace {

using frontend::Locations;

class Finder : public clang::RecursiveASTVisitor<Finder> {
 public:
  Finder(const Locations& locations, const HostSide& host) : locations_(locations), host_(host) {}

  bool TraverseDecl(clang::Decl* decl) {
    if (!decl) return true;
    if (!llvm::isa<clang::TranslationUnitDecl>(decl)) {
      if (decl->isImplicit() || host_.contains(decl)) return true;
      const auto location = locations_.sources().getExpansionLoc(decl->getLocation());
      if (location.isValid() && !locations_.in_root(location)) return true;
    }
    return RecursiveASTVisitor::TraverseDecl(decl);
  }

  bool VisitDeclStmt(clang::DeclStmt* statement) {
    if (!statement->isSingleDecl()) return true;
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(statement->getSingleDecl());
    if (!variable || variable->getType()->isReferenceType() || !constructs(variable->getInit())) return true;
    const clang::CXXRecordDecl* module = frontend::module_class(variable->getType());
    if (!module || !locations_.in_root(module->getLocation())) return true;
    const bool pointer =
        frontend::class_of(variable->getType())->getCanonicalDecl() != module->getCanonicalDecl();
    const auto name = locations_.token(variable->getLocation()),
               end = locations_.token(statement->getEndLoc());
    if (!name || !end) return true;
    found.emplace_back(
        variable,
        RootModule{variable->getNameAsString(), *name, frontend::module_name(*module), pointer, end->end,
                   indentation(locations_.file_text(statement->getEndLoc()), end->begin)});
    return true;
  }

  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr* call) {
    const clang::CXXMethodDecl* method = call->getMethodDecl();
    if (!method || !method->getIdentifier()) return true;
    const llvm::StringRef name = method->getName();
    if (name != "register_module" && name != "replace_module" && name != "push_back") return true;
    for (const clang::Expr* argument : call->arguments()) note(argument);
    return true;
  }

  std::vector<std::pair<const clang::VarDecl*, RootModule>> found;
  std::set<const clang::ValueDecl*> registered;

 private:
  // A value that is made here: not null, not a copy of another variable.
  static bool constructs(const clang::Expr* value) {
    if (!value) return false;
    value = value->IgnoreUnlessSpelledInSource();
    if (const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(value)) {
      return construct->getNumArgs() != 1 || !refers_to_module_or_null(construct->getArg(0));
    }
    if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(value)) return list->getNumInits() > 0;
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(value)) {
      const clang::FunctionDecl* callee = call->getDirectCallee();
      return callee && callee->getIdentifier() &&
             (callee->getName() == "make_shared" || callee->getName() == "make_unique");
    }
    return false;
  }

  static bool refers_to_module_or_null(const clang::Expr* argument) {
    argument = argument->IgnoreUnlessSpelledInSource();
    return argument->getType()->isNullPtrType() || frontend::module_class(argument->getType()) != nullptr;
  }

  void note(const clang::Expr* argument) {
    struct Names : clang::RecursiveASTVisitor<Names> {
      explicit Names(std::set<const clang::ValueDecl*>& to) : to(to) {}
      bool VisitDeclRefExpr(clang::DeclRefExpr* use) { return to.insert(use->getDecl()), true; }
      std::set<const clang::ValueDecl*>& to;
    } names(registered);
    names.TraverseStmt(const_cast<clang::Expr*>(argument));
  }

  const Locations& locations_;
  const HostSide& host_;
};

}  // namespace

std::vector<RootModule> find_root_modules(clang::ASTContext& context, const Locations& locations,
                                          const HostSide& host) {
  Finder finder(locations, host);
  finder.TraverseDecl(context.getTranslationUnitDecl());
  std::vector<RootModule> result;
  for (auto& [variable, root] : finder.found) {
    if (finder.registered.count(variable) == 0) result.push_back(std::move(root));
  }
  return result;
}

}  // namespace vescale::rewrite
