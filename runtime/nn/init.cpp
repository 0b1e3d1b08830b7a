#include <vescale/nn/init.h>

#include <vescale/ops.h>
#include <vescale/random/generator.h>
#include <vescale/redistribute.h>

#include <cmath>

namespace vescale::nn::init {
namespace {

double fan_of(const DTensor& tensor, const FanModeType& mode) {
  const auto [fan_in, fan_out] = _calculate_fan_in_and_fan_out(tensor);
  return static_cast<double>(std::holds_alternative<torch::enumtype::kFanIn>(mode) ? fan_in : fan_out);
}

/// Gives `tensor` the values that `make` computes on the full tensor, the same on every rank.
template <class Make>
DTensor from_full_values(DTensor tensor, const Make& make) {
  const at::NoGradGuard no_grad;
  const at::Tensor full = at::empty(tensor.sizes(), tensor.options().requires_grad(false));
  make(full);
  return tensor.copy_(DTensor(full));
}

}  // namespace

std::tuple<std::int64_t, std::int64_t> _calculate_fan_in_and_fan_out(const DTensor& tensor) {
  TORCH_CHECK(tensor.dim() >= 2,
              "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions");
  std::int64_t kernel = 1;
  for (std::int64_t d = 2; d < tensor.dim(); ++d) kernel *= tensor.size(d);
  return {tensor.size(1) * kernel, tensor.size(0) * kernel};
}

DTensor constant_(DTensor tensor, const at::Scalar& value) {
  const at::NoGradGuard no_grad;
  return tensor.fill_(value);
}
DTensor ones_(DTensor tensor) { return constant_(std::move(tensor), 1); }
DTensor zeros_(DTensor tensor) {
  const at::NoGradGuard no_grad;
  return tensor.zero_();
}
DTensor normal_(DTensor tensor, double mean, double std) {
  const at::NoGradGuard no_grad;
  return tensor.normal_(mean, std);
}
DTensor uniform_(DTensor tensor, double low, double high) {
  const at::NoGradGuard no_grad;
  return tensor.uniform_(low, high);
}

DTensor kaiming_normal_(DTensor tensor, double a, FanModeType mode, NonlinearityType nonlinearity) {
  const double std = calculate_gain(nonlinearity, a) / std::sqrt(fan_of(tensor, mode));
  return normal_(std::move(tensor), 0, std);
}
DTensor kaiming_uniform_(DTensor tensor, double a, FanModeType mode, NonlinearityType nonlinearity) {
  const double std = calculate_gain(nonlinearity, a) / std::sqrt(fan_of(tensor, mode));
  const double bound = std::sqrt(3.0) * std;
  return uniform_(std::move(tensor), -bound, bound);
}
DTensor xavier_normal_(DTensor tensor, double gain) {
  const auto [fan_in, fan_out] = _calculate_fan_in_and_fan_out(tensor);
  return normal_(std::move(tensor), 0, gain * std::sqrt(2.0 / static_cast<double>(fan_in + fan_out)));
}
DTensor xavier_uniform_(DTensor tensor, double gain) {
  const auto [fan_in, fan_out] = _calculate_fan_in_and_fan_out(tensor);
  const double std = gain * std::sqrt(2.0 / static_cast<double>(fan_in + fan_out));
  const double bound = std::sqrt(3.0) * std;
  return uniform_(std::move(tensor), -bound, bound);
}

DTensor eye_(DTensor matrix) {
  TORCH_CHECK(matrix.dim() == 2, "Only tensors with 2 dimensions are supported");
  return from_full_values(matrix, [](const at::Tensor& full) { torch::nn::init::eye_(full); });
}
DTensor dirac_(DTensor tensor) {
  return from_full_values(tensor, [](const at::Tensor& full) { torch::nn::init::dirac_(full); });
}

DTensor orthogonal_(DTensor tensor, double gain) {
  TORCH_CHECK(tensor.dim() >= 2, "Only tensors with 2 or more dimensions are supported");
  return from_full_values(tensor, [&](const at::Tensor& full) {
    const std::int64_t rows = full.size(0), columns = full.numel() / full.size(0);
    at::Tensor flat = at::empty({rows, columns}, full.options()).normal_(0, 1, rank_generator());
    if (rows < columns) flat = flat.t();
    auto [q, r] = at::linalg_qr(flat);
    q.mul_(r.diag().sign());  // one orthogonal factor among the possible ones
    if (rows < columns) q = q.t();
    full.view_as(q).copy_(q);
    full.mul_(gain);
  });
}
DTensor sparse_(DTensor tensor, double sparsity, double std) {
  TORCH_CHECK(tensor.dim() == 2, "Only tensors with 2 dimensions are supported");
  return from_full_values(tensor, [&](const at::Tensor& full) {
    const auto zeros = static_cast<std::int64_t>(std::ceil(sparsity * static_cast<double>(full.size(0))));
    full.normal_(0, std, rank_generator());
    for (std::int64_t column = 0; column < full.size(1); ++column) {
      const at::Tensor rows = at::randperm(full.size(0), rank_generator(), at::TensorOptions(at::kLong));
      full.select(1, column).index_fill_(0, rows.narrow(0, 0, zeros), 0);
    }
  });
}

}  // namespace vescale::nn::init
