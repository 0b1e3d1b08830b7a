#pragma once
/// What the generated one-line definitions use beside call<Op>.
#include <ATen/ATen.h>

#include <tuple>
#include <utility>

#include "ops/call.h"
#include "ops/moved_view.h"

namespace vescale {

// Integers as the dispatcher's symbolic integers.
inline c10::SymInt sym(std::int64_t value) { return {value}; }
inline c10::SymIntArrayRef sym(at::IntArrayRef values) { return c10::fromIntArrayRefSlow(values); }
inline std::optional<c10::SymInt> sym(std::optional<std::int64_t> value) {
  if (!value) return std::nullopt;
  return c10::SymInt(*value);
}
inline at::OptionalSymIntArrayRef sym(at::OptionalIntArrayRef values) {
  if (!values) return std::nullopt;
  return c10::fromIntArrayRefSlow(*values);
}

/// Factories take requires_grad from their options, as torch:: factories do; the op itself must not see it.
inline DTensor with_grad(DTensor value, const at::TensorOptions& options) {
  if (options.requires_grad()) value.set_requires_grad(true);
  return value;
}
inline at::TensorOptions without_grad(const at::TensorOptions& options) {
  return options.requires_grad(std::nullopt);
}

/// out= variants with several outputs: each keeps its layout.
template <class Op, class... Outs, class... Args>
std::tuple<Outs&...> call_out(std::tuple<Outs&...> outs, const Args&... args) {
  const detail::CallPlan& plan = detail::plan_for_mutation<Op>(detail::Mutation::Out, args...);
  detail::run_local<Op>(plan, args...);
  return outs;
}

/// The out variant of a hand-written op: `out` takes the result's sizes, keeps its dtype and placements.
inline DTensor& assign_out(DTensor& out, const DTensor& value) {
  if (out.sizes() != value.sizes()) out.resize_(value.sizes());
  return out.copy_(value);
}
template <class... Outs, class... Values>
std::tuple<Outs&...> assign_out(std::tuple<Outs&...> outs, const std::tuple<Values...>& values) {
  static_assert(sizeof...(Outs) == sizeof...(Values));
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (assign_out(std::get<I>(outs), std::get<I>(values)), ...);
  }(std::index_sequence_for<Outs...>());
  return outs;
}

}  // namespace vescale
