#pragma once
/// The data movement of a conversion along one mesh axis; autograd does not see it.
#include <ATen/ATen.h>

#include <vescale/sharding/layout.h>

namespace vescale {

/// `x` is this rank's piece of a tensor of layout `from`; the result is its piece under `to`, which differs
/// in the placement of `axis` alone. No axis after `axis` may shard the dims that move. Collective where data
/// moves. Returns `x` itself, not a copy, where nothing does.
at::Tensor move_along_axis(const at::Tensor& x, const Layout* from, const Layout* to, std::int64_t axis);

}  // namespace vescale
