#pragma once
/// A conversion along one mesh axis that autograd sees.
#include <ATen/ATen.h>

#include <vescale/sharding/layout.h>

namespace vescale {

/// As move_along_axis; the gradient takes the way back by the same table: from gradient(to) to
/// gradient(from).
at::Tensor convert_along_axis(const at::Tensor& x, const Layout* from, const Layout* to, std::int64_t axis);

}  // namespace vescale
