#include <vescale/nn/utils.h>

#include <cmath>
#include <limits>
#include <map>

#include <vescale/mesh.h>
#include <vescale/ops.h>
#include <vescale/rank_context.h>
#include <vescale/redistribute.h>

namespace vescale::nn::utils {
namespace {

/// The axes that hold different pieces of a tensor.
AxisMask sharded_axes(const DTensor& x) {
  AxisMask axes = 0;
  for (std::size_t axis = 0; axis < x.placements().size(); ++axis) {
    if (x.placements()[axis].is_sharded()) axes |= AxisMask{1} << axis;
  }
  return axes;
}

std::vector<DTensor> gradients_of(const std::vector<DTensor>& parameters) {
  sync_gradients();
  std::vector<DTensor> gradients;
  for (const DTensor& p : parameters) {
    if (p.defined() && p.local().grad().defined()) gradients.push_back(p.grad());
  }
  return gradients;
}

/// What pieces contribute to the norm: the maximum for inf, else the sum of powers.
at::Tensor piece_of_norm(const at::Tensor& local, double norm_type) {
  if (std::isinf(norm_type)) {
    return local.numel() == 0 ? at::zeros({}, at::TensorOptions(at::kDouble))
                              : local.abs().max().to(at::kDouble);
  }
  return local.to(at::kDouble).abs().pow(norm_type).sum();
}

double global_norm(const std::vector<DTensor>& gradients, double norm_type) {
  const bool largest = std::isinf(norm_type);
  std::map<AxisMask, at::Tensor> totals;  // one reduction per set of axes
  for (const DTensor& g : gradients) {
    const at::Tensor piece = piece_of_norm(g.local(), norm_type);
    auto [total, is_new] = totals.emplace(sharded_axes(g), piece);
    if (!is_new) total->second = largest ? at::maximum(total->second, piece) : total->second + piece;
  }
  double norm = 0;
  for (auto& [axes, total] : totals) {
    at::Tensor reduced = total.clone().view({1});
    if (axes != 0) {
      RankContext::current().mesh().group_of(axes).all_reduce(reduced,
                                                              largest ? ReduceOp::Max : ReduceOp::Sum);
    }
    const double value = reduced.item<double>();
    norm = largest ? std::max(norm, value) : norm + value;
  }
  return largest ? norm : std::pow(norm, 1 / norm_type);
}

}  // namespace

double clip_grad_norm_(const std::vector<DTensor>& parameters, double max_norm, double norm_type,
                       bool error_if_nonfinite) {
  const at::NoGradGuard no_grad;
  const std::vector<DTensor> gradients = gradients_of(parameters);
  if (gradients.empty()) return 0;
  const double norm = global_norm(gradients, norm_type);
  TORCH_CHECK(
      std::isfinite(norm) || !error_if_nonfinite, "The total norm of order ", norm_type,
      " for gradients from `parameters` is non-finite, so it cannot be clipped. To disable this error and "
      "scale the gradients with the non-finite norm anyway, set `error_if_nonfinite=false`");
  const double scale = max_norm / (norm + 1e-6);
  if (scale < 1) {
    for (const DTensor& g : gradients) g.local().mul_(scale);
  }
  return norm;
}

void clip_grad_value_(const std::vector<DTensor>& parameters, double clip_value) {
  const at::NoGradGuard no_grad;
  for (const DTensor& g : gradients_of(parameters)) g.local().clamp_(-clip_value, clip_value);
}

DTensor parameters_to_vector(const std::vector<DTensor>& parameters) {
  std::vector<at::Tensor> flat;
  for (const DTensor& p : parameters) flat.push_back(p.full().reshape({-1}));
  return at::cat(flat);
}

void vector_to_parameters(const DTensor& vector, const std::vector<DTensor>& parameters) {
  const at::Tensor full = vector.full().detach();
  std::int64_t offset = 0;
  for (const DTensor& p : parameters) {
    p.set_data(DTensor(full.narrow(0, offset, p.numel()).view(p.sizes()).clone()));
    offset += p.numel();
  }
}

}  // namespace vescale::nn::utils
