// In-place random ops: each element gets the single device's bits, whatever the placement.
#include <vescale/generated/special.h>

#include <vescale/ops.h>
#include <vescale/redistribute.h>

#include "ops/special/random_values.h"

namespace vescale::special {

using MaybeGenerator = std::optional<at::Generator>;

DTensor& uniform_(DTensor& self, double from, double to, MaybeGenerator generator) {
  return fill_random(self, rng::Uniform{from, to}, generator);
}
DTensor& normal_(DTensor& self, double mean, double std, MaybeGenerator generator) {
  return fill_random(self, rng::Normal{mean, std}, generator);
}
DTensor& log_normal_(DTensor& self, double mean, double std, MaybeGenerator generator) {
  return fill_random(self, rng::LogNormal{mean, std}, generator);
}
DTensor& exponential_(DTensor& self, double lambd, MaybeGenerator generator) {
  return fill_random(self, rng::Exponential{lambd}, generator);
}
DTensor& cauchy_(DTensor& self, double median, double sigma, MaybeGenerator generator) {
  return fill_random(self, rng::Cauchy{median, sigma}, generator);
}
DTensor& geometric_(DTensor& self, double p, MaybeGenerator generator) {
  return fill_random(self, rng::Geometric{p}, generator);
}
DTensor& random_(DTensor& self, MaybeGenerator generator) {
  return fill_random(self, rng::Random{}, generator);
}
DTensor& random__to(DTensor& self, std::int64_t to, MaybeGenerator generator) {
  return fill_random(self, rng::RandomRange{0, to}, generator);
}
DTensor& random__from(DTensor& self, std::int64_t from, std::optional<std::int64_t> to,
                      MaybeGenerator generator) {
  return fill_random(self, rng::RandomRange{from, to}, generator);
}
DTensor& bernoulli__float(DTensor& self, double p, MaybeGenerator generator) {
  return fill_random(self, rng::Bernoulli{p}, generator);
}

DTensor& bernoulli__Tensor(DTensor& self, const DTensor& p, MaybeGenerator generator) {
  // The probabilities come in self's layout, broadcast as LibTorch broadcasts them.
  DTensor aligned = p.expand(self.sizes());
  std::vector<Placement> placements = fresh_placements(self);
  return fill_random(self, rng::BernoulliTensor{redistribute(aligned, placements).local()}, generator);
}

DTensor bernoulli(const DTensor& self, MaybeGenerator generator) {
  const DTensor p = without_partial(self.detach());
  return random_tensor(row_major_shape(p.sizes()), p.placements(), p.options(),
                       rng::BernoulliTensor{p.local()}, generator);
}

DTensor bernoulli_p(const DTensor& self, double p, MaybeGenerator generator) {
  return random_tensor(shape_like(self), fresh_placements(self), self.options(), rng::Bernoulli{p},
                       generator);
}

}  // namespace vescale::special
