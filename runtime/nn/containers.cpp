#include <vescale/nn/modules/containers.h>

#include <ostream>

namespace vescale::nn {

void SequentialImpl::pretty_print(std::ostream& stream) const { stream << "torch::nn::Sequential"; }

std::shared_ptr<Module> SequentialImpl::clone(const std::optional<at::Device>&) const {
  throw Error("a Sequential cannot be cloned: what it calls is bound to its own modules; make it anew");
}

std::shared_ptr<Module> ModuleListImpl::clone(const std::optional<at::Device>& device) const {
  auto copy = std::make_shared<ModuleListImpl>();
  for (const std::shared_ptr<Module>& module : modules_) copy->push_back(module->clone(device));
  return copy;
}

std::shared_ptr<Module> ModuleDictImpl::clone(const std::optional<at::Device>& device) const {
  auto copy = std::make_shared<ModuleDictImpl>();
  for (const auto& child : children_) copy->insert(child.key(), child.value()->clone(device));
  return copy;
}

}  // namespace vescale::nn
