// Calls of the user's functions that run on pieces under a sharding rule.
#include <algorithm>

#include <vescale/error.h>
#include "Inference/Interpreter.h"
#include "Sharding/Notation.h"
#include "Sharding/Rule.h"

namespace vescale::inference {

using Kind = Value::Kind;
using TypeKind = facts::Type::Kind;

using Facts = sharding::TensorFacts;

/// A tensor among the arguments.
struct Operand {
  const Tensor* tensor;
  std::size_t argument;
  int element;  ///< of a list, -1 for a single tensor
};

/// The arguments of a call as operands of a rule, over the axes on which all placements are known.
struct Interpreter::Operands {
  std::vector<sharding::Argument> arguments;
  std::vector<Operand> tensors;
  std::vector<Facts> facts;
  std::vector<std::size_t> axes;
  bool known = true;  ///< else an argument may or may not be a tensor, or its rank is not known
};

namespace {

using Operands = Interpreter::Operands;

bool is_operand(const Value& value, const facts::Type& type) {
  const bool list =
      value.kind == Kind::Tuple && !value.elements.empty() && value.elements.front().is_tensor();
  return list || value.is_tensor() || value.kind == Kind::Absent || type.kind == TypeKind::Tensor ||
         type.kind == TypeKind::OptionalTensor || type.kind == TypeKind::TensorList;
}

class Reader {
 public:
  /// `stand_ins`: sizes that only run time tells are those that stand for them, else unknown.
  Reader(const sharding::Notation& notation, const std::vector<Value>& values, std::size_t axes,
         bool stand_ins)
      : notation_(notation), stand_ins_(stand_ins) {
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const bool known = std::all_of(values.begin(), values.end(), [&](const Value& value) {
        return std::all_of(value.elements.begin(), value.elements.end(),
                           [&](const Value& one) { return is_known(one, axis); }) &&
               is_known(value, axis);
      });
      if (known) operands_.axes.push_back(axis);
    }
  }

  void add(const Value& value, std::size_t argument) {
    const std::size_t operand = operands_.arguments.size();
    if (operand < notation_.operands().size() && notation_.operands()[operand].list)
      return add_list(value, argument);
    if (value.is_tensor()) {
      operands_.arguments.emplace_back(facts_of(value.tensor, {&value.tensor, argument, -1}));
    } else {
      operands_.known = operands_.known && value.kind == Kind::Absent;
      operands_.arguments.emplace_back();
    }
  }

  Operands take() && { return std::move(operands_); }

 private:
  static bool is_known(const Value& value, std::size_t axis) {
    return !value.is_tensor() || value.tensor.placements[axis];
  }

  void add_list(const Value& value, std::size_t argument) {
    std::vector<std::optional<Facts>> list;
    operands_.known = operands_.known && value.kind == Kind::Tuple;
    for (std::size_t e = 0; e < value.elements.size(); ++e) {
      const Value& element = value.elements[e];
      operands_.known = operands_.known && element.is_tensor();
      if (element.is_tensor())
        list.emplace_back(facts_of(element.tensor, {&element.tensor, argument, static_cast<int>(e)}));
    }
    operands_.arguments.emplace_back(std::move(list));
  }

  Facts facts_of(const Tensor& tensor, const Operand& operand) {
    Facts facts;
    for (const std::size_t axis : operands_.axes) facts.placements.push_back(*tensor.placements[axis]);
    if (!tensor.sizes) {
      facts.sizes = unknown_sizes();
    } else if (tensor.exact || stand_ins_) {
      facts.sizes = *tensor.sizes;
    } else {
      facts.sizes.assign(tensor.sizes->size(), sharding::unknown_size);
    }
    facts.differentiable = tensor.dtype == Dtype::Float || tensor.dtype == Dtype::Unknown;
    operands_.tensors.push_back(operand);
    operands_.facts.push_back(facts);
    return facts;
  }

  // A rule without "..." tells the rank.
  std::vector<std::int64_t> unknown_sizes() {
    const std::size_t operand = operands_.arguments.size();
    if (operand >= notation_.operands().size()) return {};
    const auto& dims = notation_.operands()[operand].dims;
    for (const auto& dim : dims) {
      if (dim.size() == 1 && dim.front() == notation_.batch_symbol()) operands_.known = false;
    }
    return std::vector<std::int64_t>(dims.size(), sharding::unknown_size);
  }

  const sharding::Notation& notation_;
  const bool stand_ins_;
  Operands operands_;
};

// Which of two sharded tensors moves depends on sizes that only run time tells.
bool size_decides(const Operands& operands, const sharding::Resolution& resolution, std::size_t axis) {
  int sharded = 0;
  bool moves = false, exact = true;
  for (std::size_t i = 0; i < operands.facts.size(); ++i) {
    const Placement& from = operands.facts[i].placements[axis];
    sharded += from.is_sharded();
    moves |= from.is_sharded() && from != resolution.inputs[i][axis];
    exact = exact && operands.tensors[i].tensor->exact;
  }
  return sharded > 1 && moves && !exact;
}

// One value of the call's type from the results of the rule, in order.
Value as_typed(const facts::Type& type, std::vector<Value> results) {
  if (type.kind != TypeKind::Tuple && type.kind != TypeKind::TensorList)
    return results.empty() ? make_unknown() : results.front();
  Value value;
  value.kind = Kind::Tuple;
  if (type.kind == TypeKind::TensorList) {
    value.elements = std::move(results);
    return value;
  }
  std::size_t next = 0;
  for (const facts::Type& element : type.elements) {
    const bool tensor = element.kind == TypeKind::Tensor && next < results.size();
    value.elements.push_back(tensor ? results[next++] : make_unknown());
  }
  return value;
}

}  // namespace

Value Interpreter::call_rule(ExprId id, const std::string& rule, const std::vector<Value>& arguments,
                             const std::vector<ExprId>& uses, Frame& frame) {
  const auto bottom = [](const Value& value) { return value.kind == Kind::None; };
  if (std::any_of(arguments.begin(), arguments.end(), bottom)) return {};
  try {
    const sharding::Notation notation = sharding::Notation::compile(rule);
    std::vector<Value> results(notation.results().size(), make_tensor(axes(), std::nullopt));
    const auto attempt = [&](bool stand_ins) {
      const Operands operands = operands_of(notation, arguments, uses, stand_ins);
      if (operands.known) apply_rule(id, notation, operands, uses, results, frame);
    };
    try {
      attempt(true);
    } catch (const Error&) {
      attempt(false);  // stand-ins may differ where the program's sizes are equal
    }
    return as_typed(expr(id).type, std::move(results));
  } catch (const Error& problem) {
    find("VS2103", expr(id).range, problem.what());
  }
  return make_unknown();
}

Interpreter::Operands Interpreter::operands_of(const sharding::Notation& notation,
                                               const std::vector<Value>& arguments,
                                               const std::vector<ExprId>& uses, bool stand_ins) const {
  Reader reader(notation, arguments, axes(), stand_ins);
  Value absent;
  absent.kind = Kind::Absent;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Expr used = i < uses.size() && uses[i] != facts::none ? expr(uses[i]) : Expr();
    const Value& given = used.name == "std::nullopt" ? absent : arguments[i];
    if (is_operand(given, used.type)) reader.add(given, i);
  }
  return std::move(reader).take();
}

void Interpreter::apply_rule(ExprId id, const sharding::Notation& notation, const Operands& operands,
                             const std::vector<ExprId>& uses, std::vector<Value>& results, Frame& frame) {
  MeshShape mesh;
  for (const std::size_t axis : operands.axes) {
    mesh.names.push_back(setting_.mesh.names[axis]);
    mesh.sizes.push_back(setting_.mesh.sizes[axis]);
  }
  const auto resolution = sharding::resolve(mesh, notation.apply(operands.arguments), operands.facts);
  if (!resolution) return;
  for (std::size_t a = 0; a < operands.axes.size(); ++a) {
    if (size_decides(operands, *resolution, a)) continue;
    const std::size_t axis = operands.axes[a];
    for (std::size_t i = 0; i < operands.tensors.size(); ++i) {
      const Operand& operand = operands.tensors[i];
      const Use use{operand.argument,
                    operand.element,
                    axis,
                    operands.facts[i].placements[a],
                    resolution->inputs[i][a],
                    "the rule " + notation.text()};
      note_use(use, *operand.tensor, used_expr(use, uses), id, frame);
    }
    for (std::size_t o = 0; o < results.size(); ++o)
      results[o].tensor.placements[axis] = resolution->outputs[o][a];
  }
  const auto all = [&](auto predicate) {
    return std::all_of(operands.tensors.begin(), operands.tensors.end(), predicate);
  };
  const bool exact = all([](const Operand& one) { return one.tensor->exact; });
  const bool floats = !all([](const Operand& one) { return one.tensor->dtype != Dtype::Float; });
  for (std::size_t o = 0; o < results.size(); ++o) {
    Tensor& tensor = results[o].tensor;
    tensor.sizes = resolution->output_sizes[o];
    tensor.exact = exact;
    if (floats) tensor.dtype = Dtype::Float;
    for (std::size_t d = 0; d < tensor.sizes->size(); ++d) {
      std::int64_t& size = (*tensor.sizes)[d];
      if (size != sharding::unknown_size) continue;
      size = stand_ins_.of("e" + std::to_string(id) + "rule#" + std::to_string(o) + "." + std::to_string(d));
      tensor.exact = false;
    }
  }
}

}  // namespace vescale::inference
