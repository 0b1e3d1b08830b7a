// Means, variances and norms whose count and sums run over all ranks.
#include <vescale/generated/special.h>
#include <vescale/mesh.h>
#include <vescale/ops.h>

#include <cmath>

#include "ops/call.h"
#include "ops/special/random_values.h"
#include "ops/special/sharded_dims.h"

namespace vescale::special {

using Dims = at::OptionalIntArrayRef;
using Correction = std::optional<at::Scalar>;

DTensor mean(const DTensor& self, std::optional<at::ScalarType> dtype) {
  return mean_dim(self, std::nullopt, false, dtype);
}

DTensor mean_dim(const DTensor& self, Dims dim, bool keepdim, std::optional<at::ScalarType> dtype) {
  const bool divides = at::isFloatingType(dtype.value_or(self.scalar_type())) ||
                       at::isComplexType(dtype.value_or(self.scalar_type()));
  if (!divides || !reduces_sharded_dim(self, dim)) {
    return call<at::_ops::mean_dim>(self, dim, keepdim, dtype);
  }
  return vescale::sum(self, dim, keepdim, dtype).div(static_cast<double>(reduced_count(self, dim)));
}

namespace {

struct Moments {
  DTensor variance, mean;
};

/// Two passes over the values, as on one device: the mean first, then squares of what is left.
Moments moments(const DTensor& self, Dims dim, const Correction& correction, bool keepdim) {
  const DTensor x = without_partial(self);
  const DTensor mean = without_partial(mean_dim(x, dim, /*keepdim=*/true, std::nullopt));
  const DTensor centered = x.sub(mean);
  const double count = static_cast<double>(reduced_count(x, dim));
  const double freedom = std::max(count - (correction ? correction->toDouble() : 1.0), 0.0);
  const DTensor variance =
      without_partial(vescale::sum(centered.mul(centered), dim, keepdim, std::nullopt)).div(freedom);
  return {variance, keepdim ? mean : mean.reshape(variance.sizes())};
}

bool needs_moments(const DTensor& self, Dims dim) {
  return self.is_floating_point() && reduces_sharded_dim(self, dim);
}

/// The square root whose gradient at 0 is 0, as LibTorch's std and norm have it.
DTensor root(const DTensor& x) {
  const DTensor zero = x.eq(0);
  return x.masked_fill(zero, 1).sqrt().masked_fill(zero, 0);
}

Correction correction_of(bool unbiased) { return at::Scalar(unbiased ? 1 : 0); }

}  // namespace

DTensor var_correction(const DTensor& self, Dims dim, const Correction& correction, bool keepdim) {
  if (!needs_moments(self, dim)) return call<at::_ops::var_correction>(self, dim, correction, keepdim);
  return moments(self, dim, correction, keepdim).variance;
}
DTensor std_correction(const DTensor& self, Dims dim, const Correction& correction, bool keepdim) {
  if (!needs_moments(self, dim)) return call<at::_ops::std_correction>(self, dim, correction, keepdim);
  return root(moments(self, dim, correction, keepdim).variance);
}
std::tuple<DTensor, DTensor> var_mean_correction(const DTensor& self, Dims dim, const Correction& correction,
                                                 bool keepdim) {
  if (!needs_moments(self, dim)) return call<at::_ops::var_mean_correction>(self, dim, correction, keepdim);
  const Moments result = moments(self, dim, correction, keepdim);
  return {result.variance, result.mean};
}
std::tuple<DTensor, DTensor> std_mean_correction(const DTensor& self, Dims dim, const Correction& correction,
                                                 bool keepdim) {
  if (!needs_moments(self, dim)) return call<at::_ops::std_mean_correction>(self, dim, correction, keepdim);
  const Moments result = moments(self, dim, correction, keepdim);
  return {root(result.variance), result.mean};
}

DTensor var(const DTensor& self, bool unbiased) {
  return var_correction(self, std::nullopt, correction_of(unbiased), false);
}
DTensor var_dim(const DTensor& self, Dims dim, bool unbiased, bool keepdim) {
  return var_correction(self, dim, correction_of(unbiased), keepdim);
}
DTensor std(const DTensor& self, bool unbiased) {
  return std_correction(self, std::nullopt, correction_of(unbiased), false);
}
DTensor std_dim(const DTensor& self, Dims dim, bool unbiased, bool keepdim) {
  return std_correction(self, dim, correction_of(unbiased), keepdim);
}
std::tuple<DTensor, DTensor> var_mean(const DTensor& self, bool unbiased) {
  return var_mean_correction(self, std::nullopt, correction_of(unbiased), false);
}
std::tuple<DTensor, DTensor> var_mean_dim(const DTensor& self, Dims dim, bool unbiased, bool keepdim) {
  return var_mean_correction(self, dim, correction_of(unbiased), keepdim);
}
std::tuple<DTensor, DTensor> std_mean(const DTensor& self, bool unbiased) {
  return std_mean_correction(self, std::nullopt, correction_of(unbiased), false);
}
std::tuple<DTensor, DTensor> std_mean_dim(const DTensor& self, Dims dim, bool unbiased, bool keepdim) {
  return std_mean_correction(self, dim, correction_of(unbiased), keepdim);
}

DTensor linalg_vector_norm(const DTensor& self, const at::Scalar& ord, Dims dim, bool keepdim,
                           std::optional<at::ScalarType> dtype) {
  const double p = ord.toDouble();
  if (self.is_complex() || std::isinf(p) || !reduces_sharded_dim(self, dim)) {
    return call<at::_ops::linalg_vector_norm>(self, ord, dim, keepdim, dtype);
  }
  DTensor x = without_partial(self);
  if (dtype) x = x.to(*dtype);
  auto total = [&](const DTensor& values) {
    return without_partial(vescale::sum(values, dim, keepdim, std::nullopt));
  };
  if (p == 0) return total(x.ne(0).to(x.scalar_type()));
  if (p == 1) return total(x.abs());
  if (p == 2) return root(total(x.mul(x)));
  const DTensor powers = total(x.abs().pow(p));
  const DTensor zero = powers.eq(0);
  return powers.masked_fill(zero, 1).pow(1 / p).masked_fill(zero, 0);
}

DTensor norm_Scalar(const DTensor& self, const at::Scalar& p) {
  return special::linalg_vector_norm(self, p, std::nullopt, false, std::nullopt);
}
DTensor norm_ScalarOpt_dtype(const DTensor& self, const std::optional<at::Scalar>& p, at::ScalarType dtype) {
  return special::linalg_vector_norm(self, p.value_or(2), std::nullopt, false, dtype);
}
DTensor norm_ScalarOpt_dim(const DTensor& self, const std::optional<at::Scalar>& p, at::IntArrayRef dim,
                           bool keepdim) {
  return special::linalg_vector_norm(self, p.value_or(2), dim, keepdim, std::nullopt);
}
DTensor norm_ScalarOpt_dim_dtype(const DTensor& self, const std::optional<at::Scalar>& p, at::IntArrayRef dim,
                                 bool keepdim, at::ScalarType dtype) {
  return special::linalg_vector_norm(self, p.value_or(2), dim, keepdim, dtype);
}

}  // namespace vescale::special
