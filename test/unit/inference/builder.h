#pragma once
/// Programs by hand: what the frontend would say of a few lines of C++.
#include <string>
#include <utility>
#include <vector>

#include "Frontend/Facts.h"

namespace vescale::test {

using facts::Expr;
using facts::ExprId;
using facts::Stmt;
using facts::Type;
using facts::VarId;

inline Type tensor_type() { return {Type::Kind::Tensor, {}, {}}; }
inline Type integer_type() { return {Type::Kind::Integer, {}, {}}; }
inline Type module_type(const std::string& name) { return {Type::Kind::Module, name, {}}; }

/// Every expression has a range of its own: its id tells it, see at().
class Builder {
 public:
  Builder() {
    program.files.push_back({"test.cpp", true, true});
    this->program.exprs.reserve(256);
  }

  facts::Program program;

  ExprId add(Expr::Kind kind, std::vector<ExprId> children = {}, std::string name = {},
             Type type = tensor_type()) {
    Expr expr;
    expr.kind = kind;
    expr.children = std::move(children);
    expr.name = std::move(name);
    expr.type = std::move(type);
    const auto id = static_cast<ExprId>(program.exprs.size());
    expr.range = at(id);
    program.exprs.push_back(std::move(expr));
    return id;
  }
  static facts::SourceRange at(ExprId id) {
    const auto begin = static_cast<unsigned>(id) * 10 + 1000;
    return {0, begin, begin + 5, static_cast<unsigned>(id) + 1, 1, false};
  }
  static ExprId expr_at(const facts::SourceRange& range) {
    return static_cast<ExprId>((range.begin - 1000) / 10);
  }

  ExprId op(const std::string& name, std::vector<ExprId> children, Type type = tensor_type()) {
    return add(Expr::Kind::OpCall, std::move(children), name, std::move(type));
  }
  ExprId integer(std::int64_t value) {
    const ExprId id = add(Expr::Kind::Integer, {}, {}, integer_type());
    program.exprs.back().integer = value;
    return id;
  }
  ExprId number() { return add(Expr::Kind::Float, {}, {}, {Type::Kind::Float, {}, {}}); }
  ExprId flag() { return add(Expr::Kind::Unknown, {}, "is_training", {Type::Kind::Bool, {}, {}}); }
  ExprId ints(std::vector<ExprId> elements) {
    return add(Expr::Kind::IntList, std::move(elements), {}, {Type::Kind::IntList, {}, {}});
  }
  ExprId use(VarId variable) {
    const Type type = program.variables[static_cast<std::size_t>(variable)].type;
    const ExprId id = add(Expr::Kind::Variable, {}, {}, type);
    program.exprs.back().variable = variable;
    return id;
  }
  ExprId self() { return add(Expr::Kind::This, {}, {}, {Type::Kind::Class, {}, {}}); }
  ExprId field(const std::string& name, Type type) {
    return add(Expr::Kind::Member, {self()}, name, std::move(type));
  }
  /// this->name(input), of a torch::nn module or a class of the program.
  ExprId run(const std::string& name, const std::string& module, std::vector<ExprId> inputs) {
    inputs.insert(inputs.begin(), field(name, module_type(module)));
    return add(Expr::Kind::ModuleCall, std::move(inputs));
  }
  ExprId call(facts::FunctionId function, std::vector<ExprId> arguments, bool method = false,
              Type type = tensor_type()) {
    const ExprId id = add(Expr::Kind::UserCall, std::move(arguments),
                          program.functions[static_cast<std::size_t>(function)].name, std::move(type));
    program.exprs.back().function = function;
    program.exprs.back().method = method;
    return id;
  }
  ExprId construct(const std::string& name, Type type, std::vector<ExprId> children = {}) {
    const ExprId id = add(Expr::Kind::Construct, children, name, std::move(type));
    program.exprs.back().argument_names.resize(children.size());
    return id;
  }
  ExprId linear(std::int64_t in, std::int64_t out) {
    const ExprId a = integer(in), b = integer(out);
    return construct("torch::nn::Linear", module_type("torch::nn::Linear"), {a, b});
  }

  VarId variable(const std::string& name, Type type = tensor_type(), const std::string& place = {}) {
    facts::Variable var;
    var.name = name;
    var.qualified_name = scope + "." + name;
    var.type = std::move(type);
    var.range = {0,
                 100000 + 10 * static_cast<unsigned>(program.variables.size()),
                 100005 + 10 * static_cast<unsigned>(program.variables.size()),
                 900,
                 1,
                 false};
    if (!place.empty()) var.annotations.push_back({facts::Annotation::Kind::Place, place, var.range});
    program.variables.push_back(std::move(var));
    return static_cast<VarId>(program.variables.size()) - 1;
  }
  VarId parameter(const std::string& name, Type type = tensor_type(), const std::string& place = {}) {
    const VarId id = variable(name, std::move(type), place);
    program.variables.back().is_parameter = true;
    return id;
  }

  static Stmt let(VarId id, ExprId expr) { return let(std::vector<VarId>{id}, expr); }
  static Stmt let(std::vector<VarId> ids, ExprId expr) {
    Stmt stmt;
    stmt.kind = Stmt::Kind::Declare;
    stmt.variables = std::move(ids);
    stmt.expr = expr;
    stmt.range = expr == facts::none ? facts::SourceRange() : at(expr);
    return stmt;
  }
  Stmt set(VarId id, ExprId value) { return run(add(Expr::Kind::Assign, {use(id), value})); }
  static Stmt run(ExprId expr) { return simple(Stmt::Kind::Expression, expr); }
  static Stmt give(ExprId expr) { return simple(Stmt::Kind::Return, expr); }
  static Stmt block(std::vector<Stmt> body) {
    Stmt stmt;
    stmt.body = std::move(body);
    return stmt;
  }
  static Stmt branch(ExprId condition, std::vector<Stmt> then, std::vector<Stmt> otherwise = {}) {
    Stmt stmt = simple(Stmt::Kind::If, condition);
    stmt.body.push_back(block(std::move(then)));
    if (!otherwise.empty()) stmt.body.push_back(block(std::move(otherwise)));
    return stmt;
  }
  static Stmt loop(std::vector<Stmt> body) {
    Stmt stmt = simple(Stmt::Kind::Loop, facts::none);
    stmt.body.push_back(block(std::move(body)));
    return stmt;
  }

  /// A function; set `scope` before its variables are made.
  facts::FunctionId function(const std::string& name, std::vector<VarId> parameters, std::vector<Stmt> body,
                             const std::string& class_name = {}) {
    facts::Function result;
    result.name = name;
    result.parameters = std::move(parameters);
    result.body = block(std::move(body));
    result.has_body = true;
    result.class_name = class_name;
    result.return_type = tensor_type();
    program.functions.push_back(std::move(result));
    return static_cast<facts::FunctionId>(program.functions.size()) - 1;
  }

  facts::Class& module(const std::string& name) {
    facts::Class result;
    result.name = name;
    result.is_module = true;
    program.classes.push_back(std::move(result));
    return program.classes.back();
  }
  /// A registered member whose constructor gives it `initializer`.
  void member(const std::string& class_name, const std::string& name, const std::string& type,
              ExprId initializer, const std::string& place = {}) {
    facts::Field field;
    field.name = name;
    field.type = module_type(type);
    field.registered_name = name;
    field.role = facts::Field::Role::Module;
    field.initializer = initializer;
    if (!place.empty()) field.annotations.push_back({facts::Annotation::Kind::Place, place, {}});
    for (facts::Class& one : program.classes) {
      if (one.name == class_name) one.fields.push_back(field);
    }
    if (initializer != facts::none)
      inits_.push_back(run(add(Expr::Kind::Assign,
                               {add(Expr::Kind::Member, {self()}, name, module_type(type)), initializer})));
  }
  /// Ends the members of a class: their values are set by its constructor.
  void constructor(const std::string& class_name) {
    const auto id = function(class_name + "::" + class_name, {}, std::move(inits_), class_name);
    program.functions[static_cast<std::size_t>(id)].is_constructor = true;
    inits_.clear();
  }

  std::string scope = "f";

 private:
  static Stmt simple(Stmt::Kind kind, ExprId expr) {
    Stmt stmt;
    stmt.kind = kind;
    stmt.expr = expr;
    if (expr != facts::none) stmt.range = at(expr);
    return stmt;
  }

  std::vector<Stmt> inits_;
};

}  // namespace vescale::test
