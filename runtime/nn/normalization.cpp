#include <ostream>

#include <vescale/nn/modules/layers.h>

#include "layer_parameters.h"

namespace vescale::nn {

// ---- LayerNorm ----

LayerNormImpl::LayerNormImpl(LayerNormOptions options_) : options(std::move(options_)) { reset(); }

void LayerNormImpl::reset() {
  if (options.elementwise_affine()) {
    weight = register_parameter("weight", vescale::empty(options.normalized_shape()));
    bias = register_parameter("bias", vescale::empty(options.normalized_shape()));
  } else {
    weight = register_parameter("weight", {}, /*requires_grad=*/false);
    bias = register_parameter("bias", {}, /*requires_grad=*/false);
  }
  reset_parameters();
}
void LayerNormImpl::reset_parameters() {
  if (!options.elementwise_affine()) return;
  init::ones_(weight);
  init::zeros_(bias);
}
void LayerNormImpl::pretty_print(std::ostream& stream) const {
  stream << std::boolalpha << "torch::nn::LayerNorm(" << at::IntArrayRef(options.normalized_shape())
         << ", eps=" << options.eps() << ", elementwise_affine=" << options.elementwise_affine() << ")";
}
DTensor LayerNormImpl::forward(const DTensor& input) {
  return vescale::layer_norm(input, options.normalized_shape(), optional(weight), optional(bias),
                             options.eps());
}

// ---- GroupNorm ----

GroupNormImpl::GroupNormImpl(const GroupNormOptions& options) : options(options) { reset(); }

void GroupNormImpl::reset() {
  if (options.affine()) {
    weight = register_parameter("weight", vescale::empty({options.num_channels()}));
    bias = register_parameter("bias", vescale::empty({options.num_channels()}));
  } else {
    weight = register_parameter("weight", {}, /*requires_grad=*/false);
    bias = register_parameter("bias", {}, /*requires_grad=*/false);
  }
  reset_parameters();
}
void GroupNormImpl::reset_parameters() {
  if (!options.affine()) return;
  init::ones_(weight);
  init::zeros_(bias);
}
void GroupNormImpl::pretty_print(std::ostream& stream) const {
  stream << std::boolalpha << "torch::nn::GroupNorm(" << options.num_groups() << ", "
         << options.num_channels() << ", eps=" << options.eps() << ", affine=" << options.affine() << ")";
}
DTensor GroupNormImpl::forward(const DTensor& input) {
  return vescale::group_norm(input, options.num_groups(), optional(weight), optional(bias), options.eps());
}

// ---- BatchNorm ----

template <std::size_t D, class Derived>
BatchNormImplBase<D, Derived>::BatchNormImplBase(const BatchNormOptions& options) : options(options) {
  reset();
}

template <std::size_t D, class Derived>
void BatchNormImplBase<D, Derived>::reset() {
  const std::int64_t n = options.num_features();
  weight = options.affine() ? this->register_parameter("weight", vescale::empty({n}))
                            : this->register_parameter("weight", {}, false);
  bias = options.affine() ? this->register_parameter("bias", vescale::empty({n}))
                          : this->register_parameter("bias", {}, false);
  const bool tracks = options.track_running_stats();
  running_mean = this->register_buffer("running_mean", tracks ? vescale::zeros({n}) : DTensor());
  running_var = this->register_buffer("running_var", tracks ? vescale::ones({n}) : DTensor());
  num_batches_tracked = this->register_buffer(
      "num_batches_tracked", tracks ? vescale::zeros({}, at::TensorOptions(at::kLong)) : DTensor());
  reset_parameters();
}

template <std::size_t D, class Derived>
void BatchNormImplBase<D, Derived>::reset_running_stats() {
  if (!options.track_running_stats()) return;
  running_mean.zero_();
  running_var.fill_(1);
  num_batches_tracked.zero_();
}

template <std::size_t D, class Derived>
void BatchNormImplBase<D, Derived>::reset_parameters() {
  reset_running_stats();
  if (!options.affine()) return;
  init::ones_(weight);
  init::zeros_(bias);
}

template <std::size_t D, class Derived>
void BatchNormImplBase<D, Derived>::pretty_print(std::ostream& stream) const {
  stream << std::boolalpha << "torch::nn::BatchNorm" << D << "d(" << options.num_features()
         << ", eps=" << options.eps() << ", momentum=";
  if (options.momentum()) {
    stream << *options.momentum();
  } else {
    stream << "None";
  }
  stream << ", affine=" << options.affine() << ", track_running_stats=" << options.track_running_stats()
         << ")";
}

template <std::size_t D, class Derived>
DTensor BatchNormImplBase<D, Derived>::forward(const DTensor& input) {
  const bool fits = input.dim() == static_cast<std::int64_t>(D) + 2 || (D == 1 && input.dim() == 2);
  TORCH_CHECK(fits, "BatchNorm", D, "d: an input of ", input.dim(), " dims has the wrong number of them");
  double factor = options.momentum().value_or(0.0);
  if (this->is_training() && options.track_running_stats() && num_batches_tracked.defined()) {
    num_batches_tracked.add_(1);
    if (!options.momentum()) factor = 1.0 / num_batches_tracked.template item<double>();
  }
  const bool uses_batch = this->is_training() || !options.track_running_stats();
  return vescale::batch_norm(input, optional(weight), optional(bias), optional(running_mean),
                             optional(running_var), uses_batch, factor, options.eps(), true);
}

template class BatchNormImplBase<1, BatchNorm1dImpl>;
template class BatchNormImplBase<2, BatchNorm2dImpl>;
template class BatchNormImplBase<3, BatchNorm3dImpl>;

}  // namespace vescale::nn
