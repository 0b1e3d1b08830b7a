#pragma once
/// Where a backward pass starts.
#include <vescale/dtensor.h>

namespace vescale {

struct Seed {
  DTensor root;
  at::Tensor gradient;  ///< local, of gradient_layout(root); undefined for 1
};

/// A single value starts from 1 on every rank. On an axis where it is a Partial sum, that is the gradient of
/// each rank's part: nothing is reduced. On other axes, and where a gradient is given but not piece by piece,
/// it is made R first.
Seed seed_of(const DTensor& value, const DTensor& gradient);

}  // namespace vescale
