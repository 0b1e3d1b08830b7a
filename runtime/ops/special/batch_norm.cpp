// Batch norm over a sharded batch: its statistics are those of the whole batch, as on one device.
#include <vescale/generated/special.h>
#include <vescale/ops.h>
#include <vescale/redistribute.h>

#include "ops/call.h"
#include "ops/special/random_values.h"
#include "ops/special/sharded_dims.h"

namespace vescale::special {
namespace {

struct Normalized {
  DTensor output, mean, inverse_deviation;
};

std::vector<std::int64_t> all_but_channels(const DTensor& x) {
  std::vector<std::int64_t> dims{0};
  for (std::int64_t d = 2; d < x.dim(); ++d) dims.push_back(d);
  return dims;
}

DTensor per_channel(const DTensor& values, const DTensor& x) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(x.dim()), 1);
  shape[1] = x.size(1);
  return values.reshape(shape);
}

void update_running(const std::optional<DTensor>& running, const DTensor& batch, double momentum) {
  if (!running || !running->defined()) return;
  const at::NoGradGuard no_grad;
  running->mul_(1 - momentum).add_(batch.detach().to(running->scalar_type()), momentum);
}

Normalized normalize_whole_batch(const DTensor& input, const std::optional<DTensor>& weight,
                                 const std::optional<DTensor>& bias,
                                 const std::optional<DTensor>& running_mean,
                                 const std::optional<DTensor>& running_var, double momentum, double eps) {
  const DTensor x = without_partial(input);
  const std::vector<std::int64_t> dims = all_but_channels(x);
  const auto count = static_cast<double>(reduced_count(x, at::IntArrayRef(dims)));
  const DTensor mean = without_partial(vescale::sum(x, dims)).div(count);
  const DTensor centered = x.sub(per_channel(mean, x));
  const DTensor variance = without_partial(vescale::sum(centered.mul(centered), dims)).div(count);
  const DTensor inverse_deviation = variance.add(eps).rsqrt();
  DTensor output = centered.mul(per_channel(inverse_deviation, x));
  if (weight && weight->defined()) output = output.mul(per_channel(*weight, x));
  if (bias && bias->defined()) output = output.add(per_channel(*bias, x));
  update_running(running_mean, mean, momentum);
  update_running(running_var, variance.mul(count / (count - 1)), momentum);
  return {output, mean, inverse_deviation};
}

bool needs_whole_batch(const DTensor& input, bool training) {
  return training && reduces_sharded_dim(input, at::IntArrayRef(all_but_channels(input)));
}

}  // namespace

DTensor batch_norm(const DTensor& input, const std::optional<DTensor>& weight,
                   const std::optional<DTensor>& bias, const std::optional<DTensor>& running_mean,
                   const std::optional<DTensor>& running_var, bool training, double momentum, double eps,
                   bool cudnn_enabled) {
  if (!needs_whole_batch(input, training)) {
    return call<at::_ops::batch_norm>(input, weight, bias, running_mean, running_var, training, momentum, eps,
                                      cudnn_enabled);
  }
  return normalize_whole_batch(input, weight, bias, running_mean, running_var, momentum, eps).output;
}

std::tuple<DTensor, DTensor, DTensor> native_batch_norm(const DTensor& input,
                                                        const std::optional<DTensor>& weight,
                                                        const std::optional<DTensor>& bias,
                                                        const std::optional<DTensor>& running_mean,
                                                        const std::optional<DTensor>& running_var,
                                                        bool training, double momentum, double eps) {
  if (!needs_whole_batch(input, training)) {
    return call<at::_ops::native_batch_norm>(input, weight, bias, running_mean, running_var, training,
                                             momentum, eps);
  }
  const Normalized n = normalize_whole_batch(input, weight, bias, running_mean, running_var, momentum, eps);
  return {n.output, n.mean, n.inverse_deviation};
}

}  // namespace vescale::special
