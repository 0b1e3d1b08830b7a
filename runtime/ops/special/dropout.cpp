// The dropout family and attention with dropout: LibTorch's formulas over noise that has the single device's
// bits.
#include <vescale/generated/special.h>
#include <vescale/ops.h>

#include <cmath>

#include "ops/call.h"
#include "ops/special/random_values.h"

namespace vescale::special {
namespace {

void check_probability(const char* name, double p) {
  TORCH_CHECK(p >= 0 && p <= 1, name, " probability has to be between 0 and 1, but got ", p);
}

bool changes_nothing(const DTensor& input, double p, bool train) {
  return p == 0 || !train || input.numel() == 0;
}

DTensor noise_like(const DTensor& input, const rng::Distribution& distribution) {
  return random_tensor(shape_like(input), input.placements(), input.options().requires_grad(false),
                       distribution, std::nullopt);
}

/// One value a channel: sizes [N, C, 1, ...]; placements of N and C are the input's, others are R.
DTensor channel_noise(const DTensor& input, const rng::Distribution& distribution) {
  TORCH_CHECK(input.dim() >= 2, "Feature dropout requires at least 2 dimensions in the input");
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(input.dim()), 1);
  sizes[0] = input.size(0);
  sizes[1] = input.size(1);
  std::vector<Placement> placements = input.placements();
  for (Placement& p : placements) {
    if (p.is_sharded() && p.dim >= 2) p = Placement::invariant();
  }
  return random_tensor(row_major_shape(sizes), placements, input.options().requires_grad(false), distribution,
                       std::nullopt);
}

using Noise = DTensor (*)(const DTensor&, const rng::Distribution&);

DTensor plain_dropout(const char* name, const DTensor& self, double p, bool train, Noise noise) {
  check_probability(name, p);
  if (changes_nothing(self, p, train)) return self;
  const DTensor input = without_partial(self);
  if (p == 1) return input.mul(vescale::zeros({}, input.options().requires_grad(false)));
  return input.mul(noise(input, rng::DropoutNoise{p}));
}

DTensor& plain_dropout_(const char* name, DTensor& self, double p, bool train, Noise noise) {
  check_probability(name, p);
  if (changes_nothing(self, p, train)) return self;
  if (p == 1) return self.mul_(vescale::zeros({}, self.options().requires_grad(false)));
  return self.mul_(noise(self, rng::DropoutNoise{p}));
}

/// a x + b that keeps mean and variance of a SELU (Klambauer et al., Self-Normalizing Neural Networks, 2017).
struct Affine {
  DTensor scale, shift;
};
Affine alpha_noise(const DTensor& input, double p, Noise noise) {
  constexpr double alpha = 1.7580993408473766;
  const double a = 1 / std::sqrt((alpha * alpha * p + 1) * (1 - p));
  DTensor kept = noise(input, rng::Bernoulli{1 - p});
  DTensor shift = kept.add(-1).mul_(alpha * a).add_(alpha * a * p);
  return {kept.mul_(a), shift};
}

DTensor alpha_dropout_with(const DTensor& self, double p, bool train, Noise noise) {
  check_probability("dropout", p);
  if (changes_nothing(self, p, train)) return self;
  const DTensor input = without_partial(self);
  if (p == 1) return input.mul(vescale::zeros({}, input.options().requires_grad(false)));
  const Affine affine = alpha_noise(input, p, noise);
  return input.mul(affine.scale).add_(affine.shift);
}

DTensor& alpha_dropout_with_(DTensor& self, double p, bool train, Noise noise) {
  check_probability("dropout", p);
  if (changes_nothing(self, p, train)) return self;
  if (p == 1) return self.mul_(vescale::zeros({}, self.options().requires_grad(false)));
  const Affine affine = alpha_noise(self, p, noise);
  return self.mul_(affine.scale).add_(affine.shift);
}

}  // namespace

DTensor dropout(const DTensor& input, double p, bool train) {
  return plain_dropout("dropout", input, p, train, noise_like);
}
DTensor& dropout_(DTensor& self, double p, bool train) {
  return plain_dropout_("dropout", self, p, train, noise_like);
}
DTensor feature_dropout(const DTensor& input, double p, bool train) {
  return plain_dropout("dropout", input, p, train, channel_noise);
}
DTensor& feature_dropout_(DTensor& self, double p, bool train) {
  return plain_dropout_("dropout", self, p, train, channel_noise);
}
DTensor alpha_dropout(const DTensor& input, double p, bool train) {
  return alpha_dropout_with(input, p, train, noise_like);
}
DTensor& alpha_dropout_(DTensor& self, double p, bool train) {
  return alpha_dropout_with_(self, p, train, noise_like);
}
DTensor feature_alpha_dropout(const DTensor& input, double p, bool train) {
  return alpha_dropout_with(input, p, train, channel_noise);
}
DTensor& feature_alpha_dropout_(DTensor& self, double p, bool train) {
  return alpha_dropout_with_(self, p, train, channel_noise);
}

std::tuple<DTensor, DTensor> native_dropout(const DTensor& self, double p, std::optional<bool> train) {
  check_probability("dropout", p);
  const DTensor input = without_partial(self);
  if (input.numel() == 0) return {input, empty_like(input, input.options().dtype(at::kBool))};
  if (train.has_value() && !*train)
    return {input.clone(), ones_like(input, input.options().dtype(at::kBool))};
  // Where p is 1 nothing is kept and there is nothing to scale.
  const double scale = p == 1 ? 0 : 1 / (1 - p);
  const DTensor mask = random_tensor(shape_like(input), input.placements(),
                                     input.options().dtype(at::kBool).requires_grad(false),
                                     rng::Bernoulli{1 - p}, std::nullopt);
  return {input.mul(mask).mul_(scale), mask};
}

DTensor scaled_dot_product_attention(const DTensor& query, const DTensor& key, const DTensor& value,
                                     const std::optional<DTensor>& attn_mask, double dropout_p,
                                     bool is_causal, std::optional<double> scale, bool enable_gqa) {
  if (dropout_p == 0) {
    return call<at::_ops::scaled_dot_product_attention>(query, key, value, attn_mask, dropout_p, is_causal,
                                                        scale, enable_gqa);
  }
  TORCH_CHECK(!(is_causal && attn_mask), "scaled_dot_product_attention: is_causal excludes attn_mask");
  // With dropout LibTorch's CPU path is the formula itself: softmax(q kT s + mask), dropped out, times v.
  const double root = std::sqrt(scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1)))));
  DTensor k = key, v = value;
  if (enable_gqa) {
    k = key.repeat_interleave(query.size(-3) / key.size(-3), -3);
    v = value.repeat_interleave(query.size(-3) / value.size(-3), -3);
  }
  DTensor weights = matmul(query.mul(root), k.transpose(-2, -1).mul(root));
  if (is_causal) {
    const DTensor below =
        vescale::ones({query.size(-2), key.size(-2)}, query.options().dtype(at::kBool).requires_grad(false))
            .tril();
    weights = weights.masked_fill(below.logical_not(), -std::numeric_limits<double>::infinity());
  } else if (attn_mask) {
    weights = attn_mask->scalar_type() == at::kBool
                  ? weights.masked_fill(attn_mask->logical_not(), -std::numeric_limits<double>::infinity())
                  : weights.add(*attn_mask);
  }
  return vescale::matmul(special::dropout(vescale::softmax(weights, -1), dropout_p, true), v);
}

}  // namespace vescale::special
