#include "Rewrite/LocalCalls.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <algorithm>
#include <set>

#include "Frontend/TorchTypes.h"
#include "Frontend/Types.h"
#include "Rewrite/PlacedValues.h"

namespace vescale::rewrite {
namespace {

using frontend::Locations;
using frontend::Span;
using TypeKind = facts::Type::Kind;

// The offset of the parenthesis that opens the arguments behind a callee.
std::optional<unsigned> open_parenthesis(llvm::StringRef text, const Span& callee) {
  const std::size_t found = text.find_first_not_of(" \t\r\n", callee.end);
  if (found == llvm::StringRef::npos || text[found] != '(') return std::nullopt;
  return static_cast<unsigned>(found);
}

// What makes braces a value whose type a template can deduce; empty if we know none.
std::string type_of_braces(clang::QualType parameter) {
  switch (frontend::lower_type(parameter).kind) {
    case TypeKind::Tensor:
      return "vs::DTensor";
    case TypeKind::OptionalTensor:
      return "std::optional<vs::DTensor>";
    case TypeKind::TensorList:
      return "std::vector<vs::DTensor>";
    case TypeKind::IntList:
      return "std::vector<std::int64_t>";
    default:
      return {};
  }
}

class LocalCalls : public clang::RecursiveASTVisitor<LocalCalls> {
 public:
  LocalCalls(const Locations& locations, const HostSide& host, const Rules& rules, EditSet& edits,
             Messages& messages)
      : locations_(locations), host_(host), rules_(rules), edits_(edits), messages_(messages) {}

  bool TraverseDecl(clang::Decl* decl) {
    if (!decl) return true;
    if (!llvm::isa<clang::TranslationUnitDecl>(decl)) {
      if (decl->isImplicit() || host_.contains(decl)) return true;
      const clang::SourceLocation location = locations_.sources().getExpansionLoc(decl->getLocation());
      if (location.isValid() && !locations_.in_root(location)) return true;
    }
    return RecursiveASTVisitor::TraverseDecl(decl);
  }

  bool VisitCallExpr(clang::CallExpr* call) {
    if (llvm::isa<clang::CXXOperatorCallExpr>(call)) return true;
    const clang::Expr* callee = call->getCallee()->IgnoreParenImpCasts();
    if (const std::string* rule = rule_of(callee)) {
      called_.insert(callee);
      write(*call, *callee, *rule);
    }
    return true;
  }

  // Calls are visited before their callees.
  bool VisitDeclRefExpr(clang::DeclRefExpr* use) { return check_called(use); }
  bool VisitMemberExpr(clang::MemberExpr* use) { return check_called(use); }
  bool VisitUnresolvedLookupExpr(clang::UnresolvedLookupExpr* use) { return check_called(use); }

 private:
  // All that an overloaded name may mean have one rule, or the call is not known to have it.
  const std::string* rule_of(const clang::Expr* callee) const {
    if (const auto* use = llvm::dyn_cast<clang::DeclRefExpr>(callee))
      return rules_.of_callee(*use->getDecl());
    if (const auto* use = llvm::dyn_cast<clang::MemberExpr>(callee))
      return rules_.of_callee(*use->getMemberDecl());
    const auto* lookup = llvm::dyn_cast<clang::OverloadExpr>(callee);
    if (!lookup || lookup->getNumDecls() == 0) return nullptr;
    const std::string* rule = nullptr;
    for (const clang::NamedDecl* decl : lookup->decls()) {
      const std::string* one = rules_.of_callee(*decl);
      if (!one || (rule && *rule != *one)) return nullptr;
      rule = one;
    }
    return rule;
  }

  bool check_called(const clang::Expr* use) {
    if (rule_of(use) && !called_.count(use)) {
      error(use->getExprLoc(),
            "this function has a sharding rule and is named here without being called; write a lambda "
            "that calls it");
    }
    return true;
  }

  void write(const clang::CallExpr& call, const clang::Expr& callee, const std::string& rule) {
    const auto whole = locations_.tokens(call.getSourceRange());
    const auto named = locations_.tokens(call.getCallee()->getSourceRange());
    const auto open = named && whole && whole->path == named->path && named->end < whole->end
                          ? open_parenthesis(locations_.file_text(callee.getBeginLoc()), *named)
                          : std::nullopt;
    if (!open || *open >= whole->end) {
      return error(call.getBeginLoc(),
                   "this call of a function with a sharding rule is made by a macro and can't be rewritten; "
                   "write it without the macro");
    }
    const bool plain = is_plain_function(call, callee);
    const std::string pieces = unused_name(locations_.text(*named));
    std::string before = "vs::call_local(" + quoted(rule) + ", ";
    if (!plain) {
      before += llvm::isa<clang::DeclRefExpr>(callee) ? "[]" : "[&]";
      before += "(auto&&... " + pieces + ") { return ";
    }
    const std::string behind =
        (plain ? std::string() : "(" + pieces + "...); }") + (has_written_arguments(call) ? ", " : "");
    // Behind conversions of the call's result, in front of those of what its text begins with.
    edits_.add(whole->path, {whole->begin, 0, before, opening_priority(whole->end - whole->begin) + 1});
    edits_.add(whole->path, {*open, 1, behind});
    type_braces(call);
  }

  static std::string unused_name(const std::string& callee) {
    std::string name = "pieces";
    while (callee.find(name) != std::string::npos) name += "_";
    return name;
  }

  static bool is_default(const clang::Expr* argument) {
    return llvm::isa<clang::CXXDefaultArgExpr>(argument);
  }

  static bool has_written_arguments(const clang::CallExpr& call) {
    return call.getNumArgs() > 0 && !is_default(call.getArg(0));
  }

  // Whether the callee's name alone is the function, with the arguments that are written.
  static bool is_plain_function(const clang::CallExpr& call, const clang::Expr& callee) {
    const auto* use = llvm::dyn_cast<clang::DeclRefExpr>(&callee);
    const auto* function = use ? llvm::dyn_cast<clang::FunctionDecl>(use->getDecl()) : nullptr;
    if (!function || use->hadMultipleCandidates() || function->isTemplateInstantiation()) return false;
    return std::none_of(call.arg_begin(), call.arg_end(), is_default);
  }

  // A template can't deduce the type of {a, b}.
  void type_braces(const clang::CallExpr& call) {
    const clang::FunctionDecl* function = call.getDirectCallee();
    for (unsigned i = 0; i < call.getNumArgs(); ++i) {
      const clang::SourceLocation begin = call.getArg(i)->getBeginLoc();
      const auto brace = is_default(call.getArg(i)) ? std::nullopt : locations_.token(begin);
      if (!brace || locations_.text(*brace) != "{") continue;
      const std::string type =
          function && i < function->getNumParams() && !function->isTemplateInstantiation()
              ? type_of_braces(function->getParamDecl(i)->getType())
              : std::string();
      if (type.empty()) {
        error(begin,
              "the type of these braces is not known in a call under a sharding rule; write it in front");
      } else {
        edits_.add(brace->path, {brace->begin, 0, type, far_priority + 1});
      }
    }
  }

  void error(clang::SourceLocation place, const std::string& text) {
    messages_.add(message_at(locations_, place, Message::Level::Error, "VS1027", text));
  }

  const Locations& locations_;
  const HostSide& host_;
  const Rules& rules_;
  EditSet& edits_;
  Messages& messages_;
  std::set<const clang::Expr*> called_;
};

}  // namespace

void write_local_calls(clang::ASTContext& context, const Locations& locations, const HostSide& host,
                       const Rules& rules, EditSet& edits, Messages& messages) {
  LocalCalls(locations, host, rules, edits, messages).TraverseDecl(context.getTranslationUnitDecl());
}

}  // namespace vescale::rewrite
