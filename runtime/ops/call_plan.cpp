#include "ops/call_plan.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <atomic>
#include <set>

#include <vescale/mesh.h>
#include <vescale/redistribute.h>

#include "Sharding/Conversion.h"
#include "Sharding/Rule.h"
#include "autograd/replicate_view.h"
#include "debug/options.h"
#include "ops/meta_shapes.h"
#include "tensor/access.h"
#include "tensor/layout_table.h"

namespace vescale::detail {
namespace {

std::string_view base_name(const char* name) {
  const std::string_view full(name);
  const std::size_t colons = full.rfind("::");
  return colons == std::string_view::npos ? full : full.substr(colons + 2);
}

const c10::FunctionSchema& schema_of(const BoxedCall& call) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(call.name, call.overload).schema();
}

c10::TypeKind kind_of(const c10::Argument& argument) {
  c10::TypePtr type = argument.real_type();
  while (auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
  return type->kind();
}

/// Only what can decide a sharding; see CallKey.
sharding::Argument plain_argument(const c10::IValue& value, c10::TypeKind kind) {
  switch (kind) {
    case c10::TypeKind::NumberType:
    case c10::TypeKind::ScalarTypeType:
    case c10::TypeKind::LayoutType:
    case c10::TypeKind::MemoryFormatType:
      return {};
    default:
      break;
  }
  if (value.isBool()) return value.toBool();
  if (value.isInt()) return value.toInt();
  if (value.isIntList()) return value.toIntVector();
  if (value.isString()) return value.toStringRef();
  return {};
}

/// Boxes and layouts side by side, in schema order.
class ArgumentReader {
 public:
  explicit ArgumentReader(const BoxedCall& call) : call_(call) {}

  sharding::Argument next(const c10::IValue& value, c10::TypeKind kind) {
    if (value.isTensor()) {
      const Layout* layout = call_.layouts[tensor_++];
      if (layout == nullptr) return {};
      return facts_of(value.toTensor(), layout);
    }
    if (value.isTensorList() || value.isOptionalTensorList()) return list(value);
    if (value.isNone() && kind == c10::TypeKind::TensorType) ++tensor_;
    return plain_argument(value, kind);
  }

 private:
  sharding::Argument list(const c10::IValue& value) {
    std::vector<std::optional<sharding::TensorFacts>> facts;
    for (const c10::IValue& element : value.toListRef()) {
      const Layout* layout = call_.layouts[tensor_++];
      if (layout == nullptr) {
        facts.emplace_back();
      } else {
        facts.emplace_back(facts_of(element.toTensor(), layout));
      }
    }
    return facts;
  }

  const BoxedCall& call_;
  std::size_t tensor_ = 0;
};

sharding::OpCall op_call(const BoxedCall& call, const c10::FunctionSchema& schema) {
  sharding::OpCall op{base_name(call.name), call.overload, {}, {}};
  ArgumentReader read(call);
  const std::size_t count = schema.arguments().size() - (call.mutation == Mutation::Out ? 1 : 0);
  for (std::size_t i = 0; i < count; ++i) {
    op.arguments.push_back(read.next(call.arguments[i], kind_of(schema.arguments()[i])));
  }
  return op;
}

std::string describe(const BoxedCall& call) {
  std::string text(base_name(call.name));
  text += '(';
  for (std::size_t i = 0; i < call.layouts.size(); ++i) {
    if (i > 0) text += ", ";
    text += call.layouts[i] == nullptr ? "none" : "[" + call.layouts[i]->to_string() + "]";
  }
  return text + ")";
}

bool communicates(sharding::Movement movement) {
  using sharding::Movement;
  return movement == Movement::AllReduce || movement == Movement::AllGather ||
         movement == Movement::ReduceScatter || movement == Movement::AllToAll;
}

/// Forward, or backward, along axes of several ranks. The view I -> R+ is what an op that meets a split value
/// always takes.
bool communicates(const Layout* from, const Layout* to) {
  for (std::size_t axis = 0; axis < to->placements.size(); ++axis) {
    const Placement &before = from->placements[axis], &after = to->placements[axis];
    const bool view = before.is_invariant() && after == Placement::replicate();
    const bool alone = RankContext::current().mesh().size(static_cast<std::int64_t>(axis)) == 1;
    if (before == after || view || alone) continue;
    const auto moved = sharding::conversion(before, after);
    if (communicates(moved.forward) || communicates(moved.backward)) return true;
  }
  return false;
}

void check_strict(const BoxedCall& call, const CallPlan& plan) {
  if (!options().strict) return;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    if (plan.inputs[i].kind != InputAction::Kind::Redistribute) continue;
    if (!communicates(call.layouts[i], plan.inputs[i].target)) continue;
    throw Error("strict: " + describe(call) + " would communicate to turn input " + std::to_string(i) +
                " into [" + plan.inputs[i].target->to_string() + "]; write vs::redistribute(x, \"" +
                plan.inputs[i].target->to_string() + "\") before the call");
  }
}

void warn_without_rule(const BoxedCall& call, const CallPlan& plan) {
  if (RankContext::current().rank() != 0) return;
  const bool moves = std::any_of(plan.inputs.begin(), plan.inputs.end(), [](const InputAction& a) {
    return a.kind == InputAction::Kind::Redistribute;
  });
  if (!moves || !RankContext::current().slot<std::set<std::string>>().insert(call.name).second) return;
  TORCH_WARN(call.name,
             " has no sharding rule: its inputs are replicated. Give it one with VESCALE_RULE, or ",
             "redistribute its inputs yourself where that costs less.");
}

void set_local_integers(CallPlan& plan, const BoxedCall& call,
                        const std::vector<sharding::LocalArgument>& locals) {
  plan.local_integers.resize(call.arguments.size());
  auto local_sizes_of = [&](int output) -> const std::vector<std::int64_t>& {
    const auto o = static_cast<std::size_t>(output);
    return rank_layout(LayoutTable::current().intern(plan.output_placements[o], plan.output_sizes[o],
                                                     contiguous_strides(plan.output_sizes[o])))
        .local_sizes;
  };
  for (const sharding::LocalArgument& local : locals) {
    std::vector<std::int64_t>& integers = plan.local_integers[static_cast<std::size_t>(local.argument)];
    switch (local.kind) {
      case sharding::LocalArgument::Kind::OutputSizes:
        integers = local_sizes_of(local.output);
        break;
      case sharding::LocalArgument::Kind::OutputDim:
        integers = {local_sizes_of(local.output)[static_cast<std::size_t>(local.dim)]};
        break;
      case sharding::LocalArgument::Kind::OutputDimsFrom: {
        const std::vector<std::int64_t>& sizes = local_sizes_of(local.output);
        const auto given = call.arguments[static_cast<std::size_t>(local.argument)].toIntVector().size();
        integers.assign(sizes.begin() + local.dim,
                        sizes.begin() + local.dim + static_cast<std::ptrdiff_t>(given));
        break;
      }
      case sharding::LocalArgument::Kind::OutputDimList:
        integers.clear();
        for (std::size_t o = 0; o < plan.output_sizes.size(); ++o) {
          integers.push_back(local_sizes_of(static_cast<int>(o))[static_cast<std::size_t>(local.dim)]);
        }
        break;
    }
  }
}

bool all_invariant(const BoxedCall& call) {
  return std::all_of(call.layouts.begin(), call.layouts.end(),
                     [](const Layout* layout) { return layout == nullptr || layout->is_invariant(); });
}

bool changes_own_shape(std::string_view name) {
  static const std::set<std::string_view> names{"t_",          "transpose_", "squeeze_", "unsqueeze_",
                                                "swapaxes_",   "swapdims_",  "resize_",  "resize_as_",
                                                "as_strided_", "set_"};
  return names.count(name) > 0;
}

CallPlan invariant_plan(const BoxedCall& call) {
  CallPlan plan;
  const bool has_tensors =
      std::any_of(call.layouts.begin(), call.layouts.end(), [](auto* l) { return l != nullptr; });
  // Without a rule the shape of a result may depend on values (nonzero), without tensors on scalars (arange).
  const bool known = has_tensors && sharding::has_rule(base_name(call.name), call.overload) &&
                     !sharding::has_dynamic_shape(op_call(call, schema_of(call)));
  plan.output_kind = known ? OutputKind::Known : OutputKind::Dynamic;
  plan.dynamic_placements.resize(static_cast<std::size_t>(RankContext::current().mesh().shape().num_axes()));
  plan.output_placements = {plan.dynamic_placements};
  return plan;
}

}  // namespace

sharding::TensorFacts facts_of(const at::Tensor& local, const Layout* layout) {
  return {layout->placements, layout->sizes, local.is_floating_point() || local.is_complex(),
          is_mask(local.scalar_type())};
}

InputAction action_for(const Layout* layout, const std::vector<Placement>& wanted) {
  if (layout->placements == wanted) return {};
  bool only_views = true;
  for (std::size_t axis = 0; axis < wanted.size(); ++axis) {
    const Placement& from = layout->placements[axis];
    only_views = only_views && (from == wanted[axis] ||
                                (from.is_invariant() && wanted[axis].kind == Placement::Kind::Replicate));
  }
  return {only_views ? InputAction::Kind::View : InputAction::Kind::Redistribute,
          LayoutTable::current().with_placements(layout, wanted)};
}

CallPlan make_plan(const BoxedCall& call) {
  const bool reshapes_self = call.mutation == Mutation::InPlace && changes_own_shape(base_name(call.name));
  if (all_invariant(call)) {
    CallPlan plan = invariant_plan(call);
    if (call.mutation != Mutation::None)
      plan.output_kind = reshapes_self ? OutputKind::Dynamic : OutputKind::Self;
    return plan;
  }
  const c10::FunctionSchema& schema = schema_of(call);
  const sharding::OpCall op = op_call(call, schema);
  const std::vector<Placement>* fixed = nullptr;
  if (call.mutation == Mutation::InPlace && !reshapes_self) fixed = &call.layouts.front()->placements;
  if (call.mutation == Mutation::Out) fixed = &call.layouts.back()->placements;
  const MeshShape& mesh = RankContext::current().mesh().shape();
  std::optional<sharding::Resolution> resolution = sharding::resolve(mesh, op, fixed);
  if (!resolution) {
    throw Error(describe(call) + " works in place, but would have to move its own tensor; write x = " +
                std::string(base_name(call.name)) +
                "(x, ...) without the underscore, or redistribute x first");
  }

  CallPlan plan;
  std::size_t wanted = 0;
  for (const Layout* layout : call.layouts) {
    const bool present = layout != nullptr && wanted < resolution->inputs.size();
    plan.inputs.push_back(present ? action_for(layout, resolution->inputs[wanted++]) : InputAction{});
    plan.direct = plan.direct && plan.inputs.back().kind == InputAction::Kind::Keep;
  }
  plan.output_placements = std::move(resolution->outputs);
  plan.output_sizes = std::move(resolution->output_sizes);
  if (!resolution->local_arguments.empty()) {
    plan.direct = false;
    set_local_integers(plan, call, resolution->local_arguments);
  }
  plan.output_kind = resolution->has_rule ? OutputKind::Known : OutputKind::Dynamic;
  if (!resolution->has_rule) {
    plan.dynamic_placements = plan.output_placements.front();
    warn_without_rule(call, plan);
  }
  if (call.mutation != Mutation::None && !reshapes_self) plan.output_kind = OutputKind::Self;
  if (call.mutation == Mutation::InPlace && plan.inputs.front().kind == InputAction::Kind::Redistribute) {
    throw Error(describe(call) + " works in place and has no way to keep [" +
                call.layouts.front()->to_string() +
                "]; write it without the underscore, or redistribute x first");
  }
  check_strict(call, plan);
  return plan;
}

void finish_plan(CallPlan& plan, const BoxedCall& call, const std::vector<at::Tensor>& results) {
  if (plan.output_kind != OutputKind::Known) return;
  LayoutTable& table = LayoutTable::current();
  const std::vector<GlobalShape> shapes = output_shapes(plan, call, results);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].defined()) {
      plan.outputs.push_back(nullptr);
      continue;
    }
    const std::vector<Placement>& placements =
        plan.output_placements[std::min(i, plan.output_placements.size() - 1)];
    const Layout* layout = table.intern(placements, shapes[i].sizes, shapes[i].strides);
    if (results[i].sizes() != rank_layout(layout).local_sizes) {
      throw Error("internal: the rule of " + describe(call) + " gives result " + std::to_string(i) + " [" +
                  layout->to_string() + "] local sizes " +
                  c10::str(c10::IntArrayRef(rank_layout(layout).local_sizes)) + ", but it has " +
                  c10::str(results[i].sizes()));
    }
    plan.outputs.push_back(layout);
  }
}

void finish_inplace(const CallPlan& plan, const DTensor& self) {
  if (plan.output_kind == OutputKind::Self) return;
  const at::Tensor& local = DTensorAccess::raw_local(self);
  if (plan.output_kind == OutputKind::Dynamic) {
    DTensorAccess::set_layout(self, dynamic_layout(plan, local));
    return;
  }
  const std::vector<std::int64_t>& sizes = plan.output_sizes.front();
  DTensorAccess::set_layout(self, LayoutTable::current().intern(plan.output_placements.front(), sizes,
                                                                dense_strides_like(sizes, local.strides())));
}

DTensor apply_action(const DTensor& x, const InputAction& action) {
  if (action.kind == InputAction::Kind::View) return replicate_view(x, action.target);
  return redistribute(x, action.target->placements);
}

const Layout* dynamic_layout(const CallPlan& plan, const at::Tensor& local) {
  return LayoutTable::current().intern(plan.dynamic_placements, local.sizes(), local.strides());
}

const CallPlan* CallCache::find_older(const CallKey& key) {
  for (std::size_t i = 1; i < entries_.size(); ++i) {
    if (!(entries_[i]->key == key)) continue;
    // One step towards the front: keys that alternate settle beside each other, cheap for both.
    std::swap(entries_[i], entries_[i - 1]);
    return &entries_[i - 1]->plan;
  }
  return nullptr;
}

const CallPlan* CallCache::insert(CallKey key, CallPlan plan) {
  if (entries_.size() == capacity) entries_.pop_back();
  entries_.insert(entries_.begin(), std::make_unique<Entry>(Entry{std::move(key), std::move(plan)}));
  return &entries_.front()->plan;
}

namespace {
struct CallCaches {
  std::vector<std::unique_ptr<CallCache>> by_op;
};
std::atomic<std::size_t> op_count{0};
}  // namespace

std::size_t next_op_number() { return op_count.fetch_add(1, std::memory_order_relaxed); }

CallCache& call_cache(std::size_t op) {
  auto& caches = RankContext::current().slot<CallCaches>().by_op;
  if (op >= caches.size()) caches.resize(op + 1);
  if (caches[op] == nullptr) caches[op] = std::make_unique<CallCache>();
  return *caches[op];
}

}  // namespace vescale::detail
