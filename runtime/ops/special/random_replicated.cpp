// Random ops whose draws depend on values or on the whole tensor: every rank runs LibTorch's op on the full
// values.
#include <vescale/generated/special.h>
#include <vescale/ops.h>
#include <vescale/redistribute.h>

#include "ops/special/random_values.h"

namespace vescale::special {

using MaybeGenerator = std::optional<at::Generator>;

DTensor randperm(std::int64_t n, std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                 std::optional<at::Device> device, std::optional<bool> pin) {
  return randperm_generator(n, std::nullopt, dtype, layout, device, pin);
}
DTensor randperm_generator(std::int64_t n, MaybeGenerator generator, std::optional<at::ScalarType> dtype,
                           std::optional<at::Layout> layout, std::optional<at::Device> device,
                           std::optional<bool> pin) {
  return at::randperm(n, generator_for(generator),
                      tensor_options(dtype.value_or(at::kLong), layout, device, pin));
}

DTensor multinomial(const DTensor& self, std::int64_t num_samples, bool replacement,
                    MaybeGenerator generator) {
  return at::multinomial(self.full(), num_samples, replacement, generator_for(generator));
}

DTensor poisson(const DTensor& self, MaybeGenerator generator) {
  return redistribute(DTensor(at::poisson(self.full(), generator_for(generator))), fresh_placements(self));
}
DTensor binomial(const DTensor& count, const DTensor& prob, MaybeGenerator generator) {
  return redistribute(DTensor(at::binomial(count.full(), prob.full(), generator_for(generator))),
                      fresh_placements(count));
}

namespace {
/// The slopes that rrelu draws where x <= 0; 1 elsewhere.
DTensor slopes(const DTensor& self, const at::Scalar& lower, const at::Scalar& upper,
               const MaybeGenerator& generator) {
  const at::NoGradGuard no_grad;
  const at::Tensor whole = self.full();
  at::Tensor noise = at::empty_like(whole);
  at::rrelu_with_noise(whole, noise, lower, upper, /*training=*/true, generator_for(generator));
  return redistribute(DTensor(noise), fresh_placements(self));
}
}  // namespace

DTensor rrelu(const DTensor& self, const at::Scalar& lower, const at::Scalar& upper, bool training,
              MaybeGenerator generator) {
  if (!training) return leaky_relu(self, (lower.toDouble() + upper.toDouble()) / 2);
  const DTensor x = without_partial(self);
  return x.mul(slopes(x, lower, upper, generator));
}
DTensor& rrelu_(DTensor& self, const at::Scalar& lower, const at::Scalar& upper, bool training,
                MaybeGenerator generator) {
  if (!training) return leaky_relu_(self, (lower.toDouble() + upper.toDouble()) / 2);
  return self.mul_(slopes(self, lower, upper, generator));
}
DTensor rrelu_with_noise(const DTensor& self, DTensor& noise, const at::Scalar& lower,
                         const at::Scalar& upper, bool training, MaybeGenerator generator) {
  if (!training) return special::rrelu(self, lower, upper, false, generator);
  const DTensor x = without_partial(self);
  noise.copy_(slopes(x, lower, upper, generator));
  return x.mul(noise);
}
DTensor& rrelu_with_noise_(DTensor& self, DTensor& noise, const at::Scalar& lower, const at::Scalar& upper,
                           bool training, MaybeGenerator generator) {
  if (!training) return special::rrelu_(self, lower, upper, false, generator);
  noise.copy_(slopes(self, lower, upper, generator));
  return self.mul_(noise);
}

}  // namespace vescale::special
