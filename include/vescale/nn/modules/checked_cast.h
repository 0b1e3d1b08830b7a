#pragma once
/// The type of a module that a container holds.
#include <typeinfo>

#include <vescale/nn/module.h>

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

}  // namespace nn
}  // namespace vescale
