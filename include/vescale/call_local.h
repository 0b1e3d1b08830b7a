#pragma once
/// Functions that run on each rank's own pieces, under a sharding rule: a kernel, a library call, a custom
/// torch::autograd::Function.
///
///   torch::Tensor distances(const torch::Tensor& x, const torch::Tensor& y) { return torch::cdist(x, y); }
///   vs::DTensor d = vs::call_local("(n d!, m d!) -> n m", distances, x, y);
///
/// docs/rules.md explains the notation.
#include <ATen/ATen.h>
#include <c10/util/SmallVector.h>

#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <vescale/dtensor.h>

namespace vescale {
namespace detail {

struct LocalPlan;

/// One call: takes the tensors among the arguments, hands out their pieces, wraps the results.
class LocalCall {
 public:
  explicit LocalCall(std::string_view rule) : rule_(rule) {}

  // Arguments, in order. Tensors of un-distributed code are R on every axis.
  void add(const DTensor& x) {
    tensors_.push_back(x);
    lists_.push_back(single);
  }
  void add(const at::Tensor& x) { add(DTensor(x)); }
  void add(std::nullopt_t) { add(DTensor()); }
  template <class T>
  std::enable_if_t<std::is_constructible_v<DTensor, const T&>> add(const std::optional<T>& x) {
    add(x ? DTensor(*x) : DTensor());
  }
  template <class T>
  std::enable_if_t<std::is_same_v<T, DTensor> || std::is_same_v<T, at::Tensor>> add(const std::vector<T>& x) {
    for (const T& one : x) tensors_.push_back(DTensor(one));
    lists_.push_back(static_cast<std::int64_t>(x.size()));
  }
  template <class Other>
  std::enable_if_t<!std::is_convertible_v<const Other&, DTensor>> add(const Other&) {}

  /// Applies the rule and converts what must move. Collective.
  void convert();
  /// The piece of the next tensor.
  at::Tensor next() { return std::move(locals_[next_++]); }

  /// The next result.
  DTensor wrap(at::Tensor local);
  /// There were as many results as the rule has.
  void finish() const;

 private:
  static constexpr std::int64_t single = -1;

  [[noreturn]] void fail(const std::string& problem) const;
  std::shared_ptr<LocalPlan> find_plan() const;
  std::shared_ptr<LocalPlan> make_plan() const;

  std::string_view rule_;
  c10::SmallVector<DTensor, 4> tensors_;
  c10::SmallVector<std::int64_t, 4> lists_;  ///< per argument with tensors: how many, or `single`
  c10::SmallVector<at::Tensor, 4> locals_;
  std::shared_ptr<LocalPlan> plan_;
  std::size_t next_ = 0;
  std::size_t results_ = 0;
};

// What the function gets for an argument: pieces for tensors, everything else as it came.
inline at::Tensor local_argument(LocalCall& call, const DTensor&) { return call.next(); }
inline at::Tensor local_argument(LocalCall& call, const at::Tensor&) { return call.next(); }
inline std::optional<at::Tensor> local_argument(LocalCall& call, std::nullopt_t) {
  call.next();
  return std::nullopt;
}
template <class T>
std::enable_if_t<std::is_constructible_v<DTensor, const T&>, std::optional<at::Tensor>> local_argument(
    LocalCall& call, const std::optional<T>& x) {
  at::Tensor local = call.next();
  return x ? std::optional<at::Tensor>(std::move(local)) : std::nullopt;
}
template <class T>
std::enable_if_t<std::is_same_v<T, DTensor> || std::is_same_v<T, at::Tensor>, std::vector<at::Tensor>>
local_argument(LocalCall& call, const std::vector<T>& x) {
  std::vector<at::Tensor> locals;
  locals.reserve(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) locals.push_back(call.next());
  return locals;
}
template <class Other>
std::enable_if_t<!std::is_convertible_v<const Other&, DTensor>, const Other&> local_argument(LocalCall&,
                                                                                             const Other& x) {
  return x;
}

template <class Arg>
using LocalArgument =
    decltype(local_argument(std::declval<LocalCall&>(), std::declval<const std::remove_reference_t<Arg>&>()));

/// Tensors as lvalues, so that the function may take them by value or by any reference.
template <class Arg, class Local>
decltype(auto) passed(Local& local, std::remove_reference_t<Arg>& given) {
  if constexpr (std::is_reference_v<LocalArgument<Arg>>) {
    return static_cast<Arg&&>(given);
  } else {
    return static_cast<Local&>(local);
  }
}

// Results as DTensors, in order.
inline DTensor wrap_result(LocalCall& call, at::Tensor x) { return call.wrap(std::move(x)); }
inline std::vector<DTensor> wrap_result(LocalCall& call, std::vector<at::Tensor> list) {
  std::vector<DTensor> wrapped;
  wrapped.reserve(list.size());
  for (at::Tensor& x : list) wrapped.push_back(call.wrap(std::move(x)));
  return wrapped;
}
template <class Other>
Other wrap_result(LocalCall&, Other x) {
  return x;
}
template <class A, class B>
auto wrap_result(LocalCall& call, std::pair<A, B> results) {
  // Braces fix the order.
  using Wrapped = std::pair<decltype(wrap_result(call, std::move(results.first))),
                            decltype(wrap_result(call, std::move(results.second)))>;
  return Wrapped{wrap_result(call, std::move(results.first)), wrap_result(call, std::move(results.second))};
}
template <class... Ts>
auto wrap_result(LocalCall& call, std::tuple<Ts...> results) {
  return std::apply(
      [&](auto&&... result) {
        return std::tuple<decltype(wrap_result(call, std::move(result)))...>{
            wrap_result(call, std::move(result))...};
      },
      std::move(results));
}

}  // namespace detail

/// Calls `function` on this rank's pieces of the arguments, as `rule` says.
///
/// Each argument that is a DTensor, an optional or a vector of them, or std::nullopt is an operand of the
/// rule, in order; a torch::Tensor counts as a DTensor that is R. An undefined tensor is an absent operand.
/// The tensors are converted where the rule asks for it, as an op's are, and `function` gets their local
/// torch::Tensors (std::optional, std::vector of them); other arguments go to it as they are. The tensors
/// that it returns (one, or a tuple, pair or vector of as many as the rule has results) come back as DTensors
/// with the placements and global sizes that follow from the rule; what is no tensor comes back as it is.
///
/// Gradients flow through LibTorch's autograd of the pieces; a value that is R beside shards is viewed as R+,
/// so that its gradient is summed over the ranks. A custom torch::autograd::Function is called through a
/// lambda: `[](const torch::Tensor& x) { return MyFunction::apply(x); }`.
///
/// `function` must not write to its tensors: a converted one is a copy. Pieces can be of different sizes, or
/// empty. Collective where something is converted.
///
/// Throws vescale::Error if the rule is malformed (with the position in it), if it does not fit the
/// arguments, if a result has other sizes on this rank than the rule gives it, or if there are more or fewer
/// results.
template <class Function, class... Args>
auto call_local(std::string_view rule, Function&& function, Args&&... args) {
  detail::LocalCall call(rule);
  (call.add(std::as_const(args)), ...);
  call.convert();
  // Braces fix the order in which pieces are taken.
  std::tuple<detail::LocalArgument<Args>...> locals{detail::local_argument(call, std::as_const(args))...};
  auto wrapped = std::apply(
      [&](auto&... local) {
        using Result = decltype(function(detail::passed<Args>(local, args)...));
        static_assert(!std::is_void_v<Result>, "a function under a sharding rule returns its tensors");
        return detail::wrap_result(call,
                                   std::decay_t<Result>(function(detail::passed<Args>(local, args)...)));
      },
      locals);
  call.finish();
  return wrapped;
}

}  // namespace vescale
