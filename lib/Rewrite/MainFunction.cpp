#include "Rewrite/MainFunction.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/TypeLoc.h>

namespace vescale::rewrite {
namespace {

using frontend::Locations;
using frontend::Span;

const clang::FunctionDecl* find_main(clang::ASTContext& context) {
  for (const clang::Decl* decl : context.getTranslationUnitDecl()->decls()) {
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(decl);
    if (function && function->isMain() && function->doesThisDeclarationHaveABody()) return function;
  }
  return nullptr;
}

std::string call_of(const std::vector<std::string>& axes) {
  std::string list;
  for (const std::string& axis : axes) list += (list.empty() ? "\"" : ", \"") + axis + "\"";
  return "\nint main(int argc, char** argv) { return vs::run(argc, argv, vs_main, {" + list + "}); }\n";
}

bool returns_at_end(const clang::FunctionDecl& function) {
  const auto* body = llvm::dyn_cast<clang::CompoundStmt>(function.getBody());
  return body && !body->body_empty() && llvm::isa<clang::ReturnStmt>(body->body_back());
}

}  // namespace

void rewrite_main(clang::ASTContext& context, const Locations& locations,
                  const std::vector<std::string>& axes, EditSet& edits) {
  const clang::FunctionDecl* main = find_main(context);
  if (!main) return;
  const auto name = locations.token(main->getLocation());
  const auto type = main->getFunctionTypeLoc();
  if (!name || !type) return;
  edits.add(name->path, {name->begin, name->end - name->begin, "vs_main"});
  // vs::run calls with both arguments; unnamed ones are not reported as unused.
  const auto open = locations.token(type.getLParenLoc()), close = locations.token(type.getRParenLoc());
  if (open && close && main->param_size() == 0) {
    edits.add(name->path, {open->end, close->begin - open->end, "int, char**"});
  } else if (open && close && main->param_size() == 1) {
    edits.add(name->path, {close->begin, 0, ", char**"});
  } else if (open && close && main->param_size() == 2) {
    // Of main alone the parameters may be unused, or differ in cv qualifiers from what vs::run calls.
    const clang::QualType element = main->getParamDecl(1)->getType()->getPointeeType();
    const bool plain = !element.isNull() && element.getAsString() == "char *";
    if (!plain) {
      const std::string argc = main->getParamDecl(0)->getName().str(),
                        argv = main->getParamDecl(1)->getName().str();
      edits.add(name->path, {open->end, close->begin - open->end, "int " + argc + ", char** " + argv});
    }
  }
  if (!returns_at_end(*main)) {
    if (const auto brace = locations.token(main->getBody()->getEndLoc())) {
      const llvm::StringRef text = locations.file_text(main->getBody()->getEndLoc());
      const bool own_line = text.take_front(brace->begin).rtrim(" \t").ends_with("\n");
      edits.add(name->path, {brace->begin, 0, own_line ? "  return 0;\n" : " return 0; "});
    }
  }
  const auto end = static_cast<unsigned>(locations.file_text(main->getLocation()).size());
  edits.add(name->path, {end, 0, call_of(axes), 100});
}

}  // namespace vescale::rewrite
