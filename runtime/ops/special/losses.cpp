// Losses with a mean over all ranks: the sum over the ranks' parts, divided by the global count.
#include <ATen/ExpandUtils.h>
#include <vescale/generated/special.h>
#include <vescale/ops.h>

#include "ops/call.h"
#include "ops/special/random_values.h"
#include "ops/special/sharded_dims.h"

namespace vescale::special {
namespace {

/// `loss(reduction)` calls the op. The mean is taken here where a rank has only a part of the values.
template <class Loss>
DTensor reduced_loss(const DTensor& self, const DTensor& target, std::int64_t reduction, const Loss& loss) {
  if (reduction != at::Reduction::Mean || (is_whole(self) && is_whole(target))) return loss(reduction);
  const std::int64_t count = c10::multiply_integers(at::infer_size(self.sizes(), target.sizes()));
  return loss(std::int64_t{at::Reduction::Sum}).div(static_cast<double>(count));
}

/// What nll_loss divides its sum by: the weights of the targets that count.
DTensor total_weight(const DTensor& target, const std::optional<DTensor>& weight, std::int64_t ignore_index,
                     at::ScalarType dtype) {
  const DTensor counts = target.ne(ignore_index);
  if (!weight || !weight->defined()) return without_partial(vescale::sum(counts.to(dtype)));
  const DTensor index = target.masked_fill(counts.logical_not(), 0);
  const DTensor weights = weight->detach().index_select(0, index.reshape({-1})).reshape(index.sizes());
  return without_partial(vescale::sum(weights.mul(counts)));
}

template <class Loss>
DTensor reduced_nll(const DTensor& self, const DTensor& target, const std::optional<DTensor>& weight,
                    std::int64_t reduction, std::int64_t ignore_index, const Loss& loss) {
  if (reduction != at::Reduction::Mean || (is_whole(self) && is_whole(target))) return loss(reduction);
  return loss(std::int64_t{at::Reduction::Sum})
      .div(total_weight(target, weight, ignore_index, self.scalar_type()));
}

}  // namespace

DTensor mse_loss(const DTensor& self, const DTensor& target, std::int64_t reduction) {
  return reduced_loss(self, target, reduction,
                      [&](std::int64_t r) { return call<at::_ops::mse_loss>(self, target, r); });
}
DTensor l1_loss(const DTensor& self, const DTensor& target, std::int64_t reduction) {
  return reduced_loss(self, target, reduction,
                      [&](std::int64_t r) { return call<at::_ops::l1_loss>(self, target, r); });
}
DTensor smooth_l1_loss(const DTensor& self, const DTensor& target, std::int64_t reduction, double beta) {
  return reduced_loss(self, target, reduction,
                      [&](std::int64_t r) { return call<at::_ops::smooth_l1_loss>(self, target, r, beta); });
}
DTensor huber_loss(const DTensor& self, const DTensor& target, std::int64_t reduction, double delta) {
  return reduced_loss(self, target, reduction,
                      [&](std::int64_t r) { return call<at::_ops::huber_loss>(self, target, r, delta); });
}
DTensor soft_margin_loss(const DTensor& self, const DTensor& target, std::int64_t reduction) {
  return reduced_loss(self, target, reduction,
                      [&](std::int64_t r) { return call<at::_ops::soft_margin_loss>(self, target, r); });
}
DTensor kl_div(const DTensor& self, const DTensor& target, std::int64_t reduction, bool log_target) {
  return reduced_loss(self, target, reduction,
                      [&](std::int64_t r) { return call<at::_ops::kl_div>(self, target, r, log_target); });
}
DTensor binary_cross_entropy(const DTensor& self, const DTensor& target, const std::optional<DTensor>& weight,
                             std::int64_t reduction) {
  return reduced_loss(self, target, reduction, [&](std::int64_t r) {
    return call<at::_ops::binary_cross_entropy>(self, target, weight, r);
  });
}
DTensor binary_cross_entropy_with_logits(const DTensor& self, const DTensor& target,
                                         const std::optional<DTensor>& weight,
                                         const std::optional<DTensor>& pos_weight, std::int64_t reduction) {
  return reduced_loss(self, target, reduction, [&](std::int64_t r) {
    return call<at::_ops::binary_cross_entropy_with_logits>(self, target, weight, pos_weight, r);
  });
}

DTensor nll_loss(const DTensor& self, const DTensor& target, const std::optional<DTensor>& weight,
                 std::int64_t reduction, std::int64_t ignore_index) {
  return reduced_nll(self, target, weight, reduction, ignore_index, [&](std::int64_t r) {
    return call<at::_ops::nll_loss>(self, target, weight, r, c10::SymInt(ignore_index));
  });
}
DTensor nll_loss2d(const DTensor& self, const DTensor& target, const std::optional<DTensor>& weight,
                   std::int64_t reduction, std::int64_t ignore_index) {
  return reduced_nll(self, target, weight, reduction, ignore_index, [&](std::int64_t r) {
    return call<at::_ops::nll_loss2d>(self, target, weight, r, c10::SymInt(ignore_index));
  });
}
DTensor nll_loss_nd(const DTensor& self, const DTensor& target, const std::optional<DTensor>& weight,
                    std::int64_t reduction, std::int64_t ignore_index) {
  return reduced_nll(self, target, weight, reduction, ignore_index, [&](std::int64_t r) {
    return call<at::_ops::nll_loss_nd>(self, target, weight, r, c10::SymInt(ignore_index));
  });
}

}  // namespace vescale::special
