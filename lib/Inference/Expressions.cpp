#include <algorithm>
#include <utility>

#include "Inference/Interpreter.h"

namespace vescale::inference {

using Kind = Value::Kind;
using TypeKind = facts::Type::Kind;

namespace {

// Of floats, over all ranks of `axis` together; 0 if the sizes are not known.
double bytes_of(const Tensor& tensor, std::size_t axis, const MeshShape& mesh) {
  if (!tensor.sizes || !tensor.exact) return 0;
  double bytes = 4;
  for (const std::int64_t size : *tensor.sizes) bytes *= static_cast<double>(size);
  for (std::size_t other = 0; other < tensor.placements.size(); ++other) {
    const AxisPlacement& placement = tensor.placements[other];
    if (other != axis && placement && placement->is_sharded())
      bytes /= static_cast<double>(mesh.sizes[other]);
  }
  return bytes;
}

bool holds(const Value& value, std::size_t axis) {
  return value.is_tensor() && axis < value.tensor.placements.size();
}

}  // namespace

Value Interpreter::evaluate(ExprId id, Frame& frame) {
  if (id == facts::none) return make_unknown();
  return finish(id, typed(id, evaluate_kind(id, frame)), frame);
}

// What the type says of a value that we did not follow.
Value Interpreter::typed(ExprId id, Value value) {
  const facts::Type& type = expr(id).type;
  if (value.kind == Kind::None && type.kind == TypeKind::Class) value = make_unknown();
  if (value.kind != Kind::Unknown) return value;
  switch (type.kind) {
    case TypeKind::Tensor:
      return make_tensor(axes(), std::nullopt);
    case TypeKind::Integer:
      return make_integer(stand_ins_.of("e" + std::to_string(id)), false);
    case TypeKind::Float:
      value.kind = Kind::Float;
      return value;
    case TypeKind::Class:
      if (find_class(type.name)) {
        value.kind = Kind::Object;
        value.name = type.name;
      }
      return value;
    case TypeKind::Module:
      value.kind = Kind::Module;
      value.name = type.name;
      value.fqn = "?";
      return value;
    default:
      return value;
  }
}

// Applies forced conversions and says where the tensor comes from.
Value Interpreter::finish(ExprId id, Value value, Frame& frame) {
  if (!value.is_tensor()) return value;
  const Expr& node = expr(id);
  const bool passes_on = node.kind == Expr::Kind::Variable || node.kind == Expr::Kind::Assign;
  if (!passes_on) value.tensor.definition = {frame.context, id, facts::none, frame.depth()};
  for (std::size_t axis = 0; axis < axes(); ++axis) {
    AxisPlacement& placement = value.tensor.placements[axis];
    if (recording_ > 0) trace_.seen[{id, axis}][frame.context] = placement ? placement->to_string() : "?";
    const auto target = forced_.find({id, axis});
    if (target == forced_.end() || !holds(value, axis) || !placement || *placement == target->second.to)
      continue;
    if (recording_ > 0) {
      trace_.applied[{id, axis}].push_back({*placement, target->second.to, target->second.reason,
                                            bytes_of(value.tensor, axis, setting_.mesh), frame.context,
                                            target->second.has_gradient});
    }
    placement = target->second.to;
    value.tensor.definition = {frame.context, id, facts::none, frame.depth()};
    value.tensor.leaf.clear();
  }
  return value;
}

std::vector<Value> Interpreter::evaluate_children(ExprId id, Frame& frame, std::size_t from) {
  std::vector<Value> result;
  const std::vector<ExprId> children = expr(id).children;
  for (std::size_t i = from; i < children.size(); ++i) result.push_back(evaluate(children[i], frame));
  return result;
}

Value Interpreter::evaluate_kind(ExprId id, Frame& frame) {
  const Expr& node = expr(id);
  switch (node.kind) {
    case Expr::Kind::Variable: {
      const Environment& from = variable(node.variable).is_global ? globals_ : frame.variables;
      const auto found = from.find(node.variable);
      return found == from.end() ? make_unknown() : found->second;
    }
    case Expr::Kind::Member:
      return member(id, frame);
    case Expr::Kind::This:
      return frame.self;
    case Expr::Kind::OpCall:
      return op_call(id, frame);
    case Expr::Kind::TorchFunction:
      return torch_function(id, frame);
    case Expr::Kind::ModuleCall:
      return module_call(id, frame);
    case Expr::Kind::UserCall:
    case Expr::Kind::CallValue:
      return user_call(id, frame);
    case Expr::Kind::Construct:
      return construct(id, frame);
    case Expr::Kind::Lambda: {
      Value value;
      value.kind = Kind::Function;
      value.function = node.function;
      return value;
    }
    case Expr::Kind::Integer:
      return make_integer(node.integer);
    case Expr::Kind::Float: {
      Value value;
      value.kind = Kind::Float;
      return value;
    }
    case Expr::Kind::Bool: {
      Value value = make_integer(node.integer);
      value.kind = Kind::Bool;
      return value;
    }
    case Expr::Kind::IntList:
    case Expr::Kind::InitializerList: {
      Value value;
      value.elements = evaluate_children(id, frame);
      value.kind = node.kind == Expr::Kind::IntList ? Kind::Integers : Kind::Tuple;
      if (node.type.kind == TypeKind::Class && find_class(node.type.name)) {
        const facts::Class* made = find_class(node.type.name);
        for (std::size_t i = 0; i < value.elements.size() && i < made->fields.size(); ++i) {
          write(made->name + "." + made->fields[i].name, value.elements[i]);
        }
        return make_unknown();
      }
      return value;
    }
    case Expr::Kind::Arithmetic:
      return arithmetic(id, frame);
    case Expr::Kind::Size:
      return size(id, frame);
    case Expr::Kind::Index: {
      const std::vector<Value> parts = evaluate_children(id, frame);
      return index(parts[0], parts.size() > 1 ? parts[1] : make_unknown(), id);
    }
    case Expr::Kind::TupleGet: {
      const Value tuple = evaluate(node.children[0], frame);
      return index(tuple, make_integer(node.integer), id);
    }
    case Expr::Kind::Item:
    case Expr::Kind::HostAccess:
    case Expr::Kind::Backward:
      return host_access(id, frame);
    case Expr::Kind::Conditional: {
      const std::vector<Value> parts = evaluate_children(id, frame);
      note_branch(node.children[0]);
      return join(parts[1], parts[2], "e" + std::to_string(id), &frame);
    }
    case Expr::Kind::Assign:
      return assign(id, frame);
    case Expr::Kind::Redistribute: {
      Value value = evaluate(node.children[0], frame);
      try {
        for (const plan::AxisPlacement& one :
             plan::parse_placements(plan::canonical_placements(node.text, setting_.mesh.names))) {
          if (!value.is_tensor()) value = make_tensor(axes(), std::nullopt);
          value.tensor.placements[static_cast<std::size_t>(setting_.mesh.axis(one.axis))] = one.placement;
        }
      } catch (const std::exception& problem) {
        find("VS2101", node.range, problem.what());
      }
      value.tensor.leaf.clear();
      return value;
    }
    case Expr::Kind::String:
      return make_unknown();
    case Expr::Kind::OptimizerCall:
    case Expr::Kind::Unknown:
      return unknown(id, frame);
  }
  return make_unknown();
}

Value Interpreter::arithmetic(ExprId id, Frame& frame) {
  const std::string& op = expr(id).name;
  const std::vector<Value> parts = evaluate_children(id, frame);
  const auto is_integer = [](const Value& value) { return value.kind == Kind::Integer; };
  if (!std::all_of(parts.begin(), parts.end(), is_integer)) return make_unknown();
  const bool exact = std::all_of(parts.begin(), parts.end(), [](const Value& value) { return value.exact; });
  const std::int64_t a = parts[0].integer, b = parts.size() > 1 ? parts[1].integer : 0;
  if (parts.size() == 1) return op == "-" ? make_integer(-a, exact) : make_unknown();
  if (op == "+") return make_integer(a + b, exact);
  if (op == "-") return make_integer(a - b, exact);
  if (op == "*") return make_integer(a * b, exact);
  if ((op == "/" || op == "%") && b != 0) {
    if (!parts[1].exact) stand_ins_.divides(b);
    return make_integer(op == "/" ? a / b : a % b, exact);
  }
  return make_unknown();
}

Value Interpreter::size(ExprId id, Frame& frame) {
  const std::string name = expr(id).name;
  const std::vector<Value> parts = evaluate_children(id, frame);
  if (!parts[0].is_tensor() || !parts[0].tensor.sizes) return make_unknown();
  const Tensor& tensor = parts[0].tensor;
  const auto& sizes = *tensor.sizes;
  const auto rank = static_cast<std::int64_t>(sizes.size());
  if (name == "dim" || name == "ndimension") return make_integer(rank);
  if (name == "sizes") {
    Value value;
    value.kind = Kind::Integers;
    for (const std::int64_t size : sizes) value.elements.push_back(make_integer(size, tensor.exact));
    return value;
  }
  if (name == "numel") {
    std::int64_t product = 1;
    for (const std::int64_t size : sizes) product *= size;
    return make_integer(product, tensor.exact);
  }
  if (parts.size() < 2 || parts[1].kind != Kind::Integer || !parts[1].exact) return make_unknown();
  const std::int64_t dim = parts[1].integer < 0 ? parts[1].integer + rank : parts[1].integer;
  if (dim < 0 || dim >= rank) return make_unknown();
  return make_integer(sizes[static_cast<std::size_t>(dim)], tensor.exact);
}

Value Interpreter::assign(ExprId id, Frame& frame) {
  const Expr& node = expr(id);
  const ExprId target = node.children[0];
  if (node.name == "push_back" || node.name == "emplace_back") {
    const std::vector<Value> added = evaluate_children(id, frame, 1);
    Value list = evaluate(target, frame);
    if (list.kind == Kind::Module) return list;
    Value grown;
    grown.kind = Kind::List;
    Value element;
    for (const Value& one : list.elements) element = join(element, one, "e" + std::to_string(id), &frame);
    for (const Value& one : added) element = join(element, one, "e" + std::to_string(id), &frame);
    if (element.is_tensor()) element.tensor.definition = {};
    grown.elements = {element};
    assign_to(target, grown, frame);
    return grown;
  }
  if (node.children.size() != 2) return unknown(id, frame);
  Value value = evaluate(node.children[1], frame);
  if (!node.name.empty()) {
    const Value before = evaluate(target, frame);
    const bool integers = before.kind == Kind::Integer && value.kind == Kind::Integer;
    if (integers && node.name == "+=")
      value = make_integer(before.integer + value.integer, before.exact && value.exact);
    else if (integers && node.name == "-=")
      value = make_integer(before.integer - value.integer, before.exact && value.exact);
    else
      value = make_unknown();
  }
  assign_to(target, value, frame);
  return value;
}

void Interpreter::assign_to(ExprId target, Value value, Frame& frame) {
  const Expr& node = expr(target);
  if (node.kind == Expr::Kind::Variable) {
    if (variable(node.variable).is_global) {
      globals_[node.variable] =
          join(globals_[node.variable], value, "g" + std::to_string(node.variable), nullptr);
    } else {
      frame.variables[node.variable] = std::move(value);
    }
    return;
  }
  const int recording = std::exchange(recording_, 0);
  if (node.kind == Expr::Kind::Member) {
    const Value object = evaluate(node.children[0], frame);
    const bool followed = object.kind == Kind::Module || object.kind == Kind::Object;
    const facts::Field* field = followed ? find_field(object.name, node.name) : nullptr;
    if (object.kind == Kind::Module && !field && find_module(object.name)) {
      write("replaced " + object.fqn.substr(object.fqn.rfind('.') + 1) + "." + node.name, make_unknown());
    }
    // Registered parameters and modules keep their place; what they are comes from their construction.
    if (field && value.kind != Kind::Unknown) write(object.name + "." + node.name, value);
  } else if (node.kind == Expr::Kind::Index) {
    Value list = evaluate(node.children[0], frame);
    if (list.kind == Kind::Tuple || list.kind == Kind::List) {
      for (Value& element : list.elements)
        element = join(element, value, "e" + std::to_string(target), &frame);
      assign_to(node.children[0], list, frame);
    }
  } else if (node.kind == Expr::Kind::Construct || node.kind == Expr::Kind::InitializerList) {  // std::tie
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const bool known = value.kind == Kind::Tuple && i < value.elements.size();
      assign_to(node.children[i], known ? value.elements[i] : make_unknown(), frame);
    }
  } else {
    evaluate(target, frame);
  }
  recording_ = recording;
}

Value Interpreter::element_of(const Value& container) {
  Value element;
  if (container.kind == Kind::Tuple || container.kind == Kind::List) {
    for (const Value& one : container.elements) element = join(element, one, "element", nullptr);
    if (element.is_tensor()) element.tensor.definition = {};
    return element;
  }
  if (container.kind == Kind::Module && container.name == "torch::nn::ModuleList" &&
      container.elements.size() == 1) {
    element = container.elements.front();
    element.fqn = container.fqn == "?" ? "?" : container.fqn + ".*";
    element.table = container.table;
    return element;
  }
  return make_unknown();
}

Value Interpreter::index(const Value& container, const Value& position, ExprId) {
  if (container.kind == Kind::Tuple && position.kind == Kind::Integer && position.exact) {
    const auto count = static_cast<std::int64_t>(container.elements.size());
    const std::int64_t place = position.integer < 0 ? position.integer + count : position.integer;
    if (place >= 0 && place < count) return container.elements[static_cast<std::size_t>(place)];
  }
  if (container.kind == Kind::Integers && position.kind == Kind::Integer && position.exact) {
    const auto count = static_cast<std::int64_t>(container.elements.size());
    const std::int64_t place = position.integer < 0 ? position.integer + count : position.integer;
    if (place >= 0 && place < count) return container.elements[static_cast<std::size_t>(place)];
  }
  return element_of(container);
}

Value Interpreter::host_access(ExprId id, Frame& frame) {
  const Expr& node = expr(id);
  const std::vector<Value> parts = evaluate_children(id, frame);
  if (parts.empty() || !parts[0].is_tensor()) return make_unknown();
  const Tensor& tensor = parts[0].tensor;
  for (std::size_t axis = 0; axis < axes(); ++axis) {
    const AxisPlacement& placement = tensor.placements[axis];
    const std::string& name = setting_.mesh.names[axis];
    if (placement && placement->is_replicated()) continue;
    const std::string what = placement ? (placement->is_partial() ? "reduces over " : "gathers over ") + name
                                       : "makes the value whole over " + name + ", if it is not";
    if (node.kind == Expr::Kind::Item) find("VS3011", node.range, node.name + " " + what);
    // A sum starts from 1 on every rank.
    if (node.kind == Expr::Kind::Backward && placement && placement->is_partial() &&
        *placement != Placement::partial(ReduceOp::Sum))
      find("VS3012", node.range, "backward() first reduces the loss over " + name);
  }
  return make_unknown();
}

Value Interpreter::unknown(ExprId id, Frame& frame) {
  static const std::set<std::string> harmless{"dtype",
                                              "scalar_type",
                                              "device",
                                              "options",
                                              "requires_grad",
                                              "is_floating_point",
                                              "defined",
                                              "is_leaf",
                                              "is_cuda",
                                              "element_size",
                                              "itemsize",
                                              "layout",
                                              "is_contiguous",
                                              "is_sparse",
                                              "has_value",
                                              "printf",
                                              "step",
                                              "zero_grad",
                                              "unsafeGetTensorImpl"};
  const Expr& node = expr(id);
  const std::vector<Value> parts = evaluate_children(id, frame);
  const bool library = node.name.find("std::") == 0 || node.name.find("torch::") == 0 ||
                       node.name.find("at::") == 0 || node.name.find("c10::") == 0;
  if (node.name.empty() || library || harmless.count(node.name) || node.kind == Expr::Kind::OptimizerCall)
    return make_unknown();
  for (const Value& part : parts) {
    if (!part.is_tensor()) continue;
    const bool whole = std::all_of(part.tensor.placements.begin(), part.tensor.placements.end(),
                                   [](const AxisPlacement& p) { return p && p->is_replicated(); });
    if (!whole) {
      find("VS3001", node.range,
           "'" + node.name + "' is not known and gets a tensor that is " +
               layout_text(part.tensor.placements, setting_.mesh.names),
           "VESCALE_HOST, VESCALE_RULE(\"...\") or .full()");
    }
  }
  return make_unknown();
}

void Interpreter::find(const std::string& id, const facts::SourceRange& range, std::string text,
                       std::string fixit) {
  if (recording_ > 0) trace_.findings.insert({id, range, std::move(text), std::move(fixit)});
}

}  // namespace vescale::inference
