#pragma once
/// Sequential, ModuleList and ModuleDict.
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <vescale/nn/module.h>

namespace vescale {
namespace nn {

/// A module with a name, for Sequential({{"up", Linear(2, 3)}, ...}).
class NamedAnyModule;

/// A module whose forward takes one tensor and gives one, whatever its class.
class AnyModule {
 public:
  template <class Contained>
  AnyModule(std::shared_ptr<Contained> module)  // NOLINT: as LibTorch's
      : module_(module), forward_([module](const DTensor& x) -> DTensor { return module->forward(x); }) {}
  template <class Contained>
  AnyModule(const ModuleHolder<Contained>& holder) : AnyModule(holder.ptr()) {}  // NOLINT: as LibTorch's
  template <class Contained, class = std::enable_if_t<std::is_base_of<Module, Contained>::value>>
  AnyModule(Contained&& module)  // NOLINT: as LibTorch's
      : AnyModule(std::make_shared<std::decay_t<Contained>>(std::forward<Contained>(module))) {}

  DTensor forward(const DTensor& x) const { return forward_(x); }
  const std::shared_ptr<Module>& ptr() const { return module_; }

 private:
  std::shared_ptr<Module> module_;
  std::function<DTensor(const DTensor&)> forward_;
};

class NamedAnyModule {
 public:
  NamedAnyModule(std::string name, AnyModule module) : name_(std::move(name)), module_(std::move(module)) {}
  const std::string& name() const { return name_; }
  const AnyModule& module() const { return module_; }

 private:
  std::string name_;
  AnyModule module_;
};

/// Modules called one after the other.
class SequentialImpl : public Cloneable<SequentialImpl> {
 public:
  using Iterator = std::vector<AnyModule>::iterator;
  using ConstIterator = std::vector<AnyModule>::const_iterator;

  SequentialImpl() = default;
  template <class First, class... Modules,
            class = std::enable_if_t<!std::is_base_of<SequentialImpl, std::decay_t<First>>::value &&
                                     !std::is_same<std::decay_t<First>, OrderedDict<std::string, AnyModule>>::value>>
  explicit SequentialImpl(First&& first, Modules&&... modules) {
    push_back(std::forward<First>(first));
    (push_back(std::forward<Modules>(modules)), ...);
  }
  explicit SequentialImpl(std::initializer_list<NamedAnyModule> modules) {
    for (const NamedAnyModule& module : modules) push_back(module.name(), module.module());
  }

  std::shared_ptr<Module> clone(const std::optional<at::Device>& device = std::nullopt) const override;
  /// Nothing: the modules are pushed, not made here.
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;

  DTensor forward(DTensor input) {
    TORCH_CHECK(!is_empty(), "Cannot call forward() on an empty Sequential");
    for (const AnyModule& module : modules_) input = module.forward(input);
    return input;
  }

  void push_back(AnyModule module) { push_back(std::to_string(modules_.size()), std::move(module)); }
  void push_back(std::string name, AnyModule module) {
    register_module(std::move(name), module.ptr());
    modules_.push_back(std::move(module));
  }
  template <class M, class = std::enable_if_t<!std::is_same<std::decay_t<M>, AnyModule>::value>>
  void push_back(M&& module) {
    push_back(AnyModule(std::forward<M>(module)));
  }
  template <class M, class = std::enable_if_t<!std::is_same<std::decay_t<M>, AnyModule>::value>>
  void push_back(std::string name, M&& module) {
    push_back(std::move(name), AnyModule(std::forward<M>(module)));
  }

  Iterator begin() { return modules_.begin(); }
  Iterator end() { return modules_.end(); }
  std::size_t size() const noexcept { return modules_.size(); }
  bool is_empty() const noexcept { return modules_.empty(); }
  std::shared_ptr<Module> ptr(std::size_t index) const { return checked(index).ptr(); }
  std::shared_ptr<Module> operator[](std::size_t index) const { return ptr(index); }
  template <class T>
  T& at(std::size_t index) {
    T* module = checked(index).ptr()->template as<T>();
    TORCH_CHECK(module != nullptr, "module ", index, " of the Sequential has another type");
    return *module;
  }

 private:
  const AnyModule& checked(std::size_t index) const {
    TORCH_CHECK(index < size(), "Index out of range: ", index, " of ", size());
    return modules_[index];
  }
  std::vector<AnyModule> modules_;
};

class Sequential : public ModuleHolder<SequentialImpl> {
 public:
  using ModuleHolder<SequentialImpl>::ModuleHolder;
  using Impl [[maybe_unused]] = SequentialImpl;
  Sequential() = default;
  Sequential(std::initializer_list<NamedAnyModule> modules)
      : ModuleHolder<SequentialImpl>(std::make_shared<SequentialImpl>(modules)) {}
};

/// Registered modules by position.
class ModuleListImpl : public Cloneable<ModuleListImpl> {
 public:
  ModuleListImpl() = default;
  template <class First, class... Modules,
            class = std::enable_if_t<!std::is_base_of<ModuleListImpl, std::decay_t<First>>::value>>
  explicit ModuleListImpl(First&& first, Modules&&... modules) {
    push_back(std::forward<First>(first));
    (push_back(std::forward<Modules>(modules)), ...);
  }

  std::shared_ptr<Module> clone(const std::optional<at::Device>& device = std::nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override { stream << "torch::nn::ModuleList"; }

  void push_back(std::shared_ptr<Module> module) {
    modules_.push_back(module);
    register_module(std::to_string(modules_.size() - 1), std::move(module));
  }
  template <class Contained>
  void push_back(const ModuleHolder<Contained>& holder) {
    push_back(std::static_pointer_cast<Module>(holder.ptr()));
  }
  template <class Container>
  void extend(const Container& modules) {
    for (const auto& module : modules) push_back(module);
  }

  auto begin() { return modules_.begin(); }
  auto end() { return modules_.end(); }
  auto begin() const { return modules_.begin(); }
  auto end() const { return modules_.end(); }
  std::size_t size() const noexcept { return modules_.size(); }
  bool is_empty() const noexcept { return modules_.empty(); }
  std::shared_ptr<Module> ptr(std::size_t index) const {
    TORCH_CHECK(index < size(), "Index out of range: ", index, " of ", size());
    return modules_[index];
  }
  std::shared_ptr<Module> operator[](std::size_t index) const { return ptr(index); }
  template <class T>
  T& at(std::size_t index) {
    T* module = ptr(index)->template as<T>();
    TORCH_CHECK(module != nullptr, "module ", index, " of the ModuleList has another type");
    return *module;
  }

 private:
  std::vector<std::shared_ptr<Module>> modules_;
};
VS_MODULE(ModuleList);

/// Registered modules by name.
class ModuleDictImpl : public Cloneable<ModuleDictImpl> {
 public:
  ModuleDictImpl() = default;
  explicit ModuleDictImpl(const std::vector<std::pair<std::string, std::shared_ptr<Module>>>& modules) {
    for (const auto& [name, module] : modules) insert(name, module);
  }

  std::shared_ptr<Module> clone(const std::optional<at::Device>& device = std::nullopt) const override;
  void reset() override {}
  void pretty_print(std::ostream& stream) const override { stream << "torch::nn::ModuleDict"; }

  void insert(const std::string& name, std::shared_ptr<Module> module) {
    if (contains(name)) {
      replace_module(name, std::move(module));
    } else {
      register_module(name, std::move(module));
    }
  }
  template <class Contained>
  void insert(const std::string& name, const ModuleHolder<Contained>& holder) {
    insert(name, std::static_pointer_cast<Module>(holder.ptr()));
  }
  std::shared_ptr<Module> operator[](const std::string& name) const { return children_[name]; }
  bool contains(const std::string& name) const { return children_.contains(name); }
  std::size_t size() const noexcept { return children_.size(); }
  bool empty() const noexcept { return children_.is_empty(); }
  std::vector<std::string> keys() const { return children_.keys(); }
  OrderedDict<std::string, std::shared_ptr<Module>> items() const { return children_; }
};
VS_MODULE(ModuleDict);

}  // namespace nn
}  // namespace vescale
