#include "Inference/Ops.h"

#include <algorithm>

#include <vescale/error.h>
#include "Sharding/Rule.h"
#include "Sharding/Rules/Schema.h"

namespace vescale::inference {
namespace {

using sharding::Argument;
using sharding::OpCall;
using sharding::Resolution;
using sharding::TensorFacts;
using Kind = Value::Kind;
using Sizes = std::vector<std::int64_t>;

// Ranks that are tried where the program does not tell one. What holds for all of them is known.
constexpr std::int64_t largest_rank = 5;

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Ops that libvescale computes over shards with more than one op of the table. A mean is a sum, then a
// division by the global count; the others reduce what they need themselves, so nothing is converted before
// them.
bool takes_mean_as_sum(const std::string& name) {
  return is_one_of(name, {"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss", "kl_div",
                          "binary_cross_entropy", "binary_cross_entropy_with_logits", "nll_loss",
                          "nll_loss2d", "nll_loss_nd", "cross_entropy_loss"});
}

bool reduces_itself(const std::string& name) {
  return takes_mean_as_sum(name) ||
         is_one_of(name, {"var", "std", "var_mean", "std_mean", "norm", "linalg_vector_norm", "batch_norm",
                          "multinomial", "bernoulli", "index_put_"});
}

// The call whose rule says what becomes of the placements.
void as_ruled(OpCall& call, std::string& name) {
  if (name == "mean") {
    name = "sum";
    call.name = name;
    return;
  }
  if (name == "multinomial" && call.arguments.size() > 1) {
    // As many columns as samples are drawn.
    name = "narrow";
    call.name = name;
    call.arguments = {call.arguments[0], std::int64_t{-1}, std::int64_t{0}, call.arguments[1]};
    call.known = {true, true, true, call.known[1]};
    return;
  }
  if (name == "batch_norm" && call.arguments.size() > 5) {
    // Statistics of the whole batch, and the running ones, leave the same placements.
    call.arguments[5] = false;
    call.known[5] = true;
    return;
  }
  if (!takes_mean_as_sum(name)) return;
  constexpr std::int64_t mean = 1, sum = 2;
  const int found = sharding::rules::schema_of(call).find("reduction");
  if (found < 0) return;
  const auto place = static_cast<std::size_t>(found);
  if (call.arguments.size() <= place) {
    call.arguments.resize(place + 1);
    call.known.resize(place + 1, true);
  }
  if (!call.known[place]) return;
  const auto* given = std::get_if<std::int64_t>(&call.arguments[place]);
  if (!given || *given == mean) call.arguments[place] = sum;
}

struct Place {
  std::size_t argument;
  int element;
};

// The tensors among the arguments with where they stand, lists opened.
std::vector<std::pair<const Tensor*, Place>> tensors_of(const std::vector<Value>& arguments) {
  std::vector<std::pair<const Tensor*, Place>> result;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].is_tensor()) result.push_back({&arguments[i].tensor, {i, -1}});
    if (arguments[i].kind != Kind::Tuple) continue;
    for (std::size_t e = 0; e < arguments[i].elements.size(); ++e) {
      const Value& element = arguments[i].elements[e];
      if (element.is_tensor()) result.push_back({&element.tensor, {i, static_cast<int>(e)}});
    }
  }
  return result;
}

// The axes on which every tensor's placement is known.
std::vector<std::size_t> known_axes(const std::vector<std::pair<const Tensor*, Place>>& tensors,
                                    std::size_t axes) {
  std::vector<std::size_t> result;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const bool known = std::all_of(tensors.begin(), tensors.end(),
                                   [&](const auto& one) { return one.first->placements[axis].has_value(); });
    if (known) result.push_back(axis);
  }
  return result;
}

// How sizes are told to the rules.
struct SizeView {
  std::int64_t rank = 0;  ///< of tensors whose own is not known
  bool stand_ins = true;  ///< give stand-ins for unknown sizes, or say that they are unknown
};

TensorFacts facts_of(const Tensor& tensor, const std::vector<std::size_t>& axes, const SizeView& view) {
  TensorFacts facts;
  for (const std::size_t axis : axes) facts.placements.push_back(*tensor.placements[axis]);
  const auto rank = tensor.sizes ? tensor.sizes->size() : static_cast<std::size_t>(view.rank);
  const bool told = tensor.sizes && (tensor.exact || view.stand_ins);
  facts.sizes = told ? *tensor.sizes : Sizes(rank, sharding::unknown_size);
  facts.differentiable = tensor.dtype == Dtype::Float || tensor.dtype == Dtype::Unknown;
  facts.mask = tensor.dtype == Dtype::Bool;
  return facts;
}

bool all_integers(const Value& value) {
  return std::all_of(value.elements.begin(), value.elements.end(),
                     [](const Value& e) { return e.kind == Kind::Integer; });
}

Argument argument_of(const Value& value, const std::vector<std::size_t>& axes, const SizeView& view,
                     bool& known) {
  known = true;
  switch (value.kind) {
    case Kind::Tensor:
      return facts_of(value.tensor, axes, view);
    case Kind::Integer:
      return value.integer;
    case Kind::Float:
      return 0.5;
    case Kind::Bool:
      known = value.exact;
      return value.integer != 0;
    case Kind::Absent:
      return std::monostate{};
    case Kind::Integers:
    case Kind::Tuple: {
      if (all_integers(value) && (value.kind == Kind::Integers || !value.elements.empty())) {
        Sizes sizes;
        for (const Value& element : value.elements) sizes.push_back(element.integer);
        return sizes;
      }
      std::vector<std::optional<TensorFacts>> list;
      for (const Value& element : value.elements) {
        if (!element.is_tensor()) known = known && element.kind == Kind::Absent;
        list.push_back(element.is_tensor() ? std::optional(facts_of(element.tensor, axes, view))
                                           : std::nullopt);
      }
      return list;
    }
    default:
      break;
  }
  known = false;
  return std::monostate{};
}

// "input 1, tp: P -> R (all_reduce): because", of explain().
std::string reason_of(const std::string& explanation, std::size_t input, const std::string& axis,
                      const std::string& op) {
  const std::string start = "input " + std::to_string(input) + ", " + axis + ": ";
  const std::size_t begin = explanation.find(start);
  if (begin == std::string::npos) return {};
  const std::size_t end = explanation.find('\n', begin);
  const std::size_t text = explanation.find("): ", begin);
  if (text == std::string::npos || text > end) return {};
  std::string reason = explanation.substr(text + 3, end - text - 3);
  if (reason.compare(0, 7, "the op ") == 0) reason = op + reason.substr(6);
  return reason;
}

// What one rank of the tensors without a known one gives.
struct Attempt {
  Resolution resolution;
  std::string explanation;
  std::vector<bool> known;
};

class Evaluation {
 public:
  Evaluation(const MeshShape& mesh, const std::string& name, const std::vector<Value>& arguments)
      : name_(name),
        arguments_(arguments),
        tensors_(tensors_of(arguments)),
        axes_(known_axes(tensors_, mesh.names.size())) {
    for (const std::size_t axis : axes_) {
      sub_mesh_.names.push_back(mesh.names[axis]);
      sub_mesh_.sizes.push_back(mesh.sizes[axis]);
    }
  }

  const auto& tensors() const { return tensors_; }
  const auto& axes() const { return axes_; }
  bool impossible() const { return impossible_; }

  // Nothing if no rank fits.
  std::vector<Attempt> attempts() {
    const bool open =
        std::any_of(tensors_.begin(), tensors_.end(), [](const auto& one) { return !one.first->sizes; });
    std::vector<Attempt> result;
    for (std::int64_t rank = open ? 1 : 0; rank <= (open ? largest_rank : 0); ++rank) {
      for (const bool stand_ins : {true, false}) {
        try {
          if (auto one = attempt({rank, stand_ins})) result.push_back(std::move(*one));
          break;
        } catch (const Error&) {
          // The op refuses tensors of this rank, or stand-ins that are equal in the program.
        }
      }
    }
    return result;
  }

 private:
  std::optional<Attempt> attempt(const SizeView& view) {
    OpCall call{name_, "", {}, {}};
    for (const Value& value : arguments_) {
      bool known = true;
      call.arguments.push_back(argument_of(value, axes_, view, known));
      call.known.push_back(known);
    }
    std::string ruled = name_;
    call.name = ruled;
    as_ruled(call, ruled);
    std::vector<Placement> self;
    const bool in_place = is_in_place(name_) && arguments_.front().is_tensor();
    if (in_place) {
      for (const std::size_t axis : axes_) self.push_back(*arguments_.front().tensor.placements[axis]);
    }
    const auto* fixed = in_place ? &self : nullptr;
    auto resolution = sharding::resolve(sub_mesh_, call, fixed);
    if (!resolution) {
      impossible_ = true;
      return std::nullopt;
    }
    return Attempt{std::move(*resolution), sharding::explain(sub_mesh_, call, fixed), {}};
  }

  const std::string& name_;
  const std::vector<Value>& arguments_;
  const std::vector<std::pair<const Tensor*, Place>> tensors_;
  const std::vector<std::size_t> axes_;
  MeshShape sub_mesh_;
  bool impossible_ = false;
};

Dtype dtype_of(const std::string& name, const std::vector<std::pair<const Tensor*, Place>>& tensors) {
  if (is_one_of(name, {"eq", "ne", "lt", "le", "gt", "ge", "logical_not", "logical_and", "logical_or",
                       "isnan", "isinf", "isfinite"})) {
    return Dtype::Bool;
  }
  if (is_one_of(name, {"argmax", "argmin", "argsort", "multinomial", "randint", "randperm", "nonzero"}))
    return Dtype::Integer;
  const auto is = [&](Dtype dtype) { return [dtype](const auto& one) { return one.first->dtype == dtype; }; };
  if (std::any_of(tensors.begin(), tensors.end(), is(Dtype::Float))) return Dtype::Float;
  return Dtype::Unknown;
}

// All attempts agree on what `get` says of them.
template <class Get>
auto agreed(const std::vector<Attempt>& attempts, const Get& get)
    -> std::optional<decltype(get(attempts.front()))> {
  if (attempts.empty()) return std::nullopt;
  const auto first = get(attempts.front());
  const bool same =
      std::all_of(attempts.begin(), attempts.end(), [&](const Attempt& one) { return get(one) == first; });
  return same ? std::optional(first) : std::nullopt;
}

// Two inputs are split on the axis and don't fit: which of them moves depends on sizes that are not known.
bool size_decides(const std::vector<std::pair<const Tensor*, Place>>& tensors,
                  const std::vector<Placement>& to, std::size_t axis) {
  int sharded = 0;
  bool moves = false, exact = true;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Placement& from = *tensors[i].first->placements[axis];
    sharded += from.is_sharded();
    moves |= from.is_sharded() && from != to[i];
    exact = exact && tensors[i].first->exact;
  }
  return sharded > 1 && moves && !exact;
}

std::optional<Placement> output_placement(const std::vector<Attempt>& attempts, std::size_t output,
                                          std::size_t axis) {
  const auto found = agreed(attempts, [&](const Attempt& one) {
    const auto& outputs = one.resolution.outputs;
    return outputs.empty() ? std::optional<Placement>()
                           : std::optional(outputs[std::min(output, outputs.size() - 1)][axis]);
  });
  return found ? *found : std::nullopt;
}

}  // namespace

bool is_in_place(const std::string& name) {
  return name.size() > 1 && name.back() == '_' && name[name.size() - 2] != '_';
}

OpResult evaluate_op(const MeshShape& mesh, const std::string& name, const std::vector<Value>& arguments,
                     const facts::Type& type, StandIns& stand_ins, const std::string& key) {
  OpResult result;
  Evaluation evaluation(mesh, name, arguments);
  const auto& tensors = evaluation.tensors();
  const std::size_t num_axes = mesh.names.size();
  if (tensors.empty()) {
    // Made from nothing: the same on each rank.
    result.value = make_tensor(num_axes, Placement::invariant());
    result.value.tensor.dtype = dtype_of(name, tensors);
    for (const Value& argument : arguments) {
      if (argument.kind != Kind::Integers || name == "tensor") continue;
      Sizes sizes;
      for (const Value& element : argument.elements) sizes.push_back(element.integer);
      result.value.tensor.sizes = sizes;
      result.value.tensor.exact =
          std::all_of(argument.elements.begin(), argument.elements.end(), [](auto& e) { return e.exact; });
    }
    if (is_one_of(name, {"arange", "randperm", "linspace"})) {
      const bool told = !arguments.empty() && arguments.front().kind == Kind::Integer &&
                        (arguments.size() < 2 || arguments[1].kind != Kind::Integer);
      result.value.tensor.sizes =
          Sizes{told && name != "linspace" ? arguments.front().integer : stand_ins.of(key)};
    }
    if (name == "tensor") result.value.tensor.sizes = Sizes{stand_ins.of(key)};
    return result;
  }
  if (is_one_of(name, {"data", "cpu", "cuda", "requires_grad_", "set_requires_grad", "variable_data",
                       "tensor_data", "half", "toType"})) {
    result.value = arguments.front();
    result.value.tensor.leaf.clear();
    return result;
  }
  const std::vector<Attempt> attempts = evaluation.attempts();
  result.has_rule = sharding::has_rule(name) || reduces_itself(name);
  // By the table; what libvescale computes itself it also writes itself.
  result.impossible = evaluation.impossible() && !reduces_itself(name);
  // A rule that could not be applied: an argument is not known.
  // Without a rule libvescale makes inputs whole; it says so itself.
  const bool applied = result.has_rule && !attempts.empty() &&
                       std::all_of(attempts.begin(), attempts.end(),
                                   [](const Attempt& one) { return one.resolution.has_rule; });
  std::vector<bool> decided(num_axes, false);
  for (std::size_t a = 0; a < evaluation.axes().size() && applied; ++a) {
    const std::size_t axis = evaluation.axes()[a];
    const auto inputs = agreed(attempts, [&](const Attempt& one) {
      std::vector<Placement> placements;
      for (const auto& input : one.resolution.inputs) placements.push_back(input[a]);
      return placements;
    });
    if (!inputs || inputs->size() != tensors.size()) continue;
    bool made_whole = false;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      made_whole |= !tensors[i].first->placements[axis]->is_replicated() && (*inputs)[i].is_replicated();
    }
    const bool whole = std::all_of(tensors.begin(), tensors.end(), [&](const auto& one) {
      return one.first->placements[axis]->is_replicated();
    });
    if (size_decides(tensors, *inputs, axis)) continue;
    if ((made_whole && reduces_itself(name)) || (!whole && name == "multinomial")) continue;
    decided[axis] = true;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const Placement from = *tensors[i].first->placements[axis];
      result.uses.push_back({tensors[i].second.argument, tensors[i].second.element, axis, from, (*inputs)[i],
                             reason_of(attempts.front().explanation, i, mesh.names[axis], name)});
    }
  }
  if (is_in_place(name) && arguments.front().is_tensor()) {
    result.value = arguments.front();
    return result;
  }
  const std::size_t outputs = attempts.empty() ? 0 : attempts.front().resolution.outputs.size();
  const auto output = [&](std::size_t index) {
    Value value = make_tensor(num_axes, std::nullopt);
    value.tensor.dtype = dtype_of(name, tensors);
    for (std::size_t axis = 0; axis < num_axes; ++axis) {
      const auto at = std::find(evaluation.axes().begin(), evaluation.axes().end(), axis);
      if (decided[axis])
        value.tensor.placements[axis] =
            output_placement(attempts, index, static_cast<std::size_t>(at - evaluation.axes().begin()));
      const bool whole = std::all_of(tensors.begin(), tensors.end(), [&](const auto& one) {
        return one.first->placements[axis] && one.first->placements[axis]->is_invariant();
      });
      // An op on values that are whole on each rank is whole on each rank, whatever it does.
      if (!value.tensor.placements[axis] && whole) value.tensor.placements[axis] = Placement::invariant();
    }
    const auto sizes = agreed(attempts, [&](const Attempt& one) {
      const auto& all = one.resolution.output_sizes;
      return index < all.size() ? std::optional(all[index]) : std::nullopt;
    });
    if (sizes && *sizes) {
      value.tensor.sizes = **sizes;
      value.tensor.exact =
          std::all_of(tensors.begin(), tensors.end(), [](const auto& one) { return one.first->exact; });
      for (std::size_t d = 0; d < value.tensor.sizes->size(); ++d) {
        std::int64_t& size = (*value.tensor.sizes)[d];
        if (size != sharding::unknown_size) continue;
        size = stand_ins.of(key + "#" + std::to_string(index) + "." + std::to_string(d));
        value.tensor.exact = false;
      }
    }
    return value;
  };
  const bool several = type.kind == facts::Type::Kind::Tuple || type.kind == facts::Type::Kind::TensorList;
  if (!several) {
    result.value = output(0);
    return result;
  }
  const std::size_t count =
      std::max(outputs, type.kind == facts::Type::Kind::Tuple ? type.elements.size() : 0);
  result.value.kind = count == 0 ? Kind::Unknown : Kind::Tuple;
  for (std::size_t i = 0; i < count; ++i) result.value.elements.push_back(output(i));
  return result;
}

}  // namespace vescale::inference
