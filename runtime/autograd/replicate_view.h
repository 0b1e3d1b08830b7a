#pragma once
/// R -> R+: the view of a value that sharded computation uses, made once per value.
#include <vescale/dtensor.h>

namespace vescale {

/// `x` with R turned into R+ where `target` says so. Forward nothing moves. The view is kept with the value,
/// so its gradient is summed over the ranks once however many ops use it. For a leaf (a parameter) the sum is
/// deferred to sync_gradients(), which does all leaves in flat buckets.
DTensor replicate_view(const DTensor& x, const Layout* target);

/// Whether a leaf has parts of its gradient waiting for sync_gradients().
bool has_deferred_gradient(const at::Tensor& leaf);
/// Drops what waits.
void clear_deferred_gradient(const at::Tensor& leaf);

/// The views that were made of `leaf`, by target layout, for autograd::grad.
std::vector<DTensor> deferred_views(const DTensor& leaf);

}  // namespace vescale
