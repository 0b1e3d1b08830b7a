#include <algorithm>
#include <utility>

#include "Inference/Interpreter.h"

namespace vescale::inference {

using Kind = Value::Kind;

namespace {

// A loop that has not settled by then carries something that never does; what differs is left to run time.
constexpr int most_rounds = 12;

std::string text_of(const Environment& environment) {
  std::string text;
  for (const auto& [id, value] : environment) text += std::to_string(id) + "=" + value.to_string() + "\n";
  return text;
}

}  // namespace

Interpreter::Flow Interpreter::execute(const Stmt& stmt, Frame& frame) {
  switch (stmt.kind) {
    case Stmt::Kind::Block:
      for (const Stmt& inner : stmt.body) {
        if (execute(inner, frame) == Flow::Left) return Flow::Left;
      }
      return Flow::Next;
    case Stmt::Kind::Declare:
      declare(stmt, frame);
      return Flow::Next;
    case Stmt::Kind::Expression: {
      if (stmt.expr == facts::none) return Flow::Next;
      const Value value = evaluate(stmt.expr, frame);
      if (expr(stmt.expr).kind == Expr::Kind::Assign) made(stmt.range, value);
      return Flow::Next;
    }
    case Stmt::Kind::If:
      return execute_if(stmt, frame);
    case Stmt::Kind::Loop:
      return execute_loop(stmt, frame);
    case Stmt::Kind::Return: {
      if (stmt.expr != facts::none) {
        const Value value = evaluate(stmt.expr, frame);
        made(stmt.range, value);
        frame.result = join(frame.result, value, "result " + frame.function->name, &frame);
      }
      frame.exits.push_back(frame.variables);
      return Flow::Left;
    }
    case Stmt::Kind::Break:
    case Stmt::Kind::Continue:
      if (!frame.loops.empty()) frame.loops.back().push_back(frame.variables);
      return Flow::Left;
  }
  return Flow::Next;
}

bool Interpreter::reads_value(ExprId id) const {
  const Expr& node = expr(id);
  if (node.kind == Expr::Kind::Item) return true;
  return std::any_of(node.children.begin(), node.children.end(),
                     [&](ExprId child) { return child != facts::none && reads_value(child); });
}

void Interpreter::note_branch(ExprId condition) {
  if (reads_value(condition))
    find("VS3015", expr(condition).range,
         "the branch depends on a tensor's value, which is made whole first");
}

Interpreter::Flow Interpreter::execute_if(const Stmt& stmt, Frame& frame) {
  if (stmt.expr != facts::none) {
    evaluate(stmt.expr, frame);
    note_branch(stmt.expr);
  }
  const Environment before = frame.variables;
  const Flow then = stmt.body.empty() ? Flow::Next : execute(stmt.body[0], frame);
  const Environment after_then = std::exchange(frame.variables, before);
  const Flow otherwise = stmt.body.size() < 2 ? Flow::Next : execute(stmt.body[1], frame);
  if (then == Flow::Left && otherwise == Flow::Left) return Flow::Left;
  if (otherwise == Flow::Left) {
    frame.variables = after_then;
  } else if (then == Flow::Next) {
    frame.variables = join(after_then, frame.variables, &frame);
  }
  return Flow::Next;
}

Interpreter::Flow Interpreter::execute_loop(const Stmt& stmt, Frame& frame) {
  if (stmt.body.size() > 1) execute(stmt.body.front(), frame);  // i = 0
  Value range;
  if (stmt.range_for && stmt.expr != facts::none) range = evaluate(stmt.expr, frame);
  const auto round = [&] {
    if (!stmt.range_for && stmt.expr != facts::none) {
      evaluate(stmt.expr, frame);
      note_branch(stmt.expr);
    }
    frame.loops.emplace_back();
    if (stmt.range_for) {
      const Value element = element_of(range);
      for (std::size_t i = 0; i < stmt.variables.size(); ++i) {
        const bool several = stmt.variables.size() > 1 && i < element.elements.size();
        bind(stmt.variables[i], several ? element.elements[i] : element, frame);
      }
    }
    if (!stmt.body.empty()) execute(stmt.body.back(), frame);
    const auto left = std::move(frame.loops.back());
    frame.loops.pop_back();
    for (const Environment& exit : left) frame.variables = join(frame.variables, exit, &frame);
  };
  const int recording = std::exchange(recording_, 0);
  Environment entry = frame.variables;
  for (int i = 0; i < most_rounds; ++i) {
    round();
    // Where the values before the loop meet those of its end is a join of the recorded program.
    recording_ = i == 0 ? recording : 0;
    const Environment joined = join(entry, frame.variables, &frame);
    recording_ = 0;
    const bool settled = text_of(joined) == text_of(entry);
    frame.variables = entry = joined;
    if (settled) break;
  }
  recording_ = recording;
  if (recording_ > 0) {
    round();
    frame.variables = join(entry, frame.variables, nullptr);
  }
  return Flow::Next;
}

void Interpreter::declare(const Stmt& stmt, Frame& frame) {
  Value value;
  if (stmt.expr != facts::none) value = evaluate(stmt.expr, frame);
  if (stmt.variables.size() > 1) {
    for (std::size_t i = 0; i < stmt.variables.size(); ++i) {
      const bool known = value.kind == Kind::Tuple && i < value.elements.size();
      bind(stmt.variables[i], known ? value.elements[i] : make_unknown(), frame);
    }
    return;
  }
  if (stmt.variables.empty()) return;
  // What a reference is bound to can't become the result of a call.
  if (variable(stmt.variables.front()).by_reference) value.tensor.definition = {};
  bind(stmt.variables.front(), value, frame);
  made(variable(stmt.variables.front()).range, frame.variables[stmt.variables.front()]);
}

void Interpreter::bind(facts::VarId id, Value value, Frame& frame) {
  const auto type = variable(id).type.kind;
  if (type == facts::Type::Kind::Tensor && value.kind == Kind::Unknown)
    value = make_tensor(axes(), std::nullopt);
  place(id, value);
  if (variable(id).is_global) {
    globals_[id] = value;
  } else {
    frame.variables[id] = std::move(value);
  }
}

void Interpreter::made(const facts::SourceRange& range, const Value& value, const std::string& name) {
  if (recording_ == 0 || !value.is_tensor() || !range.valid() || range.in_macro_body) return;
  auto& entry = trace_.made[{range.file, range.begin, range.end}];
  entry.first = range;
  const bool sections =
      std::any_of(value.tensor.placements.begin(), value.tensor.placements.end(),
                  [](const AxisPlacement& p) { return p && p->kind == Placement::Kind::Interleaved; });
  // How many sections a flattened dim has, only run time tells.
  const std::string layout =
      sections && !value.tensor.exact ? "?" : layout_text(value.tensor.placements, setting_.mesh.names);
  entry.second.insert((name.empty() ? "" : name + ": ") + layout);
}

// --- roots
// --------------------------------------------------------------------------------------------------

Value Interpreter::root_value(facts::VarId id) {
  const facts::Variable& var = variable(id);
  Value value;
  switch (var.type.kind) {
    case facts::Type::Kind::Tensor:
    case facts::Type::Kind::OptionalTensor:
      value = make_tensor(axes(), std::nullopt);
      break;
    case facts::Type::Kind::Integer:
      return make_integer(stand_ins_.of(var.qualified_name), false);
    case facts::Type::Kind::Module:
    case facts::Type::Kind::ModuleList:
      value.kind = Kind::Module;
      value.name = var.type.name;
      return value;
    case facts::Type::Kind::Class:
      value.kind = Kind::Object;
      value.name = var.type.name;
      return value;
    default:
      return make_unknown();
  }
  return value;
}

void Interpreter::run_root(facts::FunctionId id, bool inner) {
  const facts::Function& function = program_.functions[static_cast<std::size_t>(id)];
  if (!function.has_body || function.host || reached_.count(id)) return;
  Value self;
  if (!function.class_name.empty()) {
    const facts::Class* owner = find_class(function.class_name);
    self.kind = owner && owner->is_module ? Kind::Module : Kind::Object;
    self.name = function.class_name;
    if (inner) self.fqn = "?";  // its place in the whole model is not known
  }
  std::vector<Value> arguments;
  for (const facts::VarId parameter : function.parameters) arguments.push_back(root_value(parameter));
  run_function(id, self, arguments, {});
}

void Interpreter::run() {
  const auto count = static_cast<facts::FunctionId>(program_.functions.size());
  if (program_.main != facts::none) run_root(program_.main, false);
  // Classes that are nobody's member first: what they call is reached with its place in the whole.
  std::set<std::string> members;
  for (const facts::Class& one : program_.classes) {
    for (const facts::Field& field : one.fields) {
      members.insert(field.type.name);
      for (const facts::Type& element : field.type.elements) members.insert(element.name);
    }
  }
  std::set<facts::FunctionId> called;
  for (const Expr& one : program_.exprs) called.insert(one.function);
  const auto run_all = [&](bool inner, bool constructors, bool also_called) {
    for (facts::FunctionId id = 0; id < count; ++id) {
      const facts::Function& function = program_.functions[static_cast<std::size_t>(id)];
      const bool lambda = function.name.find(".lambda@") != std::string::npos;
      if (function.is_constructor != constructors || lambda) continue;
      const bool is_member = members.count(function.class_name) > 0;
      if (is_member == inner && (also_called || !called.count(id))) run_root(id, inner);
    }
  };
  // What is called is reached from its callers, or never.
  for (const bool also_called : {false, true}) {
    for (const bool inner : {false, true}) {
      if (inner && !also_called) continue;
      run_all(inner, true, also_called);
      run_all(inner, false, also_called);
    }
  }
}

Written written(const facts::Program& program, facts::ExprId expr) {
  const facts::SourceRange& range = program.exprs[static_cast<std::size_t>(expr)].range;
  return {range.file, range.begin, range.end};
}

bool can_wrap(const facts::Program& program, facts::ExprId id) {
  if (id == facts::none) return false;
  const facts::Expr& expr = program.exprs[static_cast<std::size_t>(id)];
  return expr.range.valid() && !expr.range.in_macro_body && expr.type.kind == facts::Type::Kind::Tensor;
}

Trace infer(const facts::Program& program, const Setting& setting, const Forced& forced,
            const Refused& refused) {
  StandIns stand_ins(setting.mesh.num_ranks());
  Store store;
  constexpr int most_passes = 10;
  for (int pass = 0;; ++pass) {
    Interpreter interpreter(program, setting, forced, refused, stand_ins, store);
    interpreter.run();
    if (stand_ins.restart()) {
      store.clear();
      continue;
    }
    if (!interpreter.store_changed() || pass >= most_passes) return interpreter.take_trace();
  }
}

}  // namespace vescale::inference
