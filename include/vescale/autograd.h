#pragma once
/// torch::autograd for DTensors.
#include <optional>
#include <vector>

#include <vescale/dtensor.h>

namespace vescale::autograd {

using variable_list = std::vector<DTensor>;

/// Gradients of the sum of `outputs`, weighted by `grad_outputs` where given, with respect to `inputs`; each
/// has its input's gradient layout. Undefined for an input that is not used, if `allow_unused`. Nothing
/// accumulates in grad().
variable_list grad(const variable_list& outputs, const variable_list& inputs,
                   const variable_list& grad_outputs = {}, std::optional<bool> retain_graph = std::nullopt,
                   bool create_graph = false, bool allow_unused = false);

/// Accumulates gradients of the sum of `tensors` in the leaves.
void backward(const variable_list& tensors, const variable_list& grad_tensors = {},
              std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
              const variable_list& inputs = {});

}  // namespace vescale::autograd
