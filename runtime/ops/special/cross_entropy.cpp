// cross_entropy_loss: the mean over all ranks, and classes sharded over ranks without gathering the logits.
#include <vescale/generated/special.h>
#include <vescale/ops.h>
#include <vescale/redistribute.h>

#include <limits>

#include "ops/call.h"
#include "ops/special/local_index.h"
#include "ops/special/random_values.h"
#include "ops/special/sharded_dims.h"

namespace vescale::special {
namespace {

struct Options {
  std::optional<DTensor> weight;
  std::int64_t reduction;
  std::int64_t ignore_index;
  double label_smoothing;
};

std::int64_t class_dim(const DTensor& x) { return x.dim() == 1 ? 0 : 1; }
bool has_probabilities(const DTensor& x, const DTensor& target) {
  return x.sizes() == target.sizes() && target.is_floating_point();
}
bool has_weight(const Options& o) { return o.weight && o.weight->defined(); }

/// Placements of what remains when the class dim is reduced: classes over ranks become `over_classes`.
std::vector<Placement> without_classes(const DTensor& x, const Placement& over_classes) {
  std::vector<Placement> placements = x.placements();
  for (Placement& p : placements) {
    if (p.is_sharded_on(class_dim(x))) {
      p = over_classes;
    } else if (p.is_sharded() && p.dim > class_dim(x)) {
      --p.dim;
    }
  }
  return placements;
}

std::vector<std::int64_t> sizes_without_classes(const DTensor& x) {
  std::vector<std::int64_t> sizes = x.sizes().vec();
  sizes.erase(sizes.begin() + class_dim(x));
  return sizes;
}

DTensor wrap(at::Tensor local, const std::vector<Placement>& placements,
             const std::vector<std::int64_t>& sizes) {
  return {std::move(local), LayoutTable::current().intern(placements, sizes, contiguous_strides(sizes))};
}

/// The largest logit of each sample over all ranks; no gradient flows through it.
DTensor largest(const DTensor& x) {
  const at::Tensor local = x.local().detach();
  const std::int64_t dim = class_dim(x);
  std::vector<std::int64_t> empty_sizes = local.sizes().vec();
  empty_sizes.erase(empty_sizes.begin() + dim);
  const at::Tensor piece =
      local.size(dim) > 0 ? local.amax(dim)
                          : at::full(empty_sizes, -std::numeric_limits<double>::infinity(), local.options());
  return without_partial(
      wrap(piece, without_classes(x, Placement::partial(ReduceOp::Max)), sizes_without_classes(x)));
}

/// x[target] of each sample; a Partial over the ranks that share the classes.
DTensor picked(const DTensor& x, const DTensor& target) {
  const std::int64_t dim = class_dim(x);
  const LocalIndex index =
      local_index(target.local(), rank_layout(x.layout()).ranges[static_cast<std::size_t>(dim)]);
  const at::Tensor local = x.local();
  // A rank without classes still hangs on x, so that the graphs of all ranks are alike.
  const at::Tensor values = local.size(dim) > 0
                                ? local.gather(dim, index.index.unsqueeze(dim)).squeeze(dim)
                                : at::zeros_like(index.index, local.options()) + local.sum() * 0;
  return wrap(values.masked_fill(index.missing, 0), without_classes(x, Placement::partial()),
              sizes_without_classes(x));
}

/// Class weights of each sample's target.
DTensor target_weights(const Options& o, const DTensor& target) {
  return o.weight->detach().index_select(0, target.reshape({-1})).reshape(target.sizes());
}

/// Weights shaped to broadcast over the classes of `x`.
DTensor class_weights(const Options& o, const DTensor& x) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(x.dim()), 1);
  shape[static_cast<std::size_t>(class_dim(x))] = x.size(class_dim(x));
  return o.weight->detach().reshape(shape);
}

DTensor reduced(const DTensor& losses, const DTensor& total, std::int64_t reduction) {
  if (reduction == at::Reduction::None) return losses;
  const DTensor sum = vescale::sum(losses);
  return reduction == at::Reduction::Sum ? sum : sum.div(total);
}

/// log(sum over classes of exp(x)) - x, for classes over ranks: two reductions of one number a sample.
struct SoftMax {
  DTensor shifted;  ///< x minus the largest
  DTensor log_sum;  ///< of exp(shifted) over the classes
};
SoftMax log_sum_exp(const DTensor& x) {
  const std::int64_t dim = class_dim(x);
  const DTensor shifted = x.sub(largest(x).unsqueeze(dim));
  return {shifted, without_partial(vescale::sum(shifted.exp(), {dim})).log()};
}

DTensor with_indices(const DTensor& x, const DTensor& target_in, const Options& o) {
  const std::int64_t dim = class_dim(x);
  const DTensor target = redistribute(target_in, without_classes(x, Placement::invariant()));
  const DTensor counts = target.ne(o.ignore_index);
  const DTensor ignored = counts.logical_not();
  const DTensor safe_target = target.masked_fill(ignored, 0);
  TORCH_CHECK_INDEX(
      safe_target.local().numel() == 0 || (safe_target.local().min().item<std::int64_t>() >= 0 &&
                                           safe_target.local().max().item<std::int64_t>() < x.size(dim)),
      "Target out of bounds: targets must lie in [0, ", x.size(dim), ")");
  const SoftMax s = log_sum_exp(x);
  DTensor losses = s.log_sum.sub(without_partial(picked(s.shifted, safe_target)));
  DTensor total = counts.to(x.scalar_type());
  if (has_weight(o)) {
    const DTensor weights = target_weights(o, safe_target);
    losses = losses.mul(weights);
    total = total.mul(weights);
  }
  losses = losses.masked_fill(ignored, 0);
  if (o.label_smoothing > 0) {
    const double share = o.label_smoothing / static_cast<double>(x.size(dim));
    DTensor smooth = s.log_sum.unsqueeze(dim).sub(s.shifted);
    if (has_weight(o)) smooth = smooth.mul(class_weights(o, x));
    const DTensor over_classes = without_partial(vescale::sum(smooth, {dim})).masked_fill(ignored, 0);
    losses = losses.mul(1 - o.label_smoothing).add(over_classes.mul(share));
  }
  return reduced(losses, without_partial(vescale::sum(total)), o.reduction);
}

DTensor with_probabilities(const DTensor& x, const DTensor& target_in, const Options& o) {
  const std::int64_t dim = class_dim(x);
  DTensor target = target_in;
  if (o.label_smoothing > 0) {
    target = target.mul(1 - o.label_smoothing).add(o.label_smoothing / static_cast<double>(x.size(dim)));
  }
  const SoftMax s = log_sum_exp(x);
  DTensor terms = s.log_sum.unsqueeze(dim).sub(s.shifted).mul(target);
  if (has_weight(o)) terms = terms.mul(class_weights(o, x));
  const DTensor losses = without_partial(vescale::sum(terms, {dim}));
  if (o.reduction == at::Reduction::None) return losses;
  const DTensor sum = vescale::sum(losses);
  return o.reduction == at::Reduction::Sum ? sum : sum.div(static_cast<double>(x.numel() / x.size(dim)));
}

}  // namespace

DTensor cross_entropy_loss(const DTensor& self, const DTensor& target, const std::optional<DTensor>& weight,
                           std::int64_t reduction, std::int64_t ignore_index, double label_smoothing) {
  if (is_whole(self) && is_whole(target)) {
    return call<at::_ops::cross_entropy_loss>(self, target, weight, reduction, c10::SymInt(ignore_index),
                                              label_smoothing);
  }
  const Options options{weight, reduction, ignore_index, label_smoothing};
  const DTensor x = without_partial(self);
  if (is_sharded_on(x, class_dim(x))) {
    return has_probabilities(x, target) ? with_probabilities(x, target, options)
                                        : with_indices(x, target, options);
  }
  auto loss = [&](std::int64_t r) {
    return call<at::_ops::cross_entropy_loss>(x, target, weight, r, c10::SymInt(ignore_index),
                                              label_smoothing);
  };
  if (reduction != at::Reduction::Mean) return loss(reduction);
  const DTensor sum = loss(at::Reduction::Sum);
  if (has_probabilities(x, target)) return sum.div(static_cast<double>(x.numel() / x.size(class_dim(x))));
  const DTensor counts = target.ne(ignore_index);
  DTensor total = counts.to(x.scalar_type());
  if (has_weight(options))
    total = total.mul(target_weights(options, target.masked_fill(counts.logical_not(), 0)));
  return sum.div(without_partial(vescale::sum(total)));
}

}  // namespace vescale::special
