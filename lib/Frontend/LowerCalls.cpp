#include <algorithm>

#include "Frontend/Lowering.h"
#include "Frontend/TorchTypes.h"
#include "Frontend/Types.h"

namespace vescale::frontend {
namespace {

using facts::Expr;
using facts::ExprId;
using facts::Type;

bool is_one_of(llvm::StringRef name, std::initializer_list<llvm::StringRef> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool starts_with_any(llvm::StringRef name, std::initializer_list<llvm::StringRef> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](llvm::StringRef prefix) { return name.starts_with(prefix); });
}

bool is_tensor(const clang::Expr* expr) { return lower_type(expr->getType()).kind == Type::Kind::Tensor; }

// The ATen op behind an operator on tensors.
std::string operator_op(clang::OverloadedOperatorKind op, unsigned operands) {
  switch (op) {
    case clang::OO_Plus:
      return operands == 1 ? "positive" : "add";
    case clang::OO_Minus:
      return operands == 1 ? "neg" : "sub";
    case clang::OO_Star:
      return "mul";
    case clang::OO_Slash:
      return "div";
    case clang::OO_Percent:
      return "remainder";
    case clang::OO_PlusEqual:
      return "add_";
    case clang::OO_MinusEqual:
      return "sub_";
    case clang::OO_StarEqual:
      return "mul_";
    case clang::OO_SlashEqual:
      return "div_";
    case clang::OO_EqualEqual:
      return "eq";
    case clang::OO_ExclaimEqual:
      return "ne";
    case clang::OO_Less:
      return "lt";
    case clang::OO_LessEqual:
      return "le";
    case clang::OO_Greater:
      return "gt";
    case clang::OO_GreaterEqual:
      return "ge";
    case clang::OO_Amp:
      return "bitwise_and";
    case clang::OO_Pipe:
      return "bitwise_or";
    case clang::OO_Caret:
      return "bitwise_xor";
    case clang::OO_Tilde:
      return "bitwise_not";
    case clang::OO_Exclaim:
      return "logical_not";
    case clang::OO_LessLess:
      return "__lshift__";
    case clang::OO_GreaterGreater:
      return "__rshift__";
    default:
      return {};
  }
}

// "at::relu" is relu; torch::linalg::norm is linalg_norm, as ATen has it. Empty for what is deeper in
// LibTorch.
std::string op_name(llvm::StringRef name) {
  if (!name.consume_front("at::") && !name.consume_front("torch::")) return {};
  const auto [scope, inner] = name.split("::");
  if (inner.empty()) return scope.str();
  if (!is_one_of(scope, {"linalg", "fft", "special"}) || inner.contains("::")) return {};
  return inner.starts_with(scope) ? inner.str() : scope.str() + "_" + inner.str();
}

}  // namespace

std::vector<ExprId> Lowering::arguments(llvm::ArrayRef<const clang::Expr*> written) {
  std::vector<ExprId> result;
  for (const clang::Expr* argument : written) {
    if (!llvm::isa<clang::CXXDefaultArgExpr>(argument)) result.push_back(expression(argument));
  }
  return result;
}

facts::SourceRange Lowering::name_range(const clang::CallExpr& expr) const {
  const clang::Expr* callee = expr.getCallee()->IgnoreParenImpCasts();
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(callee)) return range(member->getMemberLoc());
  if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(callee)) return range(name->getLocation());
  return range(callee->getSourceRange());
}

ExprId Lowering::call(const clang::CallExpr& expr) {
  if (const clang::FunctionDecl* callee = expr.getDirectCallee()) return function_call(expr, *callee);
  return call_value(expr, *expr.getCallee(), {expr.getArgs(), expr.getNumArgs()});
}

ExprId Lowering::call_value(const clang::Expr& expr, const clang::Expr& callee,
                            llvm::ArrayRef<const clang::Expr*> written) {
  Expr result = node(Kind::CallValue, expr);
  result.children = {expression(&callee)};
  for (const ExprId argument : arguments(written)) result.children.push_back(argument);
  return add(std::move(result));
}

ExprId Lowering::function_call(const clang::CallExpr& expr, const clang::FunctionDecl& callee) {
  const llvm::ArrayRef<const clang::Expr*> written(expr.getArgs(), expr.getNumArgs());
  const std::string name = qualified_name(callee);
  if (name == "vescale_annotation::redistribute") {
    Expr result = node(Kind::Redistribute, expr);
    result.children = {expression(written[0])};
    const ExprId text = expression(written[1]);
    result.text = program_.exprs[static_cast<std::size_t>(text)].text;
    return add(std::move(result));
  }
  if (locations_.in_root(callee.getLocation())) {
    Expr result = node(Kind::UserCall, expr);
    result.callee = name_range(expr);
    result.name = name;
    result.function = function(callee);
    result.children = arguments(written);
    return add(std::move(result));
  }
  if (starts_with_any(name, {"std::", "__"})) return std_call(expr, callee);
  Expr result = node(Kind::Unknown, expr);
  result.callee = name_range(expr);
  result.name = name;
  if (starts_with_any(name, {"torch::nn::", "torch::autograd::"})) {
    result.kind = Kind::TorchFunction;
    if (const clang::CXXRecordDecl* custom = custom_function(callee)) result.text = qualified_name(*custom);
  } else if (const auto op = op_name(name); !op.empty() && takes_tensors(callee)) {
    result.kind = Kind::OpCall;
    result.name = op;
  }
  result.children = arguments(written);
  return add(std::move(result));
}

ExprId Lowering::std_call(const clang::CallExpr& expr, const clang::FunctionDecl& callee) {
  const llvm::ArrayRef<const clang::Expr*> written(expr.getArgs(), expr.getNumArgs());
  const std::string name = callee.getNameAsString();
  if (is_one_of(name, {"move", "forward", "as_const", "ref", "cref"}) && written.size() == 1) {
    return expression(written[0]);
  }
  Expr result = node(Kind::Unknown, expr);
  result.name = qualified_name(callee);
  result.callee = name_range(expr);
  if (name == "get" && written.size() == 1) {
    const auto* values = callee.getTemplateSpecializationArgs();
    if (values && values->size() > 0 && values->get(0).getKind() == clang::TemplateArgument::Integral) {
      result.kind = Kind::TupleGet;
      result.integer = values->get(0).getAsIntegral().getExtValue();
    }
  }
  if (is_one_of(name, {"make_tuple", "make_pair", "tie", "forward_as_tuple"})) result.kind = Kind::Construct;
  if (is_one_of(name, {"make_shared", "make_unique"})) {
    result.kind = Kind::Construct;
    if (const clang::CXXRecordDecl* module = module_class(expr.getType())) {
      result.name = module_name(*module);
      result.type = {Type::Kind::Module, result.name, {}};
    }
  }
  result.children = arguments(written);
  return add(std::move(result));
}

ExprId Lowering::operator_call(const clang::CXXOperatorCallExpr& expr) {
  const auto op = expr.getOperator();
  const llvm::ArrayRef<const clang::Expr*> written(expr.getArgs(), expr.getNumArgs());
  const clang::Expr* object = written[0];
  const Type type = lower_type(object->getType());
  if (op == clang::OO_Arrow || (op == clang::OO_Star && written.size() == 1)) return expression(object);
  if (op == clang::OO_Equal) {
    Expr result = node(Kind::Assign, expr);
    // x[0] = y writes y into x: self keeps its placement, the value has to fit.
    if (type.kind == Type::Kind::Tensor && !object->isLValue()) {
      result.kind = Kind::OpCall;
      result.name = is_tensor(written[1]) ? "copy_" : "fill_";
      result.method = true;
    }
    result.children = all(written);
    return add(std::move(result));
  }
  if (op == clang::OO_Call) {
    const auto* method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(expr.getDirectCallee());
    const bool user = method && locations_.in_root(method->getLocation()) && !method->getParent()->isLambda();
    Expr result = node(type.kind == Type::Kind::Module ? Kind::ModuleCall : Kind::CallValue, expr);
    if (user) result.kind = Kind::UserCall, result.method = true, result.function = function(*method);
    result.callee = range(object->getSourceRange());
    result.children = arguments(written);
    return add(std::move(result));
  }
  if (op == clang::OO_Subscript && type.kind != Type::Kind::Tensor) {
    Expr result = node(Kind::Index, expr);
    result.children = all(written);
    return add(std::move(result));
  }
  const bool tensors = std::any_of(written.begin(), written.end(), is_tensor);
  if (!tensors) {
    Expr result = node(Kind::Unknown, expr);
    result.children = arguments(written);
    return add(std::move(result));
  }
  if (op == clang::OO_LessLess && !is_tensor(object)) {
    Expr result = node(Kind::Item, expr);
    result.name = "print";
    result.children = {expression(written[1]), expression(object)};
    return add(std::move(result));
  }
  Expr result = node(Kind::OpCall, expr);
  result.callee = range(expr.getOperatorLoc());
  result.name = operator_op(op, expr.getNumArgs());
  if (op == clang::OO_Subscript) {
    result.name = lower_type(written[1]->getType()).kind == Type::Kind::Integer ? "select" : "index";
  }
  if (result.name.empty()) result.kind = Kind::Unknown;
  result.method = true;
  result.children = arguments(written);
  return add(std::move(result));
}

ExprId Lowering::method_call(const clang::CXXMemberCallExpr& expr) {
  const clang::CXXMethodDecl* method = expr.getMethodDecl();
  if (!method) return unknown(expr);
  const clang::Expr* object = expr.getImplicitObjectArgument();
  if (llvm::isa<clang::CXXConversionDecl>(method)) {
    const Type to = lower_type(expr.getType());
    if (is_tensor(object) && to.kind == Type::Kind::Bool) return tensor_method(expr, "item");
    return expression(object);
  }
  const std::string name = method->getNameAsString();
  const std::string owner = qualified_name(*method->getParent());
  if (is_one_of(owner, {"at::Tensor", "at::TensorBase", "c10::TensorImpl"})) return tensor_method(expr, name);
  if (starts_with_any(owner, {"torch::"}) && llvm::StringRef(owner).ends_with("Options")) {
    return options_chain(expr, name);
  }
  if (locations_.in_root(method->getLocation())) {
    Expr result = node(Kind::UserCall, expr);
    result.callee = name_range(expr);
    result.name = qualified_name(*method);
    result.method = true;
    result.function = function(*method);
    result.children = {expression(object)};
    for (const ExprId one : arguments({expr.getArgs(), expr.getNumArgs()})) result.children.push_back(one);
    return add(std::move(result));
  }
  const Type type = lower_type(object->getType());
  if (module_class(object->getType())) return module_method(expr, name);
  if (type.kind == Type::Kind::Optimizer && is_one_of(name, {"step", "zero_grad"})) {
    Expr result = node(Kind::OptimizerCall, expr);
    result.callee = name_range(expr);
    result.name = name;
    result.children = {expression(object)};
    for (const ExprId one : arguments({expr.getArgs(), expr.getNumArgs()})) result.children.push_back(one);
    return add(std::move(result));
  }
  return container_method(expr, name);
}

ExprId Lowering::tensor_method(const clang::CXXMemberCallExpr& expr, const std::string& name) {
  Expr result = node(Kind::OpCall, expr);
  result.callee = name_range(expr);
  result.name = name;
  result.method = true;
  if (is_one_of(name, {"size", "sizes", "numel", "dim", "sym_size", "ndimension"})) result.kind = Kind::Size;
  if (is_one_of(name, {"item", "print", "toString"})) result.kind = Kind::Item;
  if (name == "backward") result.kind = Kind::Backward;
  if (starts_with_any(name, {"data_ptr", "accessor", "packed_accessor", "const_data_ptr", "mutable_data_ptr",
                             "storage"})) {
    result.kind = Kind::HostAccess;
  }
  if (is_one_of(name,
                {"dtype", "scalar_type", "device", "options", "requires_grad", "is_floating_point", "defined",
                 "is_leaf", "is_cuda", "element_size", "itemsize", "layout", "is_contiguous", "is_sparse",
                 // Keys of optimizer state: a parameter's impl stays the same one.
                 "unsafeGetTensorImpl"})) {
    result.kind = Kind::Unknown;
  }
  result.children = {expression(expr.getImplicitObjectArgument())};
  for (const ExprId one : arguments({expr.getArgs(), expr.getNumArgs()})) result.children.push_back(one);
  return add(std::move(result));
}

ExprId Lowering::module_method(const clang::CXXMemberCallExpr& expr, const std::string& name) {
  const clang::Expr* object = expr.getImplicitObjectArgument();
  if (is_one_of(name, {"register_module", "register_parameter", "register_buffer"}) &&
      expr.getNumArgs() > 1) {
    return expression(expr.getArg(1));
  }
  const ExprId self = expression(object);
  if (is_one_of(name, {"as", "get", "ptr"}) && expr.getNumArgs() == 0) {
    return with_type(self, lower_type(expr.getType()));
  }
  Expr result = node(Kind::Unknown, expr);
  result.callee = name_range(expr);
  result.name = name;
  if (name == "forward") result.kind = Kind::ModuleCall;
  if (name == "push_back") result.kind = Kind::Assign;
  if (is_one_of(name, {"at", "ptr"})) result.kind = Kind::Index;
  result.children = {self};
  for (const ExprId one : arguments({expr.getArgs(), expr.getNumArgs()})) result.children.push_back(one);
  return add(std::move(result));
}

ExprId Lowering::container_method(const clang::CXXMemberCallExpr& expr, const std::string& name) {
  const ExprId object = expression(expr.getImplicitObjectArgument());
  const Type type = lower_type(expr.getImplicitObjectArgument()->getType());
  if (is_one_of(name, {"value"}) && type.kind == Type::Kind::OptionalTensor) {
    return with_type(object, {Type::Kind::Tensor, {}, {}});
  }
  Expr result = node(Kind::Unknown, expr);
  result.callee = name_range(expr);
  result.name = name;
  if (is_one_of(name, {"push_back", "emplace_back", "insert", "emplace"})) result.kind = Kind::Assign;
  if (is_one_of(name, {"at", "front", "back"})) result.kind = Kind::Index;
  result.children = {object};
  for (const ExprId one : arguments({expr.getArgs(), expr.getNumArgs()})) result.children.push_back(one);
  if (name == "front" || name == "back") {
    Expr index = node(Kind::Integer, expr);
    index.integer = name == "front" ? 0 : -1;
    result.children.push_back(add(std::move(index)));
  }
  return add(std::move(result));
}

// Conv2dOptions(1, 16, 3).padding(1): one construction with named arguments.
ExprId Lowering::options_chain(const clang::CXXMemberCallExpr& expr, const std::string& setter) {
  const ExprId object = expression(expr.getImplicitObjectArgument());
  Expr result = program_.exprs[static_cast<std::size_t>(object)];
  if (result.kind != Kind::Construct || expr.getNumArgs() != 1) {
    Expr read = node(Kind::Unknown, expr);
    read.name = setter;
    read.children = {object};
    return add(std::move(read));
  }
  result.range = range(expr.getSourceRange());
  result.children.push_back(expression(expr.getArg(0)));
  result.argument_names.resize(result.children.size() - 1);
  result.argument_names.push_back(setter);
  return add(std::move(result));
}

}  // namespace vescale::frontend
