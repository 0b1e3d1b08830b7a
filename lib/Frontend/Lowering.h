#pragma once
/// The state of lowering one source. Internal to lib/Frontend.
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/StmtCXX.h>

#include <deque>

#include "Frontend/Classes.h"
#include "Frontend/Lower.h"

namespace vescale::frontend {

class Lowering {
 public:
  Lowering(clang::ASTContext& context, const Locations& locations, const std::set<const clang::Decl*>& host,
           ProgramBuilder& builder)
      : context_(context),
        locations_(locations),
        host_(host),
        builder_(builder),
        program_(builder.program),
        files_(builder.program.files) {}

  void run();

  // Functions (LowerFunctions.cpp)
  facts::FunctionId function(const clang::FunctionDecl& decl);
  facts::FunctionId lambda(const clang::LambdaExpr& expr);
  facts::VarId variable(const clang::ValueDecl& decl);

  // Statements (LowerStatements.cpp)
  facts::Stmt statement(const clang::Stmt* stmt);

  // Expressions (LowerExpressions.cpp)
  facts::ExprId expression(const clang::Expr* expr);

 private:
  using Kind = facts::Expr::Kind;

  // A node of `kind` for `expr` with its range and type.
  facts::Expr node(Kind kind, const clang::Expr& expr) const;
  facts::ExprId add(facts::Expr expr);
  facts::ExprId with_type(facts::ExprId expr, facts::Type type);
  std::vector<facts::ExprId> all(llvm::ArrayRef<const clang::Expr*> written);
  facts::ExprId unknown(const clang::Expr& expr);
  facts::ExprId constant(const clang::Expr& expr);
  facts::ExprId reference(const clang::DeclRefExpr& expr);
  facts::ExprId member(const clang::MemberExpr& expr);
  facts::ExprId construct(const clang::CXXConstructExpr& expr);
  facts::ExprId braces(const clang::InitListExpr& expr);
  facts::ExprId unary(const clang::UnaryOperator& expr);
  facts::ExprId binary(const clang::BinaryOperator& expr);

  // Calls (LowerCalls.cpp)
  facts::ExprId call(const clang::CallExpr& expr);
  facts::ExprId operator_call(const clang::CXXOperatorCallExpr& expr);
  facts::ExprId method_call(const clang::CXXMemberCallExpr& expr);
  facts::ExprId tensor_method(const clang::CXXMemberCallExpr& expr, const std::string& name);
  facts::ExprId module_method(const clang::CXXMemberCallExpr& expr, const std::string& name);
  facts::ExprId container_method(const clang::CXXMemberCallExpr& expr, const std::string& name);
  facts::ExprId function_call(const clang::CallExpr& expr, const clang::FunctionDecl& callee);
  facts::ExprId std_call(const clang::CallExpr& expr, const clang::FunctionDecl& callee);
  facts::ExprId options_chain(const clang::CXXMemberCallExpr& expr, const std::string& setter);
  facts::ExprId call_value(const clang::Expr& expr, const clang::Expr& callee,
                           llvm::ArrayRef<const clang::Expr*> arguments);
  // Arguments as written: default ones are left out.
  std::vector<facts::ExprId> arguments(llvm::ArrayRef<const clang::Expr*> written);
  facts::SourceRange name_range(const clang::CallExpr& expr) const;

  facts::FunctionId new_function(const clang::FunctionDecl& decl, std::string name);
  void lower_pending();
  void lower_body(facts::FunctionId id, const clang::FunctionDecl& decl);
  facts::SourceRange range(clang::SourceRange range) const { return lower_range(range, locations_, files_); }
  void set_initializers();

  clang::ASTContext& context_;
  const Locations& locations_;
  const std::set<const clang::Decl*>& host_;
  ProgramBuilder& builder_;
  facts::Program& program_;
  mutable FileTable files_;
  std::map<const clang::Decl*, facts::FunctionId> functions_;
  std::map<const clang::Decl*, facts::VarId> variables_;
  std::deque<std::pair<facts::FunctionId, const clang::FunctionDecl*>> pending_;
  std::string scope_;  ///< name of the function being lowered
};

}  // namespace vescale::frontend
