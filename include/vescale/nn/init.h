#pragma once
/// torch::nn::init for DTensors. Each draws the single device's bits whatever the placement; on a tensor of a
/// module under construction it is recorded and drawn once the tensor is placed. No autograd.
#include <torch/nn/init.h>

#include <tuple>

#include <vescale/dtensor.h>

namespace vescale {
namespace nn {
namespace init {

using torch::nn::init::calculate_gain;
using torch::nn::init::FanModeType;
using torch::nn::init::NonlinearityType;

DTensor constant_(DTensor tensor, const at::Scalar& value);
DTensor ones_(DTensor tensor);
DTensor zeros_(DTensor tensor);
/// The identity: ones on the diagonal of a matrix.
DTensor eye_(DTensor matrix);
/// The identity of a convolution of 3 to 5 dims: each channel keeps its centre.
DTensor dirac_(DTensor tensor);
DTensor normal_(DTensor tensor, double mean = 0, double std = 1);
DTensor uniform_(DTensor tensor, double low = 0, double high = 1);
/// He et al., Delving Deep into Rectifiers, 2015: bound or deviation gain / sqrt(fan).
DTensor kaiming_normal_(DTensor tensor, double a = 0, FanModeType mode = torch::kFanIn,
                        NonlinearityType nonlinearity = torch::kLeakyReLU);
DTensor kaiming_uniform_(DTensor tensor, double a = 0, FanModeType mode = torch::kFanIn,
                         NonlinearityType nonlinearity = torch::kLeakyReLU);
/// Glorot and Bengio, Understanding the difficulty of training deep feedforward neural networks, 2010.
DTensor xavier_normal_(DTensor tensor, double gain = 1);
DTensor xavier_uniform_(DTensor tensor, double gain = 1);
/// Saxe et al., Exact solutions to the nonlinear dynamics of learning, 2013. On the full matrix on every
/// rank.
DTensor orthogonal_(DTensor tensor, double gain = 1);
/// Martens, Deep learning via Hessian-free optimization, 2010. On the full matrix on every rank.
DTensor sparse_(DTensor tensor, double sparsity, double std = 0.01);

/// Inputs and outputs of one unit; of a convolution times the kernel's size.
std::tuple<std::int64_t, std::int64_t> _calculate_fan_in_and_fan_out(const DTensor& tensor);

}  // namespace init
}  // namespace nn
}  // namespace vescale
