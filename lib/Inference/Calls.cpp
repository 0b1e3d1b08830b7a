#include <algorithm>
#include <utility>

#include "Inference/Interpreter.h"
#include "Sharding/Conversion.h"
#include "Sharding/Rule.h"

namespace vescale::inference {

using Kind = Value::Kind;
using TypeKind = facts::Type::Kind;

namespace {

bool has_bottom(const Value& value) {
  if (value.kind == Kind::None) return true;
  return value.kind == Kind::Tuple && std::any_of(value.elements.begin(), value.elements.end(), has_bottom);
}

const std::string* annotation_text(const std::vector<facts::Annotation>& annotations,
                                   facts::Annotation::Kind kind) {
  for (const facts::Annotation& annotation : annotations) {
    if (annotation.kind == kind) return &annotation.text;
  }
  return nullptr;
}

bool communicates(const Placement& from, const Placement& to) {
  const auto moves = [](sharding::Movement movement) {
    return movement == sharding::Movement::AllReduce || movement == sharding::Movement::AllGather ||
           movement == sharding::Movement::ReduceScatter || movement == sharding::Movement::AllToAll;
  };
  const sharding::Conversion conversion = sharding::conversion(from, to);
  return moves(conversion.forward) || moves(conversion.backward);
}

bool is_replicated(const Tensor& tensor) {
  return std::all_of(tensor.placements.begin(), tensor.placements.end(),
                     [](const AxisPlacement& placement) { return placement && placement->is_replicated(); });
}

}  // namespace

const std::string* Interpreter::rule_of(const std::string& name,
                                        const std::vector<facts::Annotation>& annotations) const {
  const std::string* planned = setting_.plan ? setting_.plan->rule_of(name) : nullptr;
  return planned ? planned : annotation_text(annotations, facts::Annotation::Kind::Rule);
}

Value Interpreter::op_call(ExprId id, Frame& frame) {
  return apply_op(id, expr(id).name, evaluate_children(id, frame), expr(id).children, frame);
}

Value Interpreter::apply_op(ExprId id, const std::string& name, const std::vector<Value>& arguments,
                            const std::vector<ExprId>& uses, Frame& frame) {
  if (std::any_of(arguments.begin(), arguments.end(), has_bottom)) return {};
  const OpResult result =
      evaluate_op(setting_.mesh, name, arguments, expr(id).type, stand_ins_, "e" + std::to_string(id) + name);
  for (const Use& use : result.uses) {
    const Value& argument = arguments[use.argument];
    const Tensor& tensor =
        use.element < 0 ? argument.tensor : argument.elements[static_cast<std::size_t>(use.element)].tensor;
    note_use(use, tensor, used_expr(use, uses), id, frame);
  }
  bool split = false;
  for (const Value& argument : arguments)
    split = split || (argument.is_tensor() && !is_replicated(argument.tensor));
  if (!result.has_rule && split) {
    find("VS3004", expr(id).range,
         "'" + name + "' has no sharding rule: it runs on whole values on every rank");
  }
  if (result.impossible) {
    find("VS3007", expr(id).range,
         "'" + name +
             "' writes to a tensor that would have to move first; use the op without '_' and assign its "
             "result");
  }
  if (result.value.is_tensor() && !result.impossible) {
    for (std::size_t axis = 0; axis < axes(); ++axis) {
      const bool known = std::all_of(arguments.begin(), arguments.end(), [&](const Value& argument) {
        return !argument.is_tensor() || argument.tensor.placements[axis];
      });
      if (known && !result.value.tensor.placements[axis]) {
        find("VS3005", expr(id).range,
             "the placement of '" + name + "' on " + setting_.mesh.names[axis] + " is decided at run time");
      }
    }
  }
  return result.value;
}

Interpreter::ExprId Interpreter::used_expr(const Use& use, const std::vector<ExprId>& uses) const {
  const ExprId where = use.argument < uses.size() ? uses[use.argument] : facts::none;
  if (where == facts::none || use.element < 0) return where;
  const auto& list = expr(where).children;
  return expr(where).kind == Expr::Kind::InitializerList &&
                 static_cast<std::size_t>(use.element) < list.size()
             ? list[static_cast<std::size_t>(use.element)]
             : facts::none;
}

void Interpreter::note_use(const Use& use, const Tensor& tensor, ExprId where, ExprId call, Frame& frame) {
  if (recording_ == 0) return;
  const std::string& axis = setting_.mesh.names[use.axis];
  if (!tensor.leaf.empty()) {
    trace_.leaves[tensor.leaf] = tensor;
    if (use.from == use.to || !communicates(use.from, use.to)) return;
    if (use.from.is_invariant() && use.to.kind == Placement::Kind::Replicate) {
      find("VS3013", expr(call).range,
           "gradient of " + tensor.leaf + " is summed over " + axis + " at sync_gradients");
    } else {
      find("VS3014", expr(call).range,
           tensor.leaf + " goes " + use.from.to_string() + " -> " + use.to.to_string() + " on " + axis +
               " at each use: " + use.reason);
    }
    return;
  }
  // How many sections a flattened dim has, only run time tells.
  if (use.to.kind == Placement::Kind::Interleaved && !tensor.exact) return;
  // What moves nothing, forward or backward, needs no call.
  if (!communicates(use.from, use.to) && use.from != use.to) return;
  // What has no gradient, or perhaps none, has nothing to sum.
  const bool view = use.from.is_invariant() && use.to.kind == Placement::Kind::Replicate;
  if (view && tensor.dtype != Dtype::Float) return;
  trace_.needs.push_back(
      {frame.context, tensor.definition, where, use.axis, use.from, use.to, use.reason, frame.depth()});
}

Value Interpreter::torch_function(ExprId id, Frame& frame) {
  const Expr& node = expr(id);
  const std::vector<Value> given = evaluate_children(id, frame);
  const std::string functional = "torch::nn::functional::";
  if (node.name.find("torch::nn::init::") == 0) return given.empty() ? make_unknown() : given.front();
  if (node.name.find("torch::autograd::") == 0) {
    const facts::Class* custom = node.text.empty() ? nullptr : find_class(node.text);
    if (const std::string* rule = custom ? rule_of(custom->name, custom->annotations) : nullptr)
      return call_rule(id, *rule, given, node.children, frame);
    for (const Value& one : given) {
      if (one.is_tensor() && !is_replicated(one.tensor)) {
        find("VS3003", node.range,
             "a custom autograd function gets a tensor that is " +
                 layout_text(one.tensor.placements, setting_.mesh.names) + " and has no sharding rule",
             "struct VESCALE_RULE(\"...\") before the name of its class");
      }
    }
    return make_unknown();
  }
  if (node.name.find(functional) != 0) return make_unknown();
  const std::string name = node.name.substr(functional.size());
  const FunctionalOp* known = find_functional(name);
  std::vector<Value> positional;
  std::vector<ExprId> positions;
  Value options;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i].name.size() > 7 && given[i].name.rfind("Options") == given[i].name.size() - 7) {
      options = given[i];
    } else {
      positional.push_back(given[i]);
      positions.push_back(node.children[i]);
    }
  }
  if (!known) return apply_op(id, name, positional, positions, frame);
  std::vector<Value> arguments;
  std::vector<ExprId> uses;
  Value absent;
  absent.kind = Kind::Absent;
  for (const std::string_view word : words(known->arguments)) {
    Value value = absent;
    ExprId use = facts::none;
    if (word[0] == '=') {
      for (std::size_t i = 0; i < options.elements.size(); ++i) {
        const bool named = i < options.names.size() && !options.names[i].empty();
        const bool sole = !named && (word == "=dim" || word == "=kernel_size" ||
                                     word == "=normalized_shape" || word == "=output_size");
        if ((named && options.names[i] == word.substr(1)) || sole) value = options.elements[i];
      }
    } else if (word == "?") {
      value = make_unknown();
    } else if (const auto i = static_cast<std::size_t>(word[0] - '0'); i < positional.size()) {
      value = positional[i];
      use = positions[i];
    }
    arguments.push_back(value);
    uses.push_back(use);
  }
  return apply_op(id, std::string(known->op), arguments, uses, frame);
}

Value Interpreter::user_call(ExprId id, Frame& frame) {
  const Expr& node = expr(id);
  std::vector<Value> given = evaluate_children(id, frame);
  std::vector<ExprId> uses = node.children;
  Value self = frame.self;
  facts::FunctionId function = node.function;
  const bool by_value = node.kind == Expr::Kind::CallValue;
  if (node.method || by_value) {
    const Value object = given.empty() ? make_unknown() : given.front();
    if (!given.empty()) given.erase(given.begin()), uses.erase(uses.begin());
    if (by_value) function = object.kind == Kind::Function ? object.function : facts::none;
    if (node.method) self = object;
  }
  if (function == facts::none) return make_unknown();
  const facts::Function& called = program_.functions[static_cast<std::size_t>(function)];
  if (self.kind == Kind::Module && !called.class_name.empty() && self.name != called.class_name) {
    const std::string method = called.name.substr(called.name.rfind("::") + 2);
    for (std::size_t i = 0; i < program_.functions.size(); ++i) {  // an override
      const facts::Function& other = program_.functions[i];
      if (other.name == self.name + "::" + method && other.parameters.size() == called.parameters.size())
        function = static_cast<facts::FunctionId>(i);
    }
  }
  return call_function(id, function, self, given, uses, frame);
}

Value Interpreter::call_function(ExprId id, facts::FunctionId function, const Value& self,
                                 const std::vector<Value>& arguments, const std::vector<ExprId>& uses,
                                 Frame& frame) {
  const facts::Function& called = program_.functions[static_cast<std::size_t>(function)];
  if (const std::string* rule = rule_of(called.name, called.annotations))
    return call_rule(id, *rule, arguments, uses, frame);
  if (called.host) {
    return called.return_type.kind == TypeKind::Tensor ? make_tensor(axes(), Placement::invariant())
                                                       : make_unknown();
  }
  if (!called.has_body) {
    for (const Value& argument : arguments) {
      if (argument.is_tensor() && !is_replicated(argument.tensor)) {
        find("VS3001", expr(id).range,
             "'" + called.name + "' has no body here and gets a tensor that is " +
                 layout_text(argument.tensor.placements, setting_.mesh.names),
             "VESCALE_HOST or VESCALE_RULE(\"...\") before it, or .full()");
      }
    }
    return make_unknown();
  }
  Environment captures;
  for (const facts::VarId capture : called.captures) {
    if (const auto found = frame.variables.find(capture); found != frame.variables.end())
      captures.insert(*found);
  }
  Summary& summary = run_function(function, self, arguments, captures);
  for (const auto& [capture, value] : summary.captures) {
    if (value.to_string() != captures[capture].to_string())
      frame.variables[capture] = join(frame.variables[capture], value, "v" + std::to_string(capture), &frame);
  }
  for (std::size_t i = 0; i < called.parameters.size() && i < arguments.size(); ++i) {
    const facts::Variable& parameter = variable(called.parameters[i]);
    const ExprId use = i < uses.size() ? uses[i] : facts::none;
    if (recording_ > 0 && arguments[i].is_tensor() && use != facts::none) {
      trace_.passed.push_back({summary.context, called.parameters[i], frame.context, use,
                               arguments[i].tensor.definition, frame.depth()});
    }
    const bool changed = i < summary.parameters.size() && parameter.by_reference && use != facts::none &&
                         summary.parameters[i].kind != Kind::None &&
                         summary.parameters[i].to_string() != arguments[i].to_string();
    if (changed && expr(use).kind == Expr::Kind::Variable) assign_to(use, summary.parameters[i], frame);
  }
  Value result = summary.result;
  if (const std::string* text = annotation_text(called.annotations, facts::Annotation::Kind::Place);
      text && result.is_tensor()) {
    try {
      for (const plan::AxisPlacement& one :
           plan::parse_placements(plan::parse_place(*text, setting_.mesh.names).value)) {
        result.tensor.placements[static_cast<std::size_t>(setting_.mesh.axis(one.axis))] = one.placement;
      }
    } catch (const std::exception& problem) {
      find("VS2101", called.name_range, problem.what());
    }
  }
  return result;
}

Interpreter::Summary& Interpreter::run_function(facts::FunctionId id, const Value& self,
                                                const std::vector<Value>& arguments,
                                                const Environment& captures) {
  constexpr int most_rounds = 6;
  reached_.insert(id);
  std::string key = std::to_string(id) + "|" + self.to_string();
  for (const Value& argument : arguments) key += "|" + argument.to_string();
  for (const auto& [capture, value] : captures) key += "|" + std::to_string(capture) + value.to_string();
  const auto [place_of, fresh] = summaries_.try_emplace(key);
  Summary& summary = place_of->second;
  if (fresh) summary.context = contexts_++;
  if (summary.running) {
    summary.recursive = true;
    return summary;
  }
  if (!fresh && (summary.recorded || recording_ == 0)) return summary;
  const facts::Function& function = program_.functions[static_cast<std::size_t>(id)];
  summary.running = true;
  summary.recorded = recording_ > 0;
  for (int round = 0; round < most_rounds; ++round) {
    Frame frame;
    frame.context = summary.context;
    frame.function = &function;
    frame.self = self;
    frame.variables = captures;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      Value value = i < arguments.size() ? arguments[i] : make_unknown();
      const facts::VarId parameter = function.parameters[i];
      if (value.is_tensor()) value.tensor.definition = {summary.context, facts::none, parameter, 0};
      place(parameter, value);
      made(variable(parameter).range, value, variable(parameter).name);
      frame.variables[parameter] = std::move(value);
    }
    if (execute(function.body, frame) == Flow::Next) frame.exits.push_back(frame.variables);
    Environment last;
    for (const Environment& exit : frame.exits) last = last.empty() ? exit : join(last, exit, nullptr);
    const std::string before = summary.result.to_string();
    summary.result =
        round == 0 ? frame.result : join(summary.result, frame.result, "recursion " + key, nullptr);
    summary.parameters.clear();
    for (const facts::VarId parameter : function.parameters) summary.parameters.push_back(last[parameter]);
    for (const auto& [capture, value] : captures)
      summary.captures[capture] = last.count(capture) ? last[capture] : value;
    if (!summary.recursive || summary.result.to_string() == before) break;
  }
  summary.running = false;
  return summary;
}

}  // namespace vescale::inference
