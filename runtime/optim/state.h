#pragma once
/// The tensors in LibTorch's optimizer state, which are pieces like their parameter.
#include <torch/optim.h>

#include <functional>
#include <memory>

namespace vescale::optim {

/// A copy of `state` with `map` applied to every tensor of it.
std::unique_ptr<torch::optim::OptimizerParamState> map_state(
    const torch::optim::OptimizerParamState& state, const std::function<at::Tensor(const at::Tensor&)>& map);

}  // namespace vescale::optim
