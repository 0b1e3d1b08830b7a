#include "Frontend/Print.h"

#include <cstdio>

namespace vescale::facts {
namespace {

constexpr const char* kinds[] = {
    "unknown", "variable", "member",     "this",         "op",       "torch",     "module-call",
    "call",    "invoke",   "construct",  "lambda",       "integer",  "float",     "bool",
    "string",  "ints",     "arithmetic", "size",         "index",    "get",       "item",
    "host",    "choose",   "assign",     "redistribute", "backward", "optimizer", "braces"};

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string expr(ExprId id) const {
    if (id == none) return "-";
    const Expr& expr = program_.exprs[static_cast<std::size_t>(id)];
    switch (expr.kind) {
      case Expr::Kind::Variable:
        return program_.variables[static_cast<std::size_t>(expr.variable)].name;
      case Expr::Kind::Integer:
      case Expr::Kind::Bool:
        return std::to_string(expr.integer);
      case Expr::Kind::Float:
        return number(expr.number);
      case Expr::Kind::String:
        return "\"" + expr.text + "\"";
      case Expr::Kind::This:
        return "this";
      case Expr::Kind::Member:
        return this->expr(expr.children[0]) + "." + expr.name;
      default:
        break;
    }
    std::string result = kinds[static_cast<int>(expr.kind)];
    if (!expr.name.empty()) result += ":" + expr.name;
    if (expr.kind == Expr::Kind::TupleGet) result += "<" + std::to_string(expr.integer) + ">";
    if (expr.kind == Expr::Kind::Lambda) {
      result += ":" + program_.functions[static_cast<std::size_t>(expr.function)].name;
    }
    if (!expr.text.empty()) result += "[" + expr.text + "]";
    result += "(";
    for (std::size_t i = 0; i < expr.children.size(); ++i) {
      if (i > 0) result += ", ";
      if (i < expr.argument_names.size() && !expr.argument_names[i].empty())
        result += expr.argument_names[i] + "=";
      result += this->expr(expr.children[i]);
    }
    return result + ")";
  }

  void stmt(const Stmt& stmt, const std::string& indent, std::string& out) const {
    static constexpr const char* names[] = {"block", "let", "", "if", "loop", "return", "break", "continue"};
    if (stmt.kind != Stmt::Kind::Block) {
      out += indent + names[static_cast<int>(stmt.kind)];
      for (const VarId var : stmt.variables)
        out += " " + program_.variables[static_cast<std::size_t>(var)].name;
      if (stmt.expr != none) out += (out.back() == ' ' ? "" : " ") + expr(stmt.expr);
      out += "\n";
    }
    for (const Stmt& inner : stmt.body)
      this->stmt(inner, stmt.kind == Stmt::Kind::Block ? indent : indent + "  ", out);
  }

 private:
  const Program& program_;
};

}  // namespace

std::string print(const Program& program, ExprId expr) { return Printer(program).expr(expr); }

std::string print(const Program& program) {
  const Printer printer(program);
  std::string out;
  for (const Class& one : program.classes) {
    out += "class " + one.name + (one.is_module ? " module" : "") + (one.host ? " host" : "") + "\n";
    for (const Field& field : one.fields) {
      out += "  " + field.name + ": " + field.type.name;
      for (const Type& element : field.type.elements) out += " of " + element.name;
      if (!field.registered_name.empty()) out += " registered \"" + field.registered_name + "\"";
      for (const Annotation& annotation : field.annotations) out += " [" + annotation.text + "]";
      if (field.initializer != none) out += " = " + printer.expr(field.initializer);
      out += "\n";
    }
  }
  for (const Function& function : program.functions) {
    out += "function " + function.name + "(";
    for (const VarId parameter : function.parameters) {
      const Variable& variable = program.variables[static_cast<std::size_t>(parameter)];
      out += (out.back() == '(' ? "" : ", ") + variable.name;
      for (const Annotation& annotation : variable.annotations) out += " [" + annotation.text + "]";
    }
    out += std::string(")") + (function.host ? " host" : "") + "\n";
    printer.stmt(function.body, "  ", out);
  }
  return out;
}

}  // namespace vescale::facts
