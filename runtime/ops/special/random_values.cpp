#include "ops/special/random_values.h"

#include <vescale/error.h>
#include <vescale/mesh.h>
#include <vescale/redistribute.h>

#include "random/fill.h"
#include "tensor/access.h"
#include "tensor/unplaced.h"

namespace vescale::special {
namespace {

/// A generator in the state that `generator` has now, for values that are drawn later.
at::Generator snapshot(const std::optional<at::Generator>& generator) {
  at::Generator source = generator_for(generator);
  const std::lock_guard<std::mutex> lock(source.mutex());
  return source.clone();
}

PieceFiller recorded_draw(at::ScalarType dtype, const Layout& layout, const rng::Distribution& distribution,
                          const std::optional<at::Generator>& generator) {
  const at::Generator start = snapshot(generator);
  rng::advance(dtype, distribution, global_shape(layout), generator);
  return [distribution, start](const at::Tensor& local, const RankLayout& placed) {
    rng::fill(local, distribution, global_shape(placed), placed.ranges, start);
  };
}

/// Tensors that are summed over an axis: the first rank has the values, the others zero.
void keep_on_first_ranks(const at::Tensor& local, const Layout& layout) {
  const Mesh& mesh = RankContext::current().mesh();
  for (std::size_t axis = 0; axis < layout.placements.size(); ++axis) {
    if (layout.placements[axis].is_partial() && mesh.coordinate(static_cast<std::int64_t>(axis)) != 0)
      local.zero_();
  }
}

}  // namespace

rng::GlobalShape global_shape(const Layout& layout) { return {layout.sizes, layout.strides}; }

rng::GlobalShape row_major_shape(at::IntArrayRef sizes) {
  return {sizes.vec(), contiguous_strides(sizes.vec())};
}

std::vector<Placement> fresh_placements(const DTensor& x) {
  std::vector<Placement> placements = x.placements();
  for (Placement& p : placements) {
    if (p.is_partial()) p = Placement::invariant();
  }
  return placements;
}

DTensor without_partial(const DTensor& x) { return redistribute(x, fresh_placements(x)); }

rng::GlobalShape shape_like(const DTensor& x, std::optional<at::MemoryFormat> format) {
  const bool keeps = !format || *format == at::MemoryFormat::Preserve;
  if (keeps && is_row_major(x.sizes(), x.strides())) return {x.sizes().vec(), x.strides().vec()};
  const at::Tensor like = at::empty_like(
      at::empty_strided(x.sizes(), x.strides(), at::TensorOptions(at::kMeta)), at::TensorOptions(), format);
  return {like.sizes().vec(), like.strides().vec()};
}

DTensor random_tensor(const rng::GlobalShape& shape, const std::vector<Placement>& placements,
                      const at::TensorOptions& options, const rng::Distribution& distribution,
                      const std::optional<at::Generator>& generator) {
  const Layout* layout = LayoutTable::current().intern(placements, shape.sizes, shape.strides);
  const RankLayout& mine = rank_layout(layout);
  at::Tensor local =
      at::empty_strided(mine.local_sizes, dense_strides_like(mine.local_sizes, shape.strides), options);
  rng::fill(local, distribution, shape, mine.ranges, generator);
  return {std::move(local), layout};
}

DTensor& fill_random(DTensor& self, const rng::Distribution& distribution,
                     const std::optional<at::Generator>& generator) {
  if (is_unplaced(self)) {
    record_fill(self,
                recorded_draw(self.scalar_type(), *DTensorAccess::raw_layout(self), distribution, generator));
    return self;
  }
  if (self.requires_grad() && at::GradMode::is_enabled()) {
    TORCH_CHECK(!self.is_leaf(),
                "a leaf Variable that requires grad is being used in an in-place operation.");
    self.local().zero_();  // the values no longer depend on what they were
  }
  const at::Tensor local = self.local().detach();
  rng::fill(local, distribution, global_shape(*self.layout()), rank_layout(self.layout()).ranges, generator);
  keep_on_first_ranks(local, *self.layout());
  return self;
}

DTensor random_factory(at::IntArrayRef size, const at::TensorOptions& options,
                       const rng::Distribution& distribution, const std::optional<at::Generator>& generator) {
  const Layout* layout = LayoutTable::current().invariant(size, contiguous_strides(size.vec()));
  if (under_construction()) {
    const at::ScalarType dtype = c10::typeMetaToScalarType(options.dtype());
    return make_unplaced(size, options, recorded_draw(dtype, *layout, distribution, generator));
  }
  DTensor result = random_tensor(global_shape(*layout), layout->placements, options.requires_grad(false),
                                 distribution, generator);
  if (options.requires_grad()) result.set_requires_grad(true);
  return result;
}

at::TensorOptions tensor_options(std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                                 std::optional<at::Device> device, std::optional<bool> pin_memory) {
  return at::TensorOptions().dtype(dtype).layout(layout).device(device).pinned_memory(pin_memory);
}

}  // namespace vescale::special
