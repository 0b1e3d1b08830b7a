/// Where paths meet: the least value that both are.
#include <algorithm>

#include "Inference/Interpreter.h"

namespace vescale::inference {

using Kind = Value::Kind;

namespace {

// Which of two placements becomes the other where paths join: the conversion that moves less.
bool first_yields(const Placement& a, const Placement& b) {
  const auto rank = [](const Placement& p) {
    if (p.is_partial()) return 0;    // a reduction that has to be done some time
    if (p.is_invariant()) return 1;  // its piece, or its view
    return p.is_sharded() ? 3 : 2;
  };
  return rank(a) <= rank(b);
}

}  // namespace

// What both are if the one that yields is converted where it is made; nothing if that can't be written.
AxisPlacement Interpreter::want_same(const Tensor& a, const Tensor& b, std::size_t axis, const Frame& frame) {
  const Placement &first = *a.placements[axis], &second = *b.placements[axis];
  const bool yields = first_yields(first, second);
  const Tensor& changed = yields ? a : b;
  const Placement from = yields ? first : second, to = yields ? second : first;
  const ExprId made = changed.definition.expr;
  if (!can_wrap(program_, made) || refused_.count({written(program_, made), axis})) return std::nullopt;
  if (recording_ > 0) {
    trace_.needs.push_back({frame.context, changed.definition, facts::none, axis, from, to,
                            "it meets a value that is " + to.to_string(), frame.depth()});
  }
  return to;
}

Tensor Interpreter::join(const Tensor& a, const Tensor& b, const std::string& key, const Frame* frame) {
  Tensor result = a;
  for (std::size_t axis = 0; axis < axes(); ++axis) {
    if (a.placements[axis] == b.placements[axis]) continue;
    const bool known = frame && a.placements[axis] && b.placements[axis];
    result.placements[axis] = known ? want_same(a, b, axis, *frame) : std::nullopt;
  }
  if (a.sizes && b.sizes && a.sizes->size() == b.sizes->size()) {
    for (std::size_t d = 0; d < a.sizes->size(); ++d) {
      if ((*a.sizes)[d] != (*b.sizes)[d]) {
        (*result.sizes)[d] = stand_ins_.of(key + "." + std::to_string(d));
        result.exact = false;
      }
    }
  } else {
    result.sizes.reset();
  }
  result.exact = result.exact && b.exact;
  if (a.dtype != b.dtype) result.dtype = Dtype::Unknown;
  if (a.leaf != b.leaf) result.leaf.clear();
  if (!(a.definition == b.definition)) result.definition = {};
  return result;
}

Value Interpreter::join(const Value& a, const Value& b, const std::string& key, const Frame* frame) {
  if (a.kind == Kind::None) return b;
  if (b.kind == Kind::None) return a;
  if (a.is_tensor() && b.is_tensor()) {
    Value result = a;
    result.tensor = join(a.tensor, b.tensor, key, frame);
    return result;
  }
  if (a.kind == Kind::Absent && b.is_tensor()) return b;
  if (b.kind == Kind::Absent && a.is_tensor()) return a;
  const bool sequence_a = a.kind == Kind::Tuple || a.kind == Kind::List;
  const bool sequence_b = b.kind == Kind::Tuple || b.kind == Kind::List;
  if (sequence_a && sequence_b && (a.kind != b.kind || a.elements.size() != b.elements.size())) {
    Value result;
    result.kind = Kind::List;
    Value element;
    for (const Value* one : {&a, &b}) {
      for (const Value& e : one->elements) element = join(element, e, key + "[]", frame);
    }
    result.elements = {element};
    return result;
  }
  if (a.kind != b.kind || a.name != b.name || a.function != b.function) return make_unknown();
  Value result = a;
  if (a.kind == Kind::Integer && a.integer != b.integer) return make_integer(stand_ins_.of(key), false);
  if (a.kind == Kind::Bool && a.integer != b.integer) result.exact = false;
  result.exact = result.exact && b.exact;
  if (a.fqn != b.fqn) result.fqn = "?";
  if (a.elements.size() != b.elements.size()) return make_unknown();
  for (std::size_t i = 0; i < a.elements.size(); ++i) {
    result.elements[i] = join(a.elements[i], b.elements[i], key + "." + std::to_string(i), frame);
  }
  return result;
}

Environment Interpreter::join(const Environment& a, const Environment& b, const Frame* frame) {
  Environment result = a;
  for (const auto& [id, value] : b) {
    const auto found = a.find(id);
    // Variables that one path alone declares are out of scope behind the join.
    result[id] = found == a.end() ? value : join(found->second, value, "v" + std::to_string(id), frame);
  }
  return result;
}

void Interpreter::write(const std::string& key, const Value& value) {
  Value plain = value;
  plain.tensor.definition = {};
  Value& known = store_[key];
  const std::string before = known.to_string();
  known = join(known, plain, "field " + key, nullptr);
  if (known.to_string() != before) store_changed_ = true;
}

bool Interpreter::place(facts::VarId id, Value& value) {
  const facts::Variable& var = variable(id);
  std::string text;
  for (const facts::Annotation& annotation : var.annotations) {
    if (annotation.kind == facts::Annotation::Kind::Place) text = annotation.text;
  }
  for (const auto& [name, placements] : setting_.plan->values) {
    if (name == var.qualified_name) text = placements;
  }
  if (text.empty()) return false;
  if (!value.is_tensor()) value = make_tensor(axes(), std::nullopt);
  plan::PlaceAnnotation place;
  try {
    place = plan::parse_place(text, setting_.mesh.names);
  } catch (const std::exception& problem) {
    find("VS2101", var.range, problem.what());
    return false;
  }
  if (place.value.empty()) return false;
  Tensor& tensor = value.tensor;
  if (!tensor.sizes && !place.dims.empty()) {
    tensor.sizes.emplace();
    for (const std::string& dim : place.dims) tensor.sizes->push_back(stand_ins_.of("dim " + dim));
  }
  for (AxisPlacement& placement : tensor.placements) {
    if (!placement) placement = Placement::invariant();
  }
  for (const plan::AxisPlacement& one : plan::parse_placements(place.value)) {
    tensor.placements[static_cast<std::size_t>(setting_.mesh.axis(one.axis))] = one.placement;
    if (one.placement.is_sharded() && tensor.sizes &&
        one.placement.dim >= static_cast<std::int64_t>(tensor.sizes->size())) {
      find("VS2102", var.range,
           "'" + var.name + "' has " + std::to_string(tensor.sizes->size()) + " dims, so " +
               one.placement.to_string() + " on " + one.axis + " names none of them");
    }
  }
  tensor.definition = {};
  return true;
}

}  // namespace vescale::inference
