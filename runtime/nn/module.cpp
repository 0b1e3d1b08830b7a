#include <vescale/nn/module.h>

#include <c10/util/Type.h>
#include <c10/util/typeid.h>

#include <ostream>

#include "autograd/replicate_view.h"
#include "tensor/unplaced.h"

namespace vescale::nn {
namespace {

std::string joined(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "." + name;
}

void check_name(const char* what, const std::string& name) {
  TORCH_CHECK(!name.empty(), what, " name must not be empty");
  TORCH_CHECK(name.find('.') == std::string::npos, what, " name must not contain a dot (got '", name, "')");
}

template <class Value>
std::vector<Value> values_of(const OrderedDict<std::string, Value>& dict) {
  return dict.values();
}

}  // namespace

ConstructionGuard::ConstructionGuard() { begin_construction(); }
ConstructionGuard::~ConstructionGuard() { end_construction(); }

const std::string& Module::name() const noexcept {
  if (!name_) {
    name_ = c10::demangle(typeid(*this).name());
  }
  return *name_;
}

std::shared_ptr<Module> Module::clone(const std::optional<at::Device>&) const {
  throw Error("clone() has not been implemented for " + name() + ". Derive from vs::nn::Cloneable<" + name() +
              "> instead of vs::nn::Module, and define reset()");
}

void Module::apply(const ModuleApplyFunction& function) {
  function(*this);
  apply(NamedModulePointerApplyFunction(
      [&](const std::string&, const std::shared_ptr<Module>& m) { function(*m); }));
}
void Module::apply(const ConstModuleApplyFunction& function) const {
  function(*this);
  apply(NamedModulePointerApplyFunction(
      [&](const std::string&, const std::shared_ptr<Module>& m) { function(*m); }));
}
void Module::apply(const NamedModuleApplyFunction& function, const std::string& prefix) {
  function(prefix, *this);
  for (const auto& child : children_) child.value()->apply(function, joined(prefix, child.key()));
}
void Module::apply(const ConstNamedModuleApplyFunction& function, const std::string& prefix) const {
  function(prefix, *this);
  for (const auto& child : children_) {
    static_cast<const Module&>(*child.value()).apply(function, joined(prefix, child.key()));
  }
}
void Module::apply(const ModulePointerApplyFunction& function) const {
  for (const auto& module : modules(/*include_self=*/false)) function(module);
}
void Module::apply(const NamedModulePointerApplyFunction& function, const std::string& prefix) const {
  for (const auto& child : children_) {
    const std::string name = joined(prefix, child.key());
    function(name, child.value());
    child.value()->apply(function, name);
  }
}

OrderedDict<std::string, DTensor> Module::named_parameters(bool recurse) const {
  OrderedDict<std::string, DTensor> result;
  for (const auto& p : parameters_) {
    if (p.value().defined()) result.insert(p.key(), p.value());
  }
  if (!recurse) return result;
  for (const auto& child : children_) {
    for (const auto& p : child.value()->named_parameters())
      result.insert(joined(child.key(), p.key()), p.value());
  }
  return result;
}
OrderedDict<std::string, DTensor> Module::named_buffers(bool recurse) const {
  OrderedDict<std::string, DTensor> result;
  for (const auto& b : buffers_) {
    if (b.value().defined()) result.insert(b.key(), b.value());
  }
  if (!recurse) return result;
  for (const auto& child : children_) {
    for (const auto& b : child.value()->named_buffers())
      result.insert(joined(child.key(), b.key()), b.value());
  }
  return result;
}
std::vector<DTensor> Module::parameters(bool recurse) const { return values_of(named_parameters(recurse)); }
std::vector<DTensor> Module::buffers(bool recurse) const { return values_of(named_buffers(recurse)); }

OrderedDict<std::string, std::shared_ptr<Module>> Module::named_modules(const std::string& prefix,
                                                                        bool include_self) const {
  OrderedDict<std::string, std::shared_ptr<Module>> result;
  if (include_self) result.insert(prefix, std::const_pointer_cast<Module>(shared_from_this()));
  apply(NamedModulePointerApplyFunction([&](const std::string& name, const std::shared_ptr<Module>& module) {
          result.insert(name, module);
        }),
        prefix);
  return result;
}
std::vector<std::shared_ptr<Module>> Module::modules(bool include_self) const {
  return values_of(named_modules({}, include_self));
}
std::vector<std::shared_ptr<Module>> Module::children() const { return values_of(children_); }

void Module::train(bool on) {
  for (const auto& child : children_) child.value()->train(on);
  is_training_ = on;
}

void Module::convert(const std::function<DTensor(const DTensor&)>& cast) {
  const at::NoGradGuard no_grad;
  for (const auto& p : parameters_) {
    if (!p.value().defined()) continue;
    p.value().set_data(cast(p.value()));
    if (p.value().local().grad().defined()) p.value().set_grad(cast(p.value().grad()));
  }
  for (const auto& b : buffers_) {
    if (b.value().defined()) b.value().set_data(cast(b.value()));
  }
}
void Module::to(at::Device device, at::ScalarType dtype, bool non_blocking) {
  for (const auto& child : children_) child.value()->to(device, dtype, non_blocking);
  convert([&](const DTensor& x) { return x.to(device, dtype, non_blocking); });
}
void Module::to(at::ScalarType dtype, bool non_blocking) {
  for (const auto& child : children_) child.value()->to(dtype, non_blocking);
  convert([&](const DTensor& x) { return x.to(dtype, non_blocking); });
}
void Module::to(at::Device device, bool non_blocking) {
  for (const auto& child : children_) child.value()->to(device, non_blocking);
  convert([&](const DTensor& x) { return x.to(device, x.scalar_type(), non_blocking); });
}

void Module::zero_grad(bool set_to_none) {
  for (const DTensor& p : parameters()) {
    clear_deferred_gradient(p.local());
    at::Tensor& gradient = p.local().mutable_grad();
    if (!gradient.defined()) continue;
    if (set_to_none) {
      gradient.reset();
    } else {
      gradient = at::zeros_like(gradient);
    }
  }
}

DTensor& Module::register_parameter(std::string name, DTensor tensor, bool requires_grad) {
  check_name("Parameter", name);
  if (!tensor.defined()) return parameters_.insert(std::move(name), DTensor());
  if (tensor.is_floating_point() || tensor.is_complex()) {
    tensor.set_requires_grad(requires_grad);
  } else {
    TORCH_CHECK(!requires_grad,
                "a parameter of integers cannot require a gradient; pass requires_grad = false");
  }
  return parameters_.insert(std::move(name), make_placeable(tensor));
}

DTensor& Module::register_buffer(std::string name, DTensor tensor) {
  check_name("Buffer", name);
  return buffers_.insert(std::move(name), tensor.defined() ? make_placeable(tensor) : tensor);
}

void Module::add_child(std::string name, std::shared_ptr<Module> module, bool replace) {
  check_name("Submodule", name);
  if (replace) {
    TORCH_CHECK(children_.contains(name), "there is no submodule '", name, "' to replace");
    children_[name] = std::move(module);
  } else {
    children_.insert(std::move(name), std::move(module));
  }
}

void Module::pretty_print(std::ostream& stream) const { stream << name(); }

void Module::print(std::ostream& stream, const std::string& indentation) const {
  pretty_print(stream);
  if (children_.is_empty()) return;
  const std::string deeper = indentation + "  ";
  stream << "(\n";
  for (const auto& child : children_) {
    stream << deeper << "(" << child.key() << "): ";
    child.value()->print(stream, deeper);
    stream << '\n';
  }
  stream << indentation << ")";
}

std::ostream& operator<<(std::ostream& stream, const Module& module) {
  module.print(stream, "");
  return stream;
}

}  // namespace vescale::nn
