#pragma once
/// call<Op>: one ATen op on DTensors. Looks the call up by its layouts, converts inputs that need it, runs
/// the op on the local tensors and wraps what comes out. A hit compares a few words and allocates nothing of
/// its own.
#include <ATen/core/boxing/impl/boxing.h>

#include <tuple>
#include <type_traits>
#include <utility>

#include "ops/call_plan.h"

namespace vescale {
namespace detail {

// ---- local values
// -------------------------------------------------------------------------------------------------

/// Not const: in-place and out ops take their own tensor so; the others don't mind.
inline at::Tensor& local_value(const DTensor& x) { return const_cast<at::Tensor&>(x.local()); }
inline std::optional<at::Tensor> local_value(const std::optional<DTensor>& x) {
  return x ? std::optional<at::Tensor>(x->local()) : std::nullopt;
}
inline std::vector<at::Tensor> local_value(c10::ArrayRef<DTensor> list) {
  std::vector<at::Tensor> locals;
  locals.reserve(list.size());
  for (const DTensor& x : list) locals.push_back(x.local());
  return locals;
}
inline c10::List<std::optional<at::Tensor>> local_value(const std::vector<std::optional<DTensor>>& list) {
  c10::List<std::optional<at::Tensor>> locals;
  locals.reserve(list.size());
  for (const auto& x : list) locals.push_back(local_value(x));
  return locals;
}
template <class Other>
const Other& local_value(const Other& x) {
  return x;
}

// ---- layouts of a call's tensors, on a miss
// -----------------------------------------------------------------------

using Layouts = std::vector<const Layout*>;
inline void add_layouts(Layouts& all, const DTensor& x) { all.push_back(x.defined() ? x.layout() : nullptr); }
inline void add_layouts(Layouts& all, const std::optional<DTensor>& x) {
  all.push_back(x && x->defined() ? x->layout() : nullptr);
}
inline void add_layouts(Layouts& all, c10::ArrayRef<DTensor> list) {
  for (const DTensor& x : list) add_layouts(all, x);
}
inline void add_layouts(Layouts& all, const std::vector<std::optional<DTensor>>& list) {
  for (const auto& x : list) add_layouts(all, x);
}
template <class Other>
void add_layouts(Layouts&, const Other&) {}

// ---- inputs that change
// -------------------------------------------------------------------------------------------

/// Walks the arguments in order and hands each out as the plan wants it.
class Converter {
 public:
  explicit Converter(const CallPlan& plan) : plan_(plan) {}

  at::Tensor operator()(const DTensor& x) {
    ++argument_;
    return convert(x);
  }
  std::optional<at::Tensor> operator()(const std::optional<DTensor>& x) {
    ++argument_;
    return convert(x);
  }
  std::vector<at::Tensor> operator()(c10::ArrayRef<DTensor> list) {
    ++argument_;
    std::vector<at::Tensor> locals;
    locals.reserve(list.size());
    for (const DTensor& x : list) locals.push_back(convert(x));
    return locals;
  }
  c10::List<std::optional<at::Tensor>> operator()(const std::vector<std::optional<DTensor>>& list) {
    ++argument_;
    c10::List<std::optional<at::Tensor>> locals;
    locals.reserve(list.size());
    for (const auto& x : list) locals.push_back(convert(x));
    return locals;
  }
  c10::IntArrayRef operator()(const c10::IntArrayRef& x) {
    const auto* local = next_integers();
    return local ? c10::IntArrayRef(*local) : x;
  }
  c10::SymIntArrayRef operator()(const c10::SymIntArrayRef& x) {
    const auto* local = next_integers();
    return local ? c10::fromIntArrayRefSlow(*local) : x;
  }
  std::int64_t operator()(std::int64_t x) {
    const auto* local = next_integers();
    return local ? local->front() : x;
  }
  c10::SymInt operator()(const c10::SymInt& x) {
    const auto* local = next_integers();
    return local ? c10::SymInt(local->front()) : x;
  }
  template <class Other>
  const Other& operator()(const Other& x) {
    ++argument_;
    return x;
  }

 private:
  at::Tensor convert(const DTensor& x) {
    const InputAction& action = plan_.inputs[tensor_++];
    return action.kind == InputAction::Kind::Keep ? x.local() : apply_action(x, action).local();
  }
  std::optional<at::Tensor> convert(const std::optional<DTensor>& x) {
    if (!x) {
      ++tensor_;
      return std::nullopt;
    }
    return convert(*x);
  }
  const std::vector<std::int64_t>* next_integers() {
    const std::size_t argument = argument_++;
    if (argument >= plan_.local_integers.size() || plan_.local_integers[argument].empty()) return nullptr;
    return &plan_.local_integers[argument];
  }

  const CallPlan& plan_;
  std::size_t argument_ = 0;
  std::size_t tensor_ = 0;
};

template <class Op, class... Args>
decltype(auto) run_local(const CallPlan& plan, const Args&... args) {
  if (plan.direct) return Op::call(local_value(args)...);
  Converter convert(plan);
  // Braces fix the order: conversions communicate, so every rank must do them in the order of the arguments.
  std::tuple<decltype(convert(args))...> locals{convert(args)...};
  return std::apply([](auto&&... local) -> decltype(auto) { return Op::call(local...); }, std::move(locals));
}

// ---- results
// ------------------------------------------------------------------------------------------------------

template <class Other>
void add_results(std::vector<at::Tensor>&, const Other&) {}
inline void add_results(std::vector<at::Tensor>& all, const at::Tensor& x) { all.push_back(x); }
inline void add_results(std::vector<at::Tensor>& all, const std::vector<at::Tensor>& list) {
  all.insert(all.end(), list.begin(), list.end());
}
template <class... Ts>
void add_results(std::vector<at::Tensor>& all, const std::tuple<Ts...>& results) {
  std::apply([&](const auto&... result) { (add_results(all, result), ...); }, results);
}
class Wrapper {
 public:
  explicit Wrapper(const CallPlan& plan) : plan_(plan) {}

  DTensor operator()(at::Tensor x) {
    if (!x.defined()) {
      ++index_;
      return {};
    }
    const Layout* layout =
        plan_.output_kind == OutputKind::Known ? plan_.outputs[index_++] : dynamic_layout(plan_, x);
    return {std::move(x), layout};
  }
  std::vector<DTensor> operator()(std::vector<at::Tensor> list) {
    std::vector<DTensor> wrapped;
    wrapped.reserve(list.size());
    for (at::Tensor& x : list) wrapped.push_back((*this)(std::move(x)));
    return wrapped;
  }
  template <class... Ts>
  auto operator()(std::tuple<Ts...> results) {
    return std::apply(
        [&](auto&&... result) {
          return std::tuple<decltype((*this)(std::move(result)))...>{(*this)(std::move(result))...};
        },
        std::move(results));
  }
  template <class Other>
  Other operator()(Other x) {
    return x;
  }

 private:
  const CallPlan& plan_;
  std::size_t index_ = 0;
};

// ---- the call
// -----------------------------------------------------------------------------------------------------

template <class Op>
std::size_t op_number() {
  static const std::size_t number = next_op_number();
  return number;
}

template <class Op, class... Args>
[[gnu::noinline]] BoxedCall box(Mutation mutation, const Args&... args) {
  BoxedCall call{Op::name, Op::overload_name, {}, {}, mutation};
  call.arguments = c10::impl::boxArgs(local_value(args)...);
  (add_layouts(call.layouts, args), ...);
  return call;
}

/// A miss: decide, run once, learn the outputs' layouts, remember.
template <class Op, class... Args>
[[gnu::noinline]] auto first_call(CallCache& cache, CallKey key, const Args&... args) {
  const BoxedCall boxed = box<Op>(Mutation::None, args...);
  CallPlan plan = make_plan(boxed);
  auto results = run_local<Op>(plan, args...);
  std::vector<at::Tensor> tensors;
  add_results(tensors, results);
  finish_plan(plan, boxed, tensors);
  return Wrapper(*cache.insert(std::move(key), std::move(plan)))(std::move(results));
}

template <class Op, class... Args>
const CallPlan& plan_for_mutation(Mutation mutation, const Args&... args) {
  CallKey key;
  (key.add(args), ...);
  CallCache& cache = call_cache(op_number<Op>());
  if (const CallPlan* plan = cache.find(key)) return *plan;
  CallPlan plan = make_plan(box<Op>(mutation, args...));
  return *cache.insert(std::move(key), std::move(plan));
}

}  // namespace detail

/// Tensors come as DTensor (or optional, list of it), other arguments as Op's own parameter types. Returns
/// Op's result with DTensor for Tensor.
template <class Op, class... Args>
auto call(const Args&... args) {
  detail::CallKey key;
  (key.add(args), ...);
  detail::CallCache& cache = detail::call_cache(detail::op_number<Op>());
  if (const detail::CallPlan* plan = cache.find(key)) {
    return detail::Wrapper(*plan)(detail::run_local<Op>(*plan, args...));
  }
  return detail::first_call<Op>(cache, std::move(key), args...);
}

/// In-place ops: self keeps its layout, the other inputs are converted to fit.
template <class Op, class... Args>
DTensor& call_inplace(const DTensor& self, const Args&... args) {
  const detail::CallPlan& plan = detail::plan_for_mutation<Op>(detail::Mutation::InPlace, self, args...);
  detail::run_local<Op>(plan, self, args...);
  detail::finish_inplace(plan, self);
  return const_cast<DTensor&>(self);
}

/// out= variants with one output: `out` keeps its layout. `args` are all arguments in schema order, `out` the
/// last.
template <class Op, class... Args>
DTensor& call_out(DTensor& out, const Args&... args) {
  const detail::CallPlan& plan = detail::plan_for_mutation<Op>(detail::Mutation::Out, args...);
  detail::run_local<Op>(plan, args...);
  return out;
}

}  // namespace vescale
