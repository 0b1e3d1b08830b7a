#pragma once
/// torch::nn::Module for DTensors: same names, same order, same FQNs.
#include <torch/nn/modules/container/any_value.h>
#include <torch/ordered_dict.h>

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <vescale/dtensor.h>
#include <vescale/nn/holder.h>

namespace vescale {
namespace nn {

using torch::OrderedDict;

/// Base of all modules. Tensors made while a module is constructed through its holder are not placed yet:
/// their values are drawn on the local piece once distribute_module says where they belong, and are R if it
/// never does.
class Module : public std::enable_shared_from_this<Module> {
 public:
  using ModuleApplyFunction = std::function<void(Module&)>;
  using ConstModuleApplyFunction = std::function<void(const Module&)>;
  using NamedModuleApplyFunction = std::function<void(const std::string&, Module&)>;
  using ConstNamedModuleApplyFunction = std::function<void(const std::string&, const Module&)>;
  using ModulePointerApplyFunction = std::function<void(const std::shared_ptr<Module>&)>;
  using NamedModulePointerApplyFunction =
      std::function<void(const std::string&, const std::shared_ptr<Module>&)>;

  explicit Module(std::string name) : name_(std::move(name)) {}
  Module() = default;
  Module(const Module&) = default;
  Module& operator=(const Module&) = default;
  Module(Module&&) noexcept = default;
  Module& operator=(Module&&) noexcept = default;
  virtual ~Module() = default;

  /// The class's name, or what the constructor was given.
  const std::string& name() const noexcept;
  /// A deep copy; modules that derive from Cloneable have one.
  virtual std::shared_ptr<Module> clone(const std::optional<at::Device>& device = std::nullopt) const;

  void apply(const ModuleApplyFunction& function);
  void apply(const ConstModuleApplyFunction& function) const;
  void apply(const NamedModuleApplyFunction& function, const std::string& name_prefix = std::string());
  void apply(const ConstNamedModuleApplyFunction& function,
             const std::string& name_prefix = std::string()) const;
  void apply(const ModulePointerApplyFunction& function) const;
  void apply(const NamedModulePointerApplyFunction& function,
             const std::string& name_prefix = std::string()) const;

  std::vector<DTensor> parameters(bool recurse = true) const;
  OrderedDict<std::string, DTensor> named_parameters(bool recurse = true) const;
  std::vector<DTensor> buffers(bool recurse = true) const;
  OrderedDict<std::string, DTensor> named_buffers(bool recurse = true) const;
  std::vector<std::shared_ptr<Module>> modules(bool include_self = true) const;
  OrderedDict<std::string, std::shared_ptr<Module>> named_modules(
      const std::string& name_prefix = std::string(), bool include_self = true) const;
  std::vector<std::shared_ptr<Module>> children() const;
  OrderedDict<std::string, std::shared_ptr<Module>> named_children() const { return children_; }

  virtual void train(bool on = true);
  void eval() { train(false); }
  virtual bool is_training() const noexcept { return is_training_; }

  /// Casts or moves every parameter and buffer; those of integers, too, as LibTorch does.
  virtual void to(at::Device device, at::ScalarType dtype, bool non_blocking = false);
  virtual void to(at::ScalarType dtype, bool non_blocking = false);
  virtual void to(at::Device device, bool non_blocking = false);

  virtual void zero_grad(bool set_to_none = true);
  virtual void pretty_print(std::ostream& stream) const;
  virtual bool is_serializable() const { return true; }

  template <class ModuleType>
  typename ModuleType::ContainedType* as() noexcept {
    return as<typename ModuleType::ContainedType>();
  }
  template <class ModuleType>
  const typename ModuleType::ContainedType* as() const noexcept {
    return as<typename ModuleType::ContainedType>();
  }
  template <class ModuleType, class = std::enable_if_t<!is_module_holder<ModuleType>::value>>
  ModuleType* as() noexcept {
    return dynamic_cast<ModuleType*>(this);
  }
  template <class ModuleType, class = std::enable_if_t<!is_module_holder<ModuleType>::value>>
  const ModuleType* as() const noexcept {
    return dynamic_cast<const ModuleType*>(this);
  }

  DTensor& register_parameter(std::string name, DTensor tensor, bool requires_grad = true);
  DTensor& register_buffer(std::string name, DTensor tensor);
  template <class ModuleType>
  std::shared_ptr<ModuleType> register_module(std::string name, std::shared_ptr<ModuleType> module) {
    add_child(std::move(name), module, /*replace=*/false);
    return module;
  }
  template <class ModuleType>
  std::shared_ptr<ModuleType> register_module(std::string name, ModuleHolder<ModuleType> holder) {
    return register_module(std::move(name), holder.ptr());
  }
  template <class ModuleType>
  std::shared_ptr<ModuleType> replace_module(const std::string& name, std::shared_ptr<ModuleType> module) {
    add_child(name, module, /*replace=*/true);
    return module;
  }
  template <class ModuleType>
  std::shared_ptr<ModuleType> replace_module(const std::string& name, ModuleHolder<ModuleType> holder) {
    return replace_module(name, holder.ptr());
  }
  void unregister_module(const std::string& name) { children_.erase(name); }

  // What LibTorch's FORWARD_HAS_DEFAULT_ARGS overrides in modules that Sequential may call with fewer
  // arguments.
  virtual bool _forward_has_default_args() { return false; }
  virtual unsigned int _forward_num_required_args() { return 0; }
  virtual std::vector<torch::nn::AnyValue> _forward_populate_default_args(
      std::vector<torch::nn::AnyValue>&& arguments) {
    return std::move(arguments);
  }

 protected:
  OrderedDict<std::string, DTensor> parameters_{"Parameter"};
  OrderedDict<std::string, DTensor> buffers_{"Buffer"};
  OrderedDict<std::string, std::shared_ptr<Module>> children_{"Submodule"};

 private:
  template <class>
  friend class Cloneable;

  void add_child(std::string name, std::shared_ptr<Module> module, bool replace);
  void convert(const std::function<DTensor(const DTensor&)>& cast);
  void print(std::ostream& stream, const std::string& indentation) const;
  friend std::ostream& operator<<(std::ostream& stream, const Module& module);

  mutable std::optional<std::string> name_;
  bool is_training_ = true;
};

std::ostream& operator<<(std::ostream& stream, const Module& module);

/// A module whose clone() constructs a new one with reset() and copies the values.
template <class Derived>
class Cloneable : public Module {
 public:
  using Module::Module;

  /// Makes the parameters, buffers and submodules anew.
  virtual void reset() = 0;

  std::shared_ptr<Module> clone(const std::optional<at::Device>& device = std::nullopt) const override {
    const at::NoGradGuard no_grad;
    const auto& self = static_cast<const Derived&>(*this);
    auto copy = std::make_shared<Derived>(self);
    copy->parameters_.clear();
    copy->buffers_.clear();
    copy->children_.clear();
    copy->reset();
    copy_values(copy->parameters_, parameters_);
    copy_values(copy->buffers_, buffers_);
    for (const auto& child : children_) copy->children_[child.key()] = child.value()->clone(device);
    return copy;
  }

 private:
  static void copy_values(OrderedDict<std::string, DTensor>& to,
                          const OrderedDict<std::string, DTensor>& from) {
    for (const auto& item : from) to[item.key()].set_data(item.value().clone());
  }
};

}  // namespace nn
}  // namespace vescale
