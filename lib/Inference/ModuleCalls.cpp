/// Modules: their construction, their fields and parameters, and calls of them.
#include <algorithm>
#include <utility>

#include "Inference/Interpreter.h"

namespace vescale::inference {

using Kind = Value::Kind;
using TypeKind = facts::Type::Kind;

namespace {

bool is_options(const std::string& name) {
  return name.size() > 7 && name.compare(name.size() - 7, 7, "Options") == 0;
}

std::string below(const std::string& fqn, const std::string& name) {
  if (fqn == "?" || name.empty()) return "?";
  return fqn.empty() ? name : fqn + "." + name;
}

const Value* positional(const Value& module, std::size_t wanted) {
  std::size_t position = 0;
  for (std::size_t i = 0; i < module.elements.size(); ++i) {
    if (i < module.names.size() && !module.names[i].empty()) continue;
    if (position++ == wanted) return &module.elements[i];
  }
  return nullptr;
}

const Value* option(const Value& module, std::string_view name) {
  for (std::size_t i = 0; i < module.elements.size() && i < module.names.size(); ++i) {
    if (module.names[i] == name) return &module.elements[i];
  }
  return nullptr;
}

// "weight: tp=S(0)" of the member `fqn` goes into the table; a text without names speaks of the member
// itself.
void add_annotations(ParameterTable& table, const std::string& fqn,
                     const std::vector<facts::Annotation>& annotations,
                     const std::vector<std::string>& axes) {
  for (const facts::Annotation& annotation : annotations) {
    if (annotation.kind != facts::Annotation::Kind::Place) continue;
    try {
      const plan::PlaceAnnotation place = plan::parse_place(annotation.text, axes);
      for (const auto& line : place.parameters)
        table.emplace_back(fqn.empty() ? line.pattern : fqn + "." + line.pattern, line.placements);
      if (!place.value.empty()) table.emplace_back(fqn, place.value);
    } catch (const std::exception&) {
      // Said once, where the classes are checked.
    }
  }
}

}  // namespace

const facts::Class* Interpreter::find_class(const std::string& name) const {
  for (const facts::Class& one : program_.classes) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

const facts::Field* Interpreter::find_field(const std::string& class_name, const std::string& field) const {
  const facts::Class* owner = find_class(class_name);
  if (!owner) return nullptr;
  for (const facts::Field& one : owner->fields) {
    if (one.name == field) return &one;
  }
  for (const std::string& base : owner->bases) {
    if (const facts::Field* found = find_field(base, field)) return found;
  }
  return nullptr;
}

Value Interpreter::construct(ExprId id, Frame& frame) {
  const Expr& node = expr(id);
  Value value;
  value.elements = evaluate_children(id, frame);
  value.names = node.argument_names;
  value.name = node.name;
  if (is_options(node.name)) {
    value.kind = Kind::Unknown;
    // Conv2dOptions({...}) of options is the options.
    if (value.elements.size() == 1 && is_options(value.elements[0].name)) return value.elements[0];
    return value;
  }
  const facts::Class* own = find_class(node.name);
  if (own) {
    Value self;
    self.kind = own->is_module ? Kind::Module : Kind::Object;
    self.name = node.name;
    for (std::size_t i = 0; i < program_.functions.size(); ++i) {
      const facts::Function& function = program_.functions[i];
      if (!function.is_constructor || function.class_name != node.name || !function.has_body) continue;
      if (function.parameters.size() < value.elements.size()) continue;
      run_function(static_cast<facts::FunctionId>(i), self, value.elements, {});
      break;
    }
    return self;
  }
  if (node.type.kind == TypeKind::Module || node.type.kind == TypeKind::ModuleList) {
    value.kind = Kind::Module;
    if (value.elements.size() == 1 && is_options(value.elements[0].name)) {
      const Value options = value.elements[0];
      value.elements = options.elements;
      value.names = options.names;
    }
    return value;
  }
  if (node.type.kind == TypeKind::Tuple || node.type.kind == TypeKind::TensorList) {
    value.names.clear();
    value.name.clear();
    value.kind = Kind::Tuple;
    if (value.elements.size() == 1 && value.elements[0].kind == Kind::Tuple) return value.elements[0];
    const bool tensors = std::all_of(value.elements.begin(), value.elements.end(),
                                     [](const Value& one) { return one.is_tensor(); });
    if (node.type.kind == TypeKind::TensorList && !tensors) {
      value.kind = Kind::List;
      value.elements.clear();
    }
    return value;
  }
  if (node.type.kind == TypeKind::IntList && value.elements.size() == 1 &&
      value.elements[0].kind == Kind::Integers)
    return value.elements[0];
  if (node.type.kind == TypeKind::Tensor && value.elements.empty()) return {};
  if (node.type.kind == TypeKind::OptionalTensor && value.elements.empty()) {
    value.kind = Kind::Absent;
    return value;
  }
  if (value.elements.size() == 1 && value.elements[0].is_tensor()) return value.elements[0];
  return make_unknown();
}

Value Interpreter::member(ExprId id, Frame& frame) {
  const Expr& node = expr(id);
  const Value object = evaluate(node.children[0], frame);
  return read_field(object, node.name, id);
}

Value Interpreter::read_field(const Value& object, const std::string& name, ExprId id) {
  const facts::Type& type = expr(id).type;
  const bool followed = object.kind == Kind::Module || object.kind == Kind::Object;
  const facts::Field* field = followed ? find_field(object.name, name) : nullptr;
  if (!field) {
    if (const ModuleOp* module = find_module(object.name); module && object.kind == Kind::Module) {
      for (const ModuleTensor& tensor : module->tensors) {
        if (tensor.name == name) return parameter(object, tensor);
      }
      return make_unknown();
    }
    // Batches of a data loader hold tensors of one device; of other objects nothing is known.
    const bool batch = expr(expr(id).children[0]).type.name.find("torch::data::") == 0;
    if (batch && type.kind == TypeKind::Tensor) return make_tensor(axes(), Placement::invariant());
    if (object.kind == Kind::Tuple && (name == "first" || name == "second"))
      return index(object, make_integer(name == "second"), id);
    return make_unknown();
  }
  const auto stored = store_.find(object.name + "." + name);
  Value value = stored == store_.end() ? Value() : stored->second;
  const std::string fqn =
      object.kind == Kind::Module ? below(object.fqn, field->registered_name) : std::string();
  ParameterTable table = object.table;
  if (const facts::Class* owner = find_class(object.name);
      owner && object.fqn.empty() && object.table.empty()) {
    add_annotations(table, "", owner->annotations, setting_.mesh.names);
  }
  if (object.kind == Kind::Module && fqn != "?")
    add_annotations(table, fqn, field->annotations, setting_.mesh.names);
  if (field->type.kind == TypeKind::Module || field->type.kind == TypeKind::ModuleList) {
    if (value.kind != Kind::Module) value = {};
    value.kind = Kind::Module;
    if (value.name.empty()) value.name = field->type.name;
    value.fqn = fqn;
    if (const facts::Class* inner = find_class(value.name))
      add_annotations(table, fqn, inner->annotations, setting_.mesh.names);
    value.table = table;
    const bool list = value.name == "torch::nn::ModuleList" || field->type.kind == TypeKind::ModuleList;
    if (list) {
      value.name = "torch::nn::ModuleList";
      value.elements.clear();
      for (const facts::Type& element : field->type.elements) {
        Value one;
        one.kind = Kind::Module;
        one.name = element.name;
        value.elements.push_back(one);
      }
    }
    return value;
  }
  if (field->role == facts::Field::Role::Parameter ||
      (field->role == facts::Field::Role::Buffer && value.is_tensor())) {
    Value holder = object;
    holder.table = table;
    if (!value.is_tensor()) value = make_tensor(axes(), Placement::invariant());
    value.tensor.placements = parameter_placements(holder, fqn);
    if (field->role == facts::Field::Role::Parameter) {
      value.tensor.leaf = fqn;
      value.tensor.dtype = Dtype::Float;
    }
    return value;
  }
  // An integer that the program sets more than once, or from outside, has no value here.
  if (value.kind == Kind::Unknown && type.kind == TypeKind::Integer)
    return make_integer(stand_ins_.of(object.name + "." + name), false);
  if (value.kind == Kind::None && type.kind == TypeKind::Integer)
    return make_integer(stand_ins_.of(object.name + "." + name), false);
  return value;
}

std::vector<AxisPlacement> Interpreter::parameter_placements(const Value& module,
                                                             const std::string& fqn) const {
  std::vector<AxisPlacement> result(axes(), Placement::invariant());
  const auto apply = [&](const std::string& text, bool certain) {
    for (const plan::AxisPlacement& one : plan::parse_placements(text)) {
      AxisPlacement& placement = result[static_cast<std::size_t>(setting_.mesh.axis(one.axis))];
      placement = certain ? AxisPlacement(one.placement) : std::nullopt;
    }
  };
  if (fqn == "?") return std::vector<AxisPlacement>(axes(), std::nullopt);
  for (const auto& [pattern, text] : module.table) {
    if (plan::matches_fqn(pattern, fqn)) apply(text, true);
  }
  for (const plan::ParameterPlacement& line : setting_.plan->parameters) {
    if (plan::matches_fqn(line.pattern, fqn)) {
      result.assign(axes(), Placement::invariant());
      apply(line.placements, true);
    } else if (plan::matches_fqn(fqn, line.pattern)) {
      apply(line.placements, false);  // of some of the modules that run here
    }
  }
  return result;
}

Value Interpreter::parameter(const Value& module, const ModuleTensor& tensor) {
  const std::string fqn = below(module.fqn, std::string(tensor.name));
  Value absent;
  absent.kind = Kind::Absent;
  if (!tensor.option.empty()) {
    const Value* given = option(module, tensor.option);
    if (given && given->exact && given->integer == 0 && given->kind == Kind::Bool) return absent;
  }
  Value result = make_tensor(axes(), Placement::invariant());
  result.tensor.placements = parameter_placements(module, fqn);
  const std::string last = module.fqn.substr(module.fqn.rfind('.') + 1);
  // The program puts another tensor there: what that is, the module does not say.
  if (store_.count("replaced " + last + "." + std::string(tensor.name)))
    result.tensor.placements.assign(axes(), std::nullopt);
  result.tensor.dtype = Dtype::Float;
  result.tensor.exact = true;
  if (!tensor.buffer) result.tensor.leaf = fqn;
  std::vector<std::int64_t> sizes;
  int dims = 0;
  for (std::string_view word : words(tensor.sizes)) {
    const bool list = word[0] == '*';
    const Value* argument = positional(module, static_cast<std::size_t>(word[list ? 1 : 0] - '0'));
    ++dims;
    if (argument && argument->kind == Kind::Integers) {
      const std::size_t first =
          list ? 0 : std::min(static_cast<std::size_t>(dims - 3), argument->elements.size());
      if (list) {
        for (const Value& one : argument->elements) sizes.push_back(one.integer);
      } else if (first < argument->elements.size()) {
        sizes.push_back(argument->elements[first].integer);
      }
      continue;
    }
    const bool known = argument && argument->kind == Kind::Integer;
    result.tensor.exact = result.tensor.exact && known && argument->exact;
    sizes.push_back(known ? argument->integer
                          : stand_ins_.of("parameter " + fqn + "." + std::to_string(dims)));
  }
  result.tensor.sizes = sizes;
  return result;
}

Value Interpreter::module_call(ExprId id, Frame& frame) {
  std::vector<Value> inputs = evaluate_children(id, frame);
  std::vector<ExprId> uses = expr(id).children;
  const Value module = inputs.front();
  inputs.erase(inputs.begin());
  uses.erase(uses.begin());
  if (module.kind != Kind::Module) return make_unknown();
  return call_module(id, module, std::move(inputs), std::move(uses), frame);
}

Value Interpreter::call_module(ExprId id, const Value& module, std::vector<Value> inputs,
                               std::vector<ExprId> uses, Frame& frame) {
  if (module.name == "torch::nn::Sequential") {
    if (module.elements.empty()) return make_unknown();
    for (std::size_t i = 0; i < module.elements.size(); ++i) {
      Value child = module.elements[i];
      if (child.kind != Kind::Module) return make_unknown();
      child.fqn = below(module.fqn, std::to_string(i));
      child.table = module.table;
      Value result = call_module(id, child, std::move(inputs), std::move(uses), frame);
      if (result.kind == Kind::Unknown) return result;
      if (result.is_tensor()) result.tensor.definition = {};
      inputs = {std::move(result)};
      uses = {facts::none};
    }
    return inputs.front();
  }
  const ModuleOp* op = find_module(module.name);
  if (!op) {
    for (std::size_t i = 0; i < program_.functions.size(); ++i) {
      const facts::Function& function = program_.functions[i];
      if (function.name == module.name + "::forward" && function.parameters.size() >= inputs.size())
        return call_function(id, static_cast<facts::FunctionId>(i), module, inputs, uses, frame);
    }
    return make_unknown();
  }
  std::vector<Value> arguments;
  std::vector<ExprId> places;
  std::size_t input = 0;
  for (const std::string_view word : words(op->arguments)) {
    Value value;
    value.kind = Kind::Absent;
    ExprId place = facts::none;
    if (word == "x") {
      if (input >= inputs.size()) return make_unknown();
      place = uses[input];
      value = inputs[input++];
      if (op->rank > 0 && value.is_tensor() && !value.tensor.sizes) {
        std::vector<std::int64_t> sizes;
        for (int d = 0; d < op->rank; ++d)
          sizes.push_back(stand_ins_.of("e" + std::to_string(id) + module.fqn + ".x" + std::to_string(d)));
        value.tensor.sizes = sizes;
      }
    } else if (word == "?") {
      value = make_unknown();
    } else if (word[0] == '#') {
      value = make_integer(std::stol(std::string(word.substr(1))));
    } else if (word[0] == '=') {
      if (const Value* given = option(module, word.substr(1))) value = *given;
    } else if (word[0] == '*' || (word[0] >= '0' && word[0] <= '9')) {
      const Value* given = positional(module, static_cast<std::size_t>(word.back() - '0'));
      value = given ? *given : make_unknown();
    } else {
      const auto found = std::find_if(op->tensors.begin(), op->tensors.end(),
                                      [&](const ModuleTensor& one) { return one.name == word; });
      if (found != op->tensors.end()) value = parameter(module, *found);
    }
    arguments.push_back(std::move(value));
    places.push_back(place);
  }
  return apply_op(id, std::string(op->op), arguments, places, frame);
}

}  // namespace vescale::inference
