// Random factories and their _like forms.
#include <ATen/ExpandUtils.h>
#include <vescale/generated/special.h>
#include <vescale/ops.h>

#include "ops/special/random_values.h"

namespace vescale::special {
namespace {

using Dtype = std::optional<at::ScalarType>;
using MemoryLayout = std::optional<at::Layout>;
using Device = std::optional<at::Device>;
using Pin = std::optional<bool>;
using Format = std::optional<at::MemoryFormat>;
using MaybeGenerator = std::optional<at::Generator>;

DTensor random_like(const DTensor& self, const at::TensorOptions& options, Format format,
                    const rng::Distribution& distribution, const MaybeGenerator& generator) {
  return random_tensor(shape_like(self, format), fresh_placements(self),
                       self.options().requires_grad(false).merge_in(options), distribution, generator);
}

/// Integers are int64 unless asked otherwise.
at::TensorOptions integer_options(Dtype dtype, MemoryLayout layout, Device device, Pin pin) {
  return tensor_options(dtype.value_or(at::kLong), layout, device, pin);
}

}  // namespace

DTensor rand(at::IntArrayRef size, Dtype dtype, MemoryLayout layout, Device device, Pin pin) {
  return random_factory(size, tensor_options(dtype, layout, device, pin), rng::Uniform{}, std::nullopt);
}
DTensor rand_generator(at::IntArrayRef size, MaybeGenerator generator, Dtype dtype, MemoryLayout layout,
                       Device device, Pin pin) {
  return random_factory(size, tensor_options(dtype, layout, device, pin), rng::Uniform{}, generator);
}
DTensor randn(at::IntArrayRef size, Dtype dtype, MemoryLayout layout, Device device, Pin pin) {
  return random_factory(size, tensor_options(dtype, layout, device, pin), rng::Normal{}, std::nullopt);
}
DTensor randn_generator(at::IntArrayRef size, MaybeGenerator generator, Dtype dtype, MemoryLayout layout,
                        Device device, Pin pin) {
  return random_factory(size, tensor_options(dtype, layout, device, pin), rng::Normal{}, generator);
}
DTensor normal_float_float(double mean, double std, at::IntArrayRef size, MaybeGenerator generator,
                           Dtype dtype, MemoryLayout layout, Device device, Pin pin) {
  return random_factory(size, tensor_options(dtype, layout, device, pin), rng::Normal{mean, std}, generator);
}
DTensor randint(std::int64_t high, at::IntArrayRef size, Dtype dtype, MemoryLayout layout, Device device,
                Pin pin) {
  return randint_low_generator(0, high, size, std::nullopt, dtype, layout, device, pin);
}
DTensor randint_generator(std::int64_t high, at::IntArrayRef size, MaybeGenerator generator, Dtype dtype,
                          MemoryLayout layout, Device device, Pin pin) {
  return randint_low_generator(0, high, size, generator, dtype, layout, device, pin);
}
DTensor randint_low(std::int64_t low, std::int64_t high, at::IntArrayRef size, Dtype dtype,
                    MemoryLayout layout, Device device, Pin pin) {
  return randint_low_generator(low, high, size, std::nullopt, dtype, layout, device, pin);
}
DTensor randint_low_generator(std::int64_t low, std::int64_t high, at::IntArrayRef size,
                              MaybeGenerator generator, Dtype dtype, MemoryLayout layout, Device device,
                              Pin pin) {
  return random_factory(size, integer_options(dtype, layout, device, pin), rng::RandomRange{low, high},
                        generator);
}

DTensor rand_like(const DTensor& self, Dtype dtype, MemoryLayout layout, Device device, Pin pin,
                  Format format) {
  return random_like(self, tensor_options(dtype, layout, device, pin), format, rng::Uniform{}, std::nullopt);
}
DTensor rand_like_generator(const DTensor& self, MaybeGenerator generator, Dtype dtype, MemoryLayout layout,
                            Device device, Pin pin, Format format) {
  return random_like(self, tensor_options(dtype, layout, device, pin), format, rng::Uniform{}, generator);
}
DTensor randn_like(const DTensor& self, Dtype dtype, MemoryLayout layout, Device device, Pin pin,
                   Format format) {
  return random_like(self, tensor_options(dtype, layout, device, pin), format, rng::Normal{}, std::nullopt);
}
DTensor randn_like_generator(const DTensor& self, MaybeGenerator generator, Dtype dtype, MemoryLayout layout,
                             Device device, Pin pin, Format format) {
  return random_like(self, tensor_options(dtype, layout, device, pin), format, rng::Normal{}, generator);
}
DTensor randint_like(const DTensor& self, std::int64_t high, Dtype dtype, MemoryLayout layout, Device device,
                     Pin pin, Format format) {
  return randint_like_low_generator_dtype(self, 0, high, std::nullopt, dtype, layout, device, pin, format);
}
DTensor randint_like_generator(const DTensor& self, std::int64_t high, MaybeGenerator generator, Dtype dtype,
                               MemoryLayout layout, Device device, Pin pin, Format format) {
  return randint_like_low_generator_dtype(self, 0, high, generator, dtype, layout, device, pin, format);
}
DTensor randint_like_Tensor(const DTensor& self, const DTensor& high, Dtype dtype, MemoryLayout layout,
                            Device device, Pin pin, Format format) {
  return special::randint_like(self, high.item().toLong(), dtype, layout, device, pin, format);
}
DTensor randint_like_Tensor_generator(const DTensor& self, const DTensor& high, MaybeGenerator generator,
                                      Dtype dtype, MemoryLayout layout, Device device, Pin pin,
                                      Format format) {
  return special::randint_like_generator(self, high.item().toLong(), generator, dtype, layout, device, pin,
                                         format);
}
DTensor randint_like_low_dtype(const DTensor& self, std::int64_t low, std::int64_t high, Dtype dtype,
                               MemoryLayout layout, Device device, Pin pin, Format format) {
  return randint_like_low_generator_dtype(self, low, high, std::nullopt, dtype, layout, device, pin, format);
}
DTensor randint_like_low_generator_dtype(const DTensor& self, std::int64_t low, std::int64_t high,
                                         MaybeGenerator generator, Dtype dtype, MemoryLayout layout,
                                         Device device, Pin pin, Format format) {
  return random_like(self, tensor_options(dtype, layout, device, pin), format, rng::RandomRange{low, high},
                     generator);
}

// normal(mean, std): standard normals in row-major order, scaled and shifted afterwards.
DTensor normal_Tensor_float(const DTensor& mean, double std, MaybeGenerator generator) {
  return random_tensor(row_major_shape(mean.sizes()), fresh_placements(mean), mean.options(), rng::Normal{},
                       generator)
      .mul_(std)
      .add_(mean);
}
DTensor normal_float_Tensor(double mean, const DTensor& std, MaybeGenerator generator) {
  return random_tensor(row_major_shape(std.sizes()), fresh_placements(std), std.options(), rng::Normal{},
                       generator)
      .mul_(std)
      .add_(at::Scalar(mean));
}
DTensor normal_Tensor_Tensor(const DTensor& mean, const DTensor& std, MaybeGenerator generator) {
  const std::vector<std::int64_t> sizes = at::infer_size(mean.sizes(), std.sizes());
  const DTensor& model = mean.sizes() == at::IntArrayRef(sizes) ? mean : std;
  const bool fits = model.sizes() == at::IntArrayRef(sizes);
  return random_tensor(row_major_shape(sizes),
                       fits ? fresh_placements(model) : std::vector<Placement>(mean.placements().size()),
                       mean.options(), rng::Normal{}, generator)
      .mul_(std)
      .add_(mean);
}

}  // namespace vescale::special
