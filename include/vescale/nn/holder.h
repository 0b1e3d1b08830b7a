#pragma once
/// Module holders: the values that own modules, as TORCH_MODULE makes them.
#include <memory>
#include <type_traits>
#include <utility>

#include <vescale/error.h>

namespace vescale {
namespace nn {

/// While one lives on a rank, factories make tensors that are not placed yet. Modules are constructed inside
/// one.
class ConstructionGuard {
 public:
  ConstructionGuard();
  ~ConstructionGuard();
  ConstructionGuard(const ConstructionGuard&) = delete;
  ConstructionGuard& operator=(const ConstructionGuard&) = delete;
};

struct ModuleHolderIndicator {};

template <class T>
using is_module_holder = std::is_base_of<ModuleHolderIndicator, std::decay_t<T>>;

/// Whether T holds a Contained: a copy of a holder, not an argument for a new module.
template <class T, class Contained, class = void>
struct is_module_holder_of : std::false_type {};
template <class T, class Contained>
struct is_module_holder_of<T, Contained, std::enable_if_t<is_module_holder<T>::value>>
    : std::is_same<typename std::decay_t<T>::ContainedType, Contained> {};

/// A shared pointer to a module. Default construction constructs the module, nullptr does not.
template <class Contained>
class ModuleHolder : public ModuleHolderIndicator {
 public:
  using ContainedType = Contained;

  ModuleHolder() : module_(make()) {}
  ModuleHolder(std::nullptr_t) {}  // NOLINT: as LibTorch's
  template <class Head, class... Tail,
            class = std::enable_if_t<!(is_module_holder_of<Head, Contained>::value && sizeof...(Tail) == 0)>>
  explicit ModuleHolder(Head&& head, Tail&&... tail)
      : module_(make(std::forward<Head>(head), std::forward<Tail>(tail)...)) {}
  ModuleHolder(std::shared_ptr<Contained> module) : module_(std::move(module)) {}  // NOLINT: as LibTorch's

  explicit operator bool() const noexcept { return module_ != nullptr; }
  bool is_empty() const noexcept { return module_ == nullptr; }
  Contained* operator->() { return get(); }
  const Contained* operator->() const { return get(); }
  Contained& operator*() { return *get(); }
  const Contained& operator*() const { return *get(); }
  const std::shared_ptr<Contained>& ptr() const {
    if (is_empty())
      throw Error("a module holder is empty: it was made with nullptr and nothing was assigned to it");
    return module_;
  }
  Contained* get() { return ptr().get(); }
  const Contained* get() const { return ptr().get(); }
  template <class... Args>
  auto operator()(Args&&... args) {
    return get()->forward(std::forward<Args>(args)...);
  }
  template <class Arg>
  decltype(auto) operator[](Arg&& arg) {
    return (*get())[std::forward<Arg>(arg)];
  }

 private:
  template <class... Args>
  static std::shared_ptr<Contained> make(Args&&... args) {
    const ConstructionGuard constructing;
    return std::make_shared<Contained>(std::forward<Args>(args)...);
  }

  std::shared_ptr<Contained> module_;
};

template <class Contained>
std::ostream& operator<<(std::ostream& stream, const ModuleHolder<Contained>& holder) {
  return stream << *holder;
}

}  // namespace nn
}  // namespace vescale

/// Defines the holder Name of the module class Impl, or of NameImpl.
#define VS_MODULE_IMPL(Name, ImplType)                                     \
  class Name : public ::vescale::nn::ModuleHolder<ImplType> { /* NOLINT */ \
   public:                                                                 \
    using ::vescale::nn::ModuleHolder<ImplType>::ModuleHolder;             \
    using Impl [[maybe_unused]] = ImplType;                                \
  }
#define VS_MODULE(Name) VS_MODULE_IMPL(Name, Name##Impl)
