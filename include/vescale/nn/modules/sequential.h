#pragma once
/// Modules that run one after the other, and functions as modules: LibTorch's names and FQNs.
#include <functional>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <vescale/nn/any_module.h>
#include <vescale/nn/modules/checked_cast.h>

namespace vescale {
namespace nn {

/// Calls one module after the other, each with the result of the one before.
class SequentialImpl : public Cloneable<SequentialImpl> {
 public:
  using Iterator = std::vector<AnyModule>::iterator;
  using ConstIterator = std::vector<AnyModule>::const_iterator;

  SequentialImpl() = default;
  template <class... Modules>
  explicit SequentialImpl(Modules&&... modules) {
    (push_back(std::forward<Modules>(modules)), ...);
  }
  explicit SequentialImpl(OrderedDict<std::string, AnyModule>&& modules) {
    for (auto& item : modules) push_back(item.key(), std::move(item.value()));
  }
  explicit SequentialImpl(std::initializer_list<NamedAnyModule> modules) {
    for (const NamedAnyModule& module : modules) push_back(module.name(), module.module());
  }

  std::shared_ptr<Module> clone(const std::optional<at::Device>& device = std::nullopt) const override {
    auto copy = std::make_shared<SequentialImpl>();
    for (const AnyModule& module : modules_) copy->push_back(module.clone(device));
    return copy;
  }
  void reset() override {}
  void pretty_print(std::ostream& stream) const override { stream << "torch::nn::Sequential"; }

  /// Throws c10::Error if the last result is of another type than ReturnType.
  template <class ReturnType = DTensor, class... Inputs>
  ReturnType forward(Inputs&&... inputs) {
    TORCH_CHECK(!is_empty(), "Cannot call forward() on an empty Sequential");
    AnyValue value = modules_.front().any_forward(std::forward<Inputs>(inputs)...);
    for (auto module = modules_.begin() + 1; module != modules_.end(); ++module) {
      value = module->any_forward(std::move(value));
    }
    if (ReturnType* result = value.template try_get<ReturnType>()) return std::move(*result);
    TORCH_CHECK(false, "The type of the return value is ", c10::demangle(value.type_info().name()),
                ", but you asked for type ", c10::demangle(typeid(ReturnType).name()));
  }

  void push_back(AnyModule module) { push_back(std::to_string(modules_.size()), std::move(module)); }
  void push_back(std::string name, AnyModule module) {
    modules_.push_back(std::move(module));
    register_module(std::move(name), modules_.back().ptr());
  }
  template <class M>
  void push_back(std::shared_ptr<M> module) {
    push_back(AnyModule(std::move(module)));
  }
  template <class M>
  void push_back(std::string name, std::shared_ptr<M> module) {
    push_back(std::move(name), AnyModule(std::move(module)));
  }
  template <class M, class = detail::enable_if_module_t<M>>
  void push_back(M&& module) {
    push_back(AnyModule(std::forward<M>(module)));
  }
  template <class M, class = detail::enable_if_module_t<M>>
  void push_back(std::string name, M&& module) {
    push_back(std::move(name), AnyModule(std::forward<M>(module)));
  }
  template <class M>
  void push_back(const ModuleHolder<M>& holder) {
    push_back(AnyModule(holder));
  }
  template <class M>
  void push_back(std::string name, const ModuleHolder<M>& holder) {
    push_back(std::move(name), AnyModule(holder));
  }
  template <class Container>
  void extend(const Container& container) {
    for (const auto& module : container) push_back(module);
  }

  Iterator begin() { return modules_.begin(); }
  Iterator end() { return modules_.end(); }
  ConstIterator begin() const { return modules_.begin(); }
  ConstIterator end() const { return modules_.end(); }
  template <class T>
  T& at(std::size_t index) {
    return detail::checked_cast<T>(*ptr(index));
  }
  template <class T>
  const T& at(std::size_t index) const {
    return detail::checked_cast<T>(*ptr(index));
  }
  std::shared_ptr<Module> ptr(std::size_t index) const {
    TORCH_CHECK(index < size(), "Index out of range");
    return modules_[index].ptr();
  }
  template <class T>
  std::shared_ptr<T> ptr(std::size_t index) const {
    TORCH_CHECK(index < size(), "Index out of range");
    return modules_[index].ptr<T>();
  }
  std::shared_ptr<Module> operator[](std::size_t index) const { return ptr(index); }
  std::size_t size() const noexcept { return modules_.size(); }
  bool is_empty() const noexcept { return modules_.empty(); }

 private:
  std::vector<AnyModule> modules_;
};
class Sequential : public ModuleHolder<SequentialImpl> {
 public:
  using ModuleHolder<SequentialImpl>::ModuleHolder;
  using Impl [[maybe_unused]] = SequentialImpl;
  Sequential() = default;
  Sequential(std::initializer_list<NamedAnyModule> modules)
      : ModuleHolder(std::make_shared<SequentialImpl>(modules)) {}
};

/// Calls a function of one tensor; further arguments are bound at construction. It is not saved.
class FunctionalImpl : public Cloneable<FunctionalImpl> {
 public:
  using Function = std::function<DTensor(DTensor)>;

  explicit FunctionalImpl(Function function) : function_(std::move(function)) {}
  template <class Callable, class First, class... Rest>
  FunctionalImpl(Callable function, First&& first, Rest&&... rest)
      : function_(std::bind(std::move(function), std::placeholders::_1, std::forward<First>(first),
                            std::forward<Rest>(rest)...)) {}

  void reset() override {}
  void pretty_print(std::ostream& stream) const override { stream << "torch::nn::Functional()"; }
  bool is_serializable() const override { return false; }

  DTensor forward(DTensor input) { return function_(std::move(input)); }
  DTensor operator()(DTensor input) { return function_(std::move(input)); }

 private:
  Function function_;
};
VS_MODULE(Functional);

}  // namespace nn
}  // namespace vescale
