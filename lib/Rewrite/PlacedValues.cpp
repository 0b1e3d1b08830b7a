#include "Rewrite/PlacedValues.h"

#include <clang/AST/RecursiveASTVisitor.h>

#include "Frontend/TorchTypes.h"
#include "Plan/Placements.h"
#include "vescale/error.h"

namespace vescale::rewrite {
namespace {

using frontend::Locations;

// "weight: tp=S(0); bias: ..." is about parameters below a module, not about a value.
bool is_table(const std::string& text) { return text.find(':') != std::string::npos; }

// Without the names of dims behind ";".
std::string placements(const std::string& text) {
  const llvm::StringRef before = llvm::StringRef(text).split(';').first;
  return before.trim().str();
}

class Placer : public clang::RecursiveASTVisitor<Placer> {
 public:
  Placer(const Locations& locations, const HostSide& host, const plan::Plan& plan, EditSet& edits,
         Messages& messages)
      : locations_(locations), host_(host), plan_(plan), edits_(edits), messages_(messages) {}

  bool TraverseDecl(clang::Decl* decl) {
    if (!decl) return true;
    if (!llvm::isa<clang::TranslationUnitDecl>(decl)) {
      if (decl->isImplicit() || host_.contains(decl)) return true;
      const auto location = locations_.sources().getExpansionLoc(decl->getLocation());
      if (location.isValid() && !locations_.in_root(location)) return true;
    }
    return RecursiveASTVisitor::TraverseDecl(decl);
  }

  bool VisitVarDecl(clang::VarDecl* variable) {
    const auto text = placement_of(*variable);
    if (!text || is_table(*text) || llvm::isa<clang::ParmVarDecl>(variable)) return true;
    if (!well_formed(*text, variable->getLocation())) return true;
    const clang::Expr* value = initializer(*variable);
    if (!value) {
      error(variable->getLocation(), "VS1021",
            "'" + variable->getNameAsString() +
                "' has a placement but no value here; give it one, or write "
                "VESCALE_REDISTRIBUTE where it gets it");
      return true;
    }
    wrap(value->getSourceRange(), *text);
    return true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (!function->doesThisDeclarationHaveABody()) return true;
    const auto* body = llvm::dyn_cast<clang::CompoundStmt>(function->getBody());
    if (!body) return true;
    std::string entry;
    const auto brace = locations_.token(body->getLBracLoc());
    const std::string line =
        "\n" + (brace ? indentation(locations_.file_text(body->getLBracLoc()), brace->begin) : "");
    for (const clang::ParmVarDecl* parameter : function->parameters())
      entry += entry_of(*parameter, line + "  ");
    if (brace && !entry.empty()) {
      const llvm::StringRef rest = locations_.file_text(body->getLBracLoc()).substr(brace->end);
      if (!rest.ltrim(" \t").starts_with("\n")) entry += line + "  ";
      edits_.add(brace->path, {brace->end, 0, entry});
    }
    return true;
  }

 private:
  // The written value of `T x = value` and `T x(value)`.
  static const clang::Expr* initializer(const clang::VarDecl& variable) {
    const clang::Expr* value = variable.getInit();
    if (!value) return nullptr;
    value = value->IgnoreImplicit();
    if (const auto* list = llvm::dyn_cast<clang::ParenListExpr>(value)) {
      return list->getNumExprs() == 1 ? list->getExpr(0) : nullptr;
    }
    const auto* construct = llvm::dyn_cast<clang::CXXConstructExpr>(value);
    if (construct && variable.getInitStyle() != clang::VarDecl::CInit) {
      return construct->getNumArgs() == 1 ? construct->getArg(0)->IgnoreImplicit() : nullptr;
    }
    if (construct && construct->getNumArgs() == 0 && construct->getParenOrBraceRange().isInvalid())
      return nullptr;
    return value;
  }

  // What the plan says of the variable, or else its annotation.
  std::optional<std::string> placement_of(const clang::VarDecl& variable) const {
    if (const auto* function =
            llvm::dyn_cast_or_null<clang::FunctionDecl>(variable.getParentFunctionOrMethod())) {
      const std::string name = frontend::qualified_name(*function) + "." + variable.getNameAsString();
      for (const auto& [planned, text] : plan_.values) {
        if (planned == name) return text;
      }
    }
    return frontend::annotation(variable, "place");
  }

  std::string entry_of(const clang::ParmVarDecl& parameter, const std::string& line) {
    const auto text = placement_of(parameter);
    if (!text || is_table(*text) || !well_formed(*text, parameter.getLocation())) return {};
    const std::string name = parameter.getNameAsString();
    if (parameter.getType().getNonReferenceType().isConstQualified()) {
      error(parameter.getLocation(), "VS1022",
            "'" + name + "' is const and can't be given its placement; take it by value, without const");
      return {};
    }
    remark(parameter.getLocation(), *text);
    return line + name + " = vs::redistribute(" + name + ", " + quoted(placements(*text)) + ");";
  }

  void wrap(clang::SourceRange range, const std::string& text) {
    const auto span = locations_.tokens(range);
    if (!span) {
      error(range.getBegin(), "VS1004",
            "this value is made by a macro; its placement can't be written there");
      return;
    }
    remark(range.getBegin(), text);
    edits_.add(span->path, {span->begin, 0, "vs::redistribute(", 10});
    edits_.add(span->path, {span->end, 0, ", " + quoted(placements(text)) + ")", -10});
  }

  bool well_formed(const std::string& text, clang::SourceLocation location) {
    try {
      plan::parse_placements(placements(text));
      return true;
    } catch (const std::exception& problem) {
      error(location, "VS1020", problem.what());
      return false;
    }
  }

  void remark(clang::SourceLocation location, const std::string& text) {
    messages_.add(
        message_at(locations_, location, Message::Level::Remark, "VS2002",
                   "redistributed to " + placements(text) + ", as its annotation or the plan says"));
  }

  void error(clang::SourceLocation location, std::string id, std::string text) {
    messages_.add(message_at(locations_, location, Message::Level::Error, std::move(id), std::move(text)));
  }

  const Locations& locations_;
  const HostSide& host_;
  const plan::Plan& plan_;
  EditSet& edits_;
  Messages& messages_;
};

}  // namespace

Message message_at(const Locations& locations, clang::SourceLocation location, Message::Level level,
                   std::string id, std::string text) {
  const auto place = locations.sources().getPresumedLoc(locations.sources().getExpansionLoc(location));
  return {place.getFilename(), place.getLine(), place.getColumn(), level, std::move(id), std::move(text)};
}

std::string indentation(llvm::StringRef text, unsigned offset) {
  const std::size_t begin =
      text.rfind('\n', offset) == llvm::StringRef::npos ? 0 : text.rfind('\n', offset) + 1;
  return text.substr(begin).take_while([](char c) { return c == ' ' || c == '\t'; }).str();
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

void place_values(clang::ASTContext& context, const Locations& locations, const HostSide& host,
                  const plan::Plan& plan, EditSet& edits, Messages& messages) {
  Placer(locations, host, plan, edits, messages).TraverseDecl(context.getTranslationUnitDecl());
}

}  // namespace vescale::rewrite
