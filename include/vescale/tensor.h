#pragma once
/// torch::tensor for DTensors.
#include <torch/types.h>

#include <vescale/dtensor.h>

namespace vescale {

/// A tensor of the values in (nested) braces, of a vector or of a scalar; R on every axis. As torch::tensor.
inline DTensor tensor(torch::detail::TensorDataContainer values, const at::TensorOptions& options = {}) {
  return torch::tensor(std::move(values), options);
}

}  // namespace vescale
