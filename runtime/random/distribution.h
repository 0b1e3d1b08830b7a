#pragma once
/// The distributions that a sharded tensor can be filled from, as data.

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <variant>

namespace vescale::rng {

/// uniform_(from, to); rand is (0, 1).
struct Uniform {
  double from = 0, to = 1;
};
/// normal_(mean, std); randn is (0, 1).
struct Normal {
  double mean = 0, std = 1;
};
/// log_normal_(mean, std).
struct LogNormal {
  double mean = 1, std = 2;
};
/// bernoulli_(p).
struct Bernoulli {
  double p = 0.5;
};
/// bernoulli_(p) with a probability an element: `p` is the rank's piece, of a shape that expands to the local
/// one.
struct BernoulliTensor {
  at::Tensor p;
};
/// What at::dropout multiplies with when 0 < p < 1: bernoulli_(1 - p), divided by 1 - p.
struct DropoutNoise {
  double p = 0.5;
};
/// exponential_(lambda).
struct Exponential {
  double lambda = 1;
};
/// cauchy_(median, sigma).
struct Cauchy {
  double median = 0, sigma = 1;
};
/// geometric_(p).
struct Geometric {
  double p = 0.5;
};
/// random_(): all values of an integer dtype from 0 up, or the integers that a floating dtype holds exactly.
struct Random {};
/// random_(from, to); random_(to) and randint have from = 0 where they name none. Without `to`: up to the
/// dtype's end.
struct RandomRange {
  int64_t from = 0;
  std::optional<int64_t> to;
};

using Distribution = std::variant<Uniform, Normal, LogNormal, Bernoulli, BernoulliTensor, DropoutNoise,
                                  Exponential, Cauchy, Geometric, Random, RandomRange>;

/// How words of the stream make elements.
enum class DrawRule {
  independent,  // each element has words of its own
  blocks,  // 16 elements have 16 draws in common; the last 16 are drawn anew if 16 does not divide the total
  pairs,   // two elements have four words in common; an odd one out is kept in the generator for the next op
};

/// The rule by which LibTorch's CPU kernels draw `numel` elements into a tensor that is, or is not,
/// contiguous.
DrawRule draw_rule(const Distribution& distribution, int64_t numel, bool contiguous);

/// Runs LibTorch's own op on `out`. For BernoulliTensor, `p` holds the probabilities of `out`'s elements.
void draw(const Distribution& distribution, const at::Tensor& out, const at::Tensor& p,
          const at::Generator& generator);

}  // namespace vescale::rng
