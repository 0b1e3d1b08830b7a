#include "Frontend/Lowering.h"

namespace vescale::frontend {
namespace {

using facts::Stmt;

Stmt of_kind(Stmt::Kind kind, facts::SourceRange range) {
  Stmt result;
  result.kind = kind;
  result.range = range;
  return result;
}

}  // namespace

Stmt Lowering::statement(const clang::Stmt* stmt) {
  if (!stmt) return {};
  const facts::SourceRange where = range(stmt->getSourceRange());
  if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(stmt)) {
    Stmt result = of_kind(Stmt::Kind::Block, where);
    for (const clang::Stmt* inner : block->body()) result.body.push_back(statement(inner));
    return result;
  }
  if (const auto* declare = llvm::dyn_cast<clang::DeclStmt>(stmt)) {
    Stmt result = of_kind(Stmt::Kind::Block, where);
    for (const clang::Decl* decl : declare->decls()) {
      const auto* var = llvm::dyn_cast<clang::VarDecl>(decl);
      if (!var) continue;
      Stmt one = of_kind(Stmt::Kind::Declare, where);
      if (const auto* several = llvm::dyn_cast<clang::DecompositionDecl>(var)) {
        for (const clang::BindingDecl* binding : several->bindings())
          one.variables.push_back(variable(*binding));
      } else {
        one.variables.push_back(variable(*var));
      }
      if (var->getInit()) one.expr = expression(var->getInit());
      result.body.push_back(std::move(one));
    }
    if (result.body.size() == 1) return std::move(result.body.front());
    return result;
  }
  if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(stmt)) {
    Stmt result = of_kind(Stmt::Kind::If, where);
    result.expr = expression(branch->getCond());
    result.body.push_back(statement(branch->getThen()));
    if (branch->getElse()) result.body.push_back(statement(branch->getElse()));
    if (!branch->getInit() && !branch->getConditionVariableDeclStmt()) return result;
    Stmt outer = of_kind(Stmt::Kind::Block, where);
    for (const clang::Stmt* before :
         {branch->getInit(), static_cast<const clang::Stmt*>(branch->getConditionVariableDeclStmt())}) {
      if (before) outer.body.push_back(statement(before));
    }
    outer.body.push_back(std::move(result));
    return outer;
  }
  if (const auto* loop = llvm::dyn_cast<clang::CXXForRangeStmt>(stmt)) {
    Stmt result = of_kind(Stmt::Kind::Loop, where);
    result.range_for = true;
    if (const auto* several = llvm::dyn_cast<clang::DecompositionDecl>(loop->getLoopVariable())) {
      for (const clang::BindingDecl* binding : several->bindings())
        result.variables.push_back(variable(*binding));
    } else {
      result.variables.push_back(variable(*loop->getLoopVariable()));
    }
    result.expr = expression(loop->getRangeInit());
    result.body.push_back(statement(loop->getBody()));
    return result;
  }
  if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(stmt)) {
    Stmt result = of_kind(Stmt::Kind::Loop, where);
    result.body.push_back(statement(loop->getInit()));
    if (loop->getCond()) result.expr = expression(loop->getCond());
    Stmt body = of_kind(Stmt::Kind::Block, range(loop->getBody()->getSourceRange()));
    body.body.push_back(statement(loop->getBody()));
    if (loop->getInc()) body.body.push_back(statement(loop->getInc()));
    result.body.push_back(std::move(body));
    return result;
  }
  if (const auto* loop = llvm::dyn_cast<clang::WhileStmt>(stmt)) {
    Stmt result = of_kind(Stmt::Kind::Loop, where);
    result.expr = expression(loop->getCond());
    result.body.push_back(statement(loop->getBody()));
    return result;
  }
  if (const auto* loop = llvm::dyn_cast<clang::DoStmt>(stmt)) {
    Stmt result = of_kind(Stmt::Kind::Loop, where);
    result.expr = expression(loop->getCond());
    result.body.push_back(statement(loop->getBody()));
    return result;
  }
  if (const auto* leave = llvm::dyn_cast<clang::ReturnStmt>(stmt)) {
    Stmt result = of_kind(Stmt::Kind::Return, where);
    if (leave->getRetValue()) result.expr = expression(leave->getRetValue());
    return result;
  }
  if (llvm::isa<clang::BreakStmt>(stmt)) return of_kind(Stmt::Kind::Break, where);
  if (llvm::isa<clang::ContinueStmt>(stmt)) return of_kind(Stmt::Kind::Continue, where);
  if (const auto* expr = llvm::dyn_cast<clang::Expr>(stmt)) {
    Stmt result = of_kind(Stmt::Kind::Expression, where);
    result.expr = expression(expr);
    return result;
  }
  // switch, try, labels: what is inside may or may not run.
  Stmt result = of_kind(Stmt::Kind::If, where);
  Stmt inner = of_kind(Stmt::Kind::Block, where);
  for (const clang::Stmt* child : stmt->children()) {
    if (child) inner.body.push_back(statement(child));
  }
  result.body.push_back(std::move(inner));
  return result;
}

}  // namespace vescale::frontend
