#include <clang/AST/ASTContext.h>

#include "Frontend/Lowering.h"
#include "Frontend/TorchTypes.h"
#include "Frontend/Types.h"

namespace vescale::frontend {
namespace {

using facts::Expr;
using facts::ExprId;
using facts::Type;

// Without what the compiler adds or what changes nothing for us.
const clang::Expr* essential(const clang::Expr* expr) {
  for (const clang::Expr* last = nullptr; expr != last;) {
    last = expr;
    expr = expr->IgnoreParens();
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expr)) {
      expr = cast->getSubExpr();
    } else if (const auto* full = llvm::dyn_cast<clang::FullExpr>(expr)) {
      expr = full->getSubExpr();
    } else if (const auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(expr)) {
      expr = temporary->getSubExpr();
    } else if (const auto* bound = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(expr)) {
      expr = bound->getSubExpr();
    } else if (const auto* list = llvm::dyn_cast<clang::CXXStdInitializerListExpr>(expr)) {
      expr = list->getSubExpr();
    } else if (const auto* field = llvm::dyn_cast<clang::CXXDefaultInitExpr>(expr)) {
      expr = field->getExpr();
    } else if (const auto* value = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(expr)) {
      expr = value->getReplacement();
    }
  }
  return expr;
}

bool is_options(const std::string& name) {
  const llvm::StringRef text(name);
  return text.starts_with("torch::") && text.ends_with("Options");
}

}  // namespace

Expr Lowering::node(Kind kind, const clang::Expr& expr) const {
  Expr result;
  result.kind = kind;
  result.range = range(expr.getSourceRange());
  result.type = lower_type(expr.getType());
  return result;
}

ExprId Lowering::add(Expr expr) {
  program_.exprs.push_back(std::move(expr));
  return static_cast<ExprId>(program_.exprs.size()) - 1;
}

ExprId Lowering::with_type(ExprId expr, Type type) {
  Expr copy = program_.exprs[static_cast<std::size_t>(expr)];
  copy.type = std::move(type);
  return add(std::move(copy));
}

std::vector<ExprId> Lowering::all(llvm::ArrayRef<const clang::Expr*> written) {
  std::vector<ExprId> result;
  for (const clang::Expr* one : written) result.push_back(expression(one));
  return result;
}

ExprId Lowering::expression(const clang::Expr* written) {
  const clang::Expr* expr = essential(written);
  if (const ExprId literal = constant(*expr); literal != facts::none) return literal;
  if (const auto* use = llvm::dyn_cast<clang::DeclRefExpr>(expr)) return reference(*use);
  if (const auto* use = llvm::dyn_cast<clang::MemberExpr>(expr)) return member(*use);
  if (llvm::isa<clang::CXXThisExpr>(expr)) return add(node(Kind::This, *expr));
  if (const auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(expr)) return operator_call(*op);
  if (const auto* method = llvm::dyn_cast<clang::CXXMemberCallExpr>(expr)) return method_call(*method);
  if (const auto* plain = llvm::dyn_cast<clang::CallExpr>(expr)) return call(*plain);
  if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(expr)) return construct(*made);
  if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(expr)) return braces(*list);
  if (const auto* op = llvm::dyn_cast<clang::UnaryOperator>(expr)) return unary(*op);
  if (const auto* op = llvm::dyn_cast<clang::BinaryOperator>(expr)) return binary(*op);
  if (const auto* choice = llvm::dyn_cast<clang::AbstractConditionalOperator>(expr)) {
    Expr result = node(Kind::Conditional, *expr);
    result.children = all({choice->getCond(), choice->getTrueExpr(), choice->getFalseExpr()});
    return add(std::move(result));
  }
  if (const auto* function = llvm::dyn_cast<clang::LambdaExpr>(expr)) {
    Expr result = node(Kind::Lambda, *expr);
    result.function = lambda(*function);
    return add(std::move(result));
  }
  if (const auto* index = llvm::dyn_cast<clang::ArraySubscriptExpr>(expr)) {
    Expr result = node(Kind::Index, *expr);
    result.children = all({index->getBase(), index->getIdx()});
    return add(std::move(result));
  }
  return unknown(*expr);
}

ExprId Lowering::unknown(const clang::Expr& expr) {
  Expr result = node(Kind::Unknown, expr);
  if (llvm::isa<clang::CXXNullPtrLiteralExpr>(expr)) result.name = "nullptr";
  std::vector<ExprId> children;
  for (const clang::Stmt* child : expr.children()) {
    const auto* inner = llvm::dyn_cast_or_null<clang::Expr>(child);
    if (inner && !llvm::isa<clang::CXXDefaultArgExpr>(inner)) children.push_back(expression(inner));
  }
  result.children = std::move(children);
  return add(std::move(result));
}

// Literals, and arithmetic of literals.
ExprId Lowering::constant(const clang::Expr& expr) {
  if (const auto* text = llvm::dyn_cast<clang::StringLiteral>(&expr)) {
    Expr result = node(Kind::String, expr);
    result.text = text->getString().str();
    return add(std::move(result));
  }
  const clang::QualType type = expr.getType();
  if (expr.isValueDependent() || type.isNull()) return facts::none;
  if (llvm::isa<clang::DeclRefExpr>(expr) && type->isEnumeralType()) return facts::none;
  if (type->isIntegralOrUnscopedEnumerationType() && !type->isEnumeralType()) {
    clang::Expr::EvalResult value;
    if (!expr.EvaluateAsInt(value, context_)) return facts::none;
    Expr result = node(type->isBooleanType() ? Kind::Bool : Kind::Integer, expr);
    result.integer = value.Val.getInt().getExtValue();
    return add(std::move(result));
  }
  if (type->isRealFloatingType()) {
    llvm::APFloat value(0.0);
    if (!expr.EvaluateAsFloat(value, context_)) return facts::none;
    Expr result = node(Kind::Float, expr);
    bool inexact = false;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &inexact);
    result.number = value.convertToDouble();
    return add(std::move(result));
  }
  return facts::none;
}

ExprId Lowering::reference(const clang::DeclRefExpr& expr) {
  const clang::ValueDecl* decl = expr.getDecl();
  Expr result = node(Kind::Variable, expr);
  const bool ours = locations_.in_root(decl->getLocation());
  if (ours && (llvm::isa<clang::VarDecl>(decl) || llvm::isa<clang::BindingDecl>(decl))) {
    result.variable = variable(*decl);
    return add(std::move(result));
  }
  result.kind = Kind::Unknown;
  result.name = qualified_name(*decl);
  return add(std::move(result));
}

ExprId Lowering::member(const clang::MemberExpr& expr) {
  const clang::ValueDecl* decl = expr.getMemberDecl();
  if (!llvm::isa<clang::FieldDecl>(decl)) return unknown(expr);
  Expr result = node(Kind::Member, expr);
  result.name = decl->getNameAsString();
  result.children = {expression(expr.getBase())};
  return add(std::move(result));
}

ExprId Lowering::construct(const clang::CXXConstructExpr& expr) {
  std::vector<const clang::Expr*> written;
  for (const clang::Expr* argument : expr.arguments()) {
    if (!llvm::isa<clang::CXXDefaultArgExpr>(argument)) written.push_back(argument);
  }
  const clang::CXXConstructorDecl* constructor = expr.getConstructor();
  Expr result = node(Kind::Construct, expr);
  const clang::CXXRecordDecl* module = module_class(expr.getType());
  // Copies, moves and implicit conversions stand for what they are made from.
  if (written.size() == 1) {
    const clang::Expr* only = essential(written.front());
    const bool same =
        lower_type(only->getType()).kind == result.type.kind && result.type.kind != Type::Kind::Other;
    const bool conversion =
        !llvm::isa<clang::CXXTemporaryObjectExpr>(expr) && constructor->isConvertingConstructor(false);
    const bool made_of_pieces = module || is_options(qualified_name(*constructor->getParent()));
    if (constructor->isCopyOrMoveConstructor() || (same && !module) || (conversion && !made_of_pieces)) {
      return expression(written.front());
    }
    if (module && module_class(only->getType())) return expression(written.front());
    if (module && only->getType()->isNullPtrType()) return expression(only);
  }
  result.name = module ? module_name(*module) : qualified_name(*constructor->getParent());
  if (module) result.type = {Type::Kind::Module, result.name, {}};
  if (module && result.name == "torch::nn::ModuleList") result.type.kind = Type::Kind::ModuleList;
  if (is_options(result.name)) result.type = {Type::Kind::Other, result.name, {}};
  result.children = all(written);
  result.argument_names.resize(result.children.size());
  return add(std::move(result));
}

ExprId Lowering::braces(const clang::InitListExpr& expr) {
  Expr result = node(Kind::InitializerList, expr);
  bool integers = expr.getNumInits() > 0;
  for (const clang::Expr* element : expr.inits()) {
    integers = integers && lower_type(essential(element)->getType()).kind == Type::Kind::Integer;
    result.children.push_back(expression(element));
  }
  const auto kind = result.type.kind;
  if (integers && kind != Type::Kind::Class) result.kind = Kind::IntList;
  if (expr.getNumInits() == 1 && !expr.getType()->isRecordType() && !expr.getType()->isArrayType()) {
    return result.children.front();
  }
  if (kind == Type::Kind::Class) result.name = result.type.name;
  return add(std::move(result));
}

ExprId Lowering::unary(const clang::UnaryOperator& expr) {
  const auto op = expr.getOpcode();
  if (op == clang::UO_Deref || op == clang::UO_AddrOf || op == clang::UO_Plus || op == clang::UO_Extension) {
    return expression(expr.getSubExpr());
  }
  if (expr.isIncrementDecrementOp()) {
    Expr result = node(Kind::Assign, expr);
    result.name = expr.isIncrementOp() ? "+=" : "-=";
    Expr one = node(Kind::Integer, expr);
    one.integer = 1;
    const ExprId step = add(std::move(one));
    result.children = {expression(expr.getSubExpr()), step};
    return add(std::move(result));
  }
  Expr result = node(Kind::Arithmetic, expr);
  result.name = clang::UnaryOperator::getOpcodeStr(op).str();
  result.children = {expression(expr.getSubExpr())};
  return add(std::move(result));
}

ExprId Lowering::binary(const clang::BinaryOperator& expr) {
  if (expr.getOpcode() == clang::BO_Comma) return unknown(expr);
  Expr result = node(expr.isAssignmentOp() ? Kind::Assign : Kind::Arithmetic, expr);
  if (expr.getOpcode() != clang::BO_Assign) result.name = expr.getOpcodeStr().str();
  result.children = all({expr.getLHS(), expr.getRHS()});
  return add(std::move(result));
}

}  // namespace vescale::frontend
