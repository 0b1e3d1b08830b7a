#pragma once
/// What the hand-written random ops share: DTensors whose pieces get the single device's values.
#include <vescale/dtensor.h>
#include <vescale/random/generator.h>

#include "random/distribution.h"
#include "random/piece.h"
#include "tensor/layout_table.h"

namespace vescale::special {

rng::GlobalShape global_shape(const Layout& layout);
rng::GlobalShape row_major_shape(at::IntArrayRef sizes);

/// Placements of a result that is made anew like `x`: those of `x`, R where `x` is Partial.
std::vector<Placement> fresh_placements(const DTensor& x);

/// `x` with every Partial reduced.
DTensor without_partial(const DTensor& x);

/// A tensor with these strides, placements and values drawn from `distribution`.
DTensor random_tensor(const rng::GlobalShape& shape, const std::vector<Placement>& placements,
                      const at::TensorOptions& options, const rng::Distribution& distribution,
                      const std::optional<at::Generator>& generator);

/// The shape that LibTorch's empty_like(x) has: strides kept where they are dense.
rng::GlobalShape shape_like(const DTensor& x, std::optional<at::MemoryFormat> format = std::nullopt);

/// Overwrites `self` in place; what every xxx_() random op does. Recorded where `self` is not placed yet.
DTensor& fill_random(DTensor& self, const rng::Distribution& distribution,
                     const std::optional<at::Generator>& generator);

/// A factory's result: R on every axis, or unplaced while a module is constructed.
DTensor random_factory(at::IntArrayRef size, const at::TensorOptions& options,
                       const rng::Distribution& distribution, const std::optional<at::Generator>& generator);

at::TensorOptions tensor_options(std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                                 std::optional<at::Device> device, std::optional<bool> pin_memory);

}  // namespace vescale::special
