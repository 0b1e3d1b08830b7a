#pragma once
/// Modules that hold modules or parameters: LibTorch's names and FQNs.
#include <initializer_list>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <vescale/nn/any_module.h>

namespace vescale {
namespace nn {
namespace detail {

template <class T>
T& checked_cast(Module& module) {
  T* found = module.as<T>();
  TORCH_CHECK(found != nullptr, "a module of type ", module.name(), " is no ",
              c10::demangle(typeid(T).name()));
  return *found;
}

}  // namespace detail

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

/// Modules by index.
class ModuleListImpl : public Cloneable<ModuleListImpl> {
 public:
  using Iterator = std::vector<std::shared_ptr<Module>>::iterator;
  using ConstIterator = std::vector<std::shared_ptr<Module>>::const_iterator;

  ModuleListImpl() = default;
  template <class... Modules>
  explicit ModuleListImpl(Modules&&... modules) {
    (push_back(std::forward<Modules>(modules)), ...);
  }

  std::shared_ptr<Module> clone(const std::optional<at::Device>& device = std::nullopt) const override {
    auto copy = std::make_shared<ModuleListImpl>();
    for (const auto& module : modules_) copy->push_back(module->clone(device));
    return copy;
  }
  void reset() override {}
  void pretty_print(std::ostream& stream) const override { stream << "torch::nn::ModuleList"; }

  void push_back(std::shared_ptr<Module> module) { insert(size(), std::move(module)); }
  template <class M, class = detail::enable_if_module_t<M>>
  void push_back(M&& module) {
    push_back(std::make_shared<std::decay_t<M>>(std::forward<M>(module)));
  }
  template <class M>
  void push_back(const ModuleHolder<M>& holder) {
    push_back(holder.ptr());
  }
  template <class Container>
  void extend(const Container& container) {
    for (const auto& module : container) push_back(module);
  }
  void insert(std::size_t index, std::shared_ptr<Module> module) {
    TORCH_CHECK(index <= size(), "Index out of range");
    modules_.insert(modules_.begin() + static_cast<std::ptrdiff_t>(index), std::move(module));
    for (std::size_t i = index; i + 1 < size(); ++i) replace_module(std::to_string(i), modules_[i]);
    register_module(std::to_string(size() - 1), modules_.back());
  }
  template <class M, class = detail::enable_if_module_t<M>>
  void insert(std::size_t index, M&& module) {
    insert(index, std::make_shared<std::decay_t<M>>(std::forward<M>(module)));
  }
  template <class M>
  void insert(std::size_t index, const ModuleHolder<M>& holder) {
    insert(index, holder.ptr());
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
    return modules_[index];
  }
  template <class T>
  std::shared_ptr<T> ptr(std::size_t index) const {
    return std::dynamic_pointer_cast<T>(ptr(index));
  }
  std::shared_ptr<Module> operator[](std::size_t index) const { return ptr(index); }
  std::size_t size() const noexcept { return modules_.size(); }
  bool is_empty() const noexcept { return modules_.empty(); }

 private:
  std::vector<std::shared_ptr<Module>> modules_;
};
VS_MODULE(ModuleList);

/// Modules by name, in order of insertion.
class ModuleDictImpl : public Cloneable<ModuleDictImpl> {
 public:
  using Dict = OrderedDict<std::string, std::shared_ptr<Module>>;
  using Pairs = std::vector<std::pair<std::string, std::shared_ptr<Module>>>;
  using Iterator = Dict::Iterator;
  using ConstIterator = Dict::ConstIterator;

  ModuleDictImpl() = default;
  explicit ModuleDictImpl(const Pairs& modules) { update(modules); }
  explicit ModuleDictImpl(const Dict& modules) { update(modules); }

  std::shared_ptr<Module> clone(const std::optional<at::Device>& device = std::nullopt) const override {
    auto copy = std::make_shared<ModuleDictImpl>();
    for (const auto& module : modules_) copy->insert(module.key(), module.value()->clone(device));
    return copy;
  }
  void reset() override {}
  void pretty_print(std::ostream& stream) const override { stream << "torch::nn::ModuleDict"; }

  Pairs items() const { return modules_.pairs(); }
  std::vector<std::string> keys() const { return modules_.keys(); }
  std::vector<std::shared_ptr<Module>> values() const { return modules_.values(); }
  Iterator begin() { return modules_.begin(); }
  Iterator end() { return modules_.end(); }
  ConstIterator begin() const { return modules_.begin(); }
  ConstIterator end() const { return modules_.end(); }
  std::size_t size() const noexcept { return modules_.size(); }
  bool empty() const noexcept { return modules_.is_empty(); }
  bool contains(const std::string& key) const noexcept { return modules_.contains(key); }
  /// What clear() and pop() remove stays registered, as with LibTorch.
  void clear() { modules_.clear(); }
  std::shared_ptr<Module> pop(const std::string& key) {
    auto module = modules_[key];
    modules_.erase(key);
    return module;
  }
  std::shared_ptr<Module> operator[](const std::string& key) const { return modules_[key]; }
  template <class T>
  T& at(const std::string& key) {
    return detail::checked_cast<T>(*modules_[key]);
  }
  template <class T>
  const T& at(const std::string& key) const {
    return detail::checked_cast<T>(*modules_[key]);
  }
  void update(const Pairs& modules) {
    for (const auto& [name, module] : modules) insert(name, module);
  }
  template <class Container>
  void update(const Container& container) {
    for (const auto& item : container) insert(item.key(), item.value());
  }

 private:
  void insert(const std::string& key, std::shared_ptr<Module> module) {
    if (contains(key)) {
      modules_[key] = replace_module(key, std::move(module));
    } else {
      modules_.insert(key, register_module(key, std::move(module)));
    }
  }

  Dict modules_;
};
VS_MODULE(ModuleDict);

/// Parameters by index.
class ParameterListImpl : public Cloneable<ParameterListImpl> {
 public:
  ParameterListImpl() = default;
  template <class... Tensors>
  explicit ParameterListImpl(const Tensors&... tensors) {
    (append(tensors), ...);
  }

  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  void append(const DTensor& parameter) {
    register_parameter(std::to_string(size()), parameter, parameter.requires_grad());
  }
  void append(const OrderedDict<std::string, DTensor>::Item& item) { append(item.value()); }
  template <class Container>
  void extend(const Container& container) {
    for (const auto& parameter : container) append(parameter);
  }
  auto begin() { return parameters_.begin(); }
  auto end() { return parameters_.end(); }
  auto begin() const { return parameters_.begin(); }
  auto end() const { return parameters_.end(); }
  DTensor& at(std::size_t index) { return parameters_[std::to_string(index)]; }
  const DTensor& at(std::size_t index) const { return parameters_[std::to_string(index)]; }
  DTensor& operator[](std::size_t index) { return at(index); }
  const DTensor& operator[](std::size_t index) const { return at(index); }
  std::size_t size() const noexcept { return parameters_.size(); }
  bool is_empty() const noexcept { return parameters_.is_empty(); }
};
VS_MODULE(ParameterList);

/// Parameters by name.
class ParameterDictImpl : public Cloneable<ParameterDictImpl> {
 public:
  ParameterDictImpl() = default;
  explicit ParameterDictImpl(const OrderedDict<std::string, DTensor>& parameters) { update(parameters); }

  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  DTensor& insert(const std::string& key, const DTensor& parameter) {
    return register_parameter(key, parameter, parameter.requires_grad());
  }
  DTensor pop(const std::string& key) {
    DTensor parameter = parameters_[key];
    parameters_.erase(key);
    return parameter;
  }
  template <class Container>
  void update(const Container& container) {
    for (const auto& item : container) {
      if (contains(item.key())) parameters_.erase(item.key());
      insert(item.key(), item.value());
    }
  }
  void clear() { parameters_.clear(); }
  std::vector<std::string> keys() const { return parameters_.keys(); }
  std::vector<DTensor> values() const { return parameters_.values(); }
  auto begin() { return parameters_.begin(); }
  auto end() { return parameters_.end(); }
  auto begin() const { return parameters_.begin(); }
  auto end() const { return parameters_.end(); }
  std::size_t size() const noexcept { return parameters_.size(); }
  bool empty() const noexcept { return parameters_.is_empty(); }
  bool contains(const std::string& key) const noexcept { return parameters_.contains(key); }
  DTensor& get(const std::string& key) { return parameters_[key]; }
  const DTensor& get(const std::string& key) const { return parameters_[key]; }
  DTensor& operator[](const std::string& key) { return parameters_[key]; }
  const DTensor& operator[](const std::string& key) const { return parameters_[key]; }
};
VS_MODULE(ParameterDict);

}  // namespace nn
}  // namespace vescale
