#pragma once
/// Communication as calls: each changes the placement of a tensor on mesh axes and says so by its name.
///
/// | call                        | from -> to      | forward        | backward       |
/// |-----------------------------|-----------------|----------------|----------------|
/// | all_reduce(x, a)            | P -> R          | all_reduce     | none           |
/// | all_gather(x, a)            | S(d) -> R       | all_gather     | slice          |
/// | all_gather(x, a, Partial)   | S(d) -> R+      | all_gather     | reduce_scatter |
/// | reduce_scatter(x, a, d)     | P -> S(d)       | reduce_scatter | all_gather     |
/// | all_to_all(x, a, d)         | S(e) -> S(d)    | all_to_all     | all_to_all     |
/// | shard(x, a, d)              | R -> S(d)       | slice          | all_gather     |
/// | replicate(x, a)             | R -> R+         | none           | all_reduce     |
/// | partial(x, a)               | R -> P          | keep on rank 0 | none           |
///
/// A value that already has the target placement is returned as it is. Each throws vescale::Error naming the
/// axis and the placement found where the conversion does not apply. Collective over the axis.
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include <vescale/dtensor.h>

namespace vescale {

/// What the gradient of a gathered value is: the same on each rank, or the rank's own contribution to a sum.
enum class Gradient : std::uint8_t { Same, Partial };

DTensor all_reduce(const DTensor& x, std::string_view axis);
DTensor all_gather(const DTensor& x, std::string_view axis, Gradient gradient = Gradient::Same);
DTensor reduce_scatter(const DTensor& x, std::string_view axis, std::int64_t dim);
DTensor all_to_all(const DTensor& x, std::string_view axis, std::int64_t dim);
DTensor shard(const DTensor& x, std::string_view axis, std::int64_t dim);
DTensor replicate(const DTensor& x, std::string_view axis);
DTensor partial(const DTensor& x, std::string_view axis);

/// Any placement on any axes: redistribute(x, "dp=S(0), tp=R"); axes not named stay as they are.
DTensor redistribute(const DTensor& x, std::string_view placements);
/// One placement per mesh axis.
DTensor redistribute(const DTensor& x, const std::vector<Placement>& placements);

/// This rank's piece of a tensor with these placements and global sizes. The inverse of x.local(), gradient
/// included.
DTensor from_local(const at::Tensor& local, std::string_view placements, at::IntArrayRef sizes);

/// Adds up the gradients that ranks hold parts of (of parameters used by sharded computation), in flat
/// buckets, one all_reduce per set of axes and dtype. grad(), optimizers and clip_grad_norm_ call it; calling
/// it again is free.
void sync_gradients();

}  // namespace vescale
