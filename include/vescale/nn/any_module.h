#pragma once
/// Modules of any type behind one: what Sequential holds.
#include <torch/nn/modules/container/any_value.h>

#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <vescale/nn/module.h>

namespace vescale {
namespace nn {

using torch::nn::AnyValue;

namespace detail {

template <class M>
using enable_if_module_t = std::enable_if_t<std::is_base_of<Module, std::decay_t<M>>::value>;

/// The argument types of a forward, decayed.
template <class>
struct ForwardSignature;
template <class M, class R, class... Args>
struct ForwardSignature<R (M::*)(Args...)> {
  using Arguments = std::tuple<std::decay_t<Args>...>;
};
template <class M, class R, class... Args>
struct ForwardSignature<R (M::*)(Args...) const> : ForwardSignature<R (M::*)(Args...)> {};

/// `value` as a T; a plain tensor serves as a DTensor.
template <class T>
T argument_of(AnyValue& value, const Module& module, std::size_t index) {
  if (T* found = value.try_get<T>()) return std::move(*found);
  if constexpr (std::is_same_v<T, DTensor>) {
    if (const at::Tensor* plain = value.try_get<at::Tensor>()) return *plain;
  }
  TORCH_CHECK(false, "Expected argument #", index, " of the forward of ", module.name(), " to be of type ",
              c10::demangle(typeid(T).name()), ", but received a value of type ",
              c10::demangle(value.type_info().name()));
}

struct ErasedModule {
  ErasedModule() = default;
  ErasedModule(const ErasedModule&) = delete;
  ErasedModule& operator=(const ErasedModule&) = delete;
  virtual ~ErasedModule() = default;
  virtual AnyValue forward(std::vector<AnyValue> arguments) = 0;
  virtual std::shared_ptr<Module> ptr() const = 0;
  virtual const std::type_info& type() const = 0;
  virtual std::unique_ptr<ErasedModule> with(std::shared_ptr<Module> module) const = 0;
};

template <class M>
struct ErasedModuleOf final : ErasedModule {
  using Arguments = typename ForwardSignature<decltype(&M::forward)>::Arguments;
  static constexpr std::size_t arity = std::tuple_size_v<Arguments>;

  explicit ErasedModuleOf(std::shared_ptr<M> module) : module(std::move(module)) {}

  AnyValue forward(std::vector<AnyValue> arguments) override {
    Module& base = *module;
    if (arguments.size() < arity && base._forward_has_default_args() &&
        arguments.size() >= base._forward_num_required_args()) {
      arguments = base._forward_populate_default_args(std::move(arguments));
    }
    TORCH_CHECK(arguments.size() == arity, base.name(), "'s forward() method expects ", arity,
                " argument(s), but received ", arguments.size());
    return call(arguments, std::make_index_sequence<arity>());
  }
  template <std::size_t... I>
  AnyValue call(std::vector<AnyValue>& arguments, std::index_sequence<I...>) {
    return AnyValue(
        module->forward(argument_of<std::tuple_element_t<I, Arguments>>(arguments[I], *module, I)...));
  }
  std::shared_ptr<Module> ptr() const override { return module; }
  const std::type_info& type() const override { return typeid(M); }
  std::unique_ptr<ErasedModule> with(std::shared_ptr<Module> other) const override {
    return std::make_unique<ErasedModuleOf>(std::dynamic_pointer_cast<M>(std::move(other)));
  }

  std::shared_ptr<M> module;
};

}  // namespace detail

/// Copies share the module; clone() does not.
class AnyModule {
 public:
  AnyModule() = default;
  template <class M, class = detail::enable_if_module_t<M>>
  explicit AnyModule(std::shared_ptr<M> module)
      : erased_(std::make_shared<detail::ErasedModuleOf<M>>(std::move(module))) {}
  template <class M, class = detail::enable_if_module_t<M>>
  explicit AnyModule(M&& module)  // NOLINT: as LibTorch's
      : AnyModule(std::make_shared<std::decay_t<M>>(std::forward<M>(module))) {}
  template <class M>
  explicit AnyModule(const ModuleHolder<M>& holder) : AnyModule(holder.ptr()) {}
  template <class M>
  AnyModule& operator=(std::shared_ptr<M> module) {
    return *this = AnyModule(std::move(module));
  }
  template <class M>
  AnyModule& operator=(const ModuleHolder<M>& holder) {
    return *this = AnyModule(holder);
  }

  AnyModule clone(const std::optional<at::Device>& device = std::nullopt) const {
    AnyModule copy;
    if (!is_empty()) copy.erased_ = erased_->with(ptr()->clone(device));
    return copy;
  }

  template <class... Args>
  AnyValue any_forward(Args&&... args) {
    TORCH_CHECK(!is_empty(), "Cannot call forward() on an empty AnyModule");
    std::vector<AnyValue> values;
    values.reserve(sizeof...(Args));
    (values.push_back(AnyValue(std::forward<Args>(args))), ...);
    return erased_->forward(std::move(values));
  }
  template <class Result = DTensor, class... Args>
  Result forward(Args&&... args) {
    return any_forward(std::forward<Args>(args)...).template get<Result>();
  }

  /// The module, which must be of exactly this type.
  template <class M, class = detail::enable_if_module_t<M>>
  M& get() const {
    return *ptr<M>();
  }
  template <class Holder, class Contained = typename Holder::ContainedType>
  Holder get() const {
    return Holder(ptr<Contained>());
  }
  std::shared_ptr<Module> ptr() const {
    TORCH_CHECK(!is_empty(), "Cannot call ptr() on an empty AnyModule");
    return erased_->ptr();
  }
  template <class M, class = detail::enable_if_module_t<M>>
  std::shared_ptr<M> ptr() const {
    std::shared_ptr<M> module = std::dynamic_pointer_cast<M>(ptr());
    TORCH_CHECK(module != nullptr, "Attempted to cast module of type ", c10::demangle(type_info().name()),
                " to type ", c10::demangle(typeid(M).name()));
    return module;
  }
  const std::type_info& type_info() const {
    TORCH_CHECK(!is_empty(), "Cannot call type_info() on an empty AnyModule");
    return erased_->type();
  }
  bool is_empty() const noexcept { return erased_ == nullptr; }

 private:
  std::shared_ptr<detail::ErasedModule> erased_;
};

/// A module with its name, as Sequential takes them.
class NamedAnyModule {
 public:
  template <class M>
  NamedAnyModule(std::string name, std::shared_ptr<M> module)
      : NamedAnyModule(std::move(name), AnyModule(std::move(module))) {}
  template <class M, class = detail::enable_if_module_t<M>>
  NamedAnyModule(std::string name, M&& module)
      : NamedAnyModule(std::move(name), AnyModule(std::forward<M>(module))) {}
  template <class M>
  NamedAnyModule(std::string name, const ModuleHolder<M>& holder)
      : NamedAnyModule(std::move(name), AnyModule(holder)) {}
  NamedAnyModule(std::string name, AnyModule module) : name_(std::move(name)), module_(std::move(module)) {}

  const std::string& name() const noexcept { return name_; }
  AnyModule& module() noexcept { return module_; }
  const AnyModule& module() const noexcept { return module_; }

 private:
  std::string name_;
  AnyModule module_;
};

}  // namespace nn
}  // namespace vescale
