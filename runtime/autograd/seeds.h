#pragma once
/// Where a backward pass starts.
#include <vescale/dtensor.h>

namespace vescale {

struct Seed {
  DTensor root;
  at::Tensor gradient;  ///< local, of gradient_layout(root); undefined for 1
};

/// A single value, and a value whose gradient is not given piece by piece, starts from R on every axis, as on
/// one device: a Partial is reduced first.
Seed seed_of(const DTensor& value, const DTensor& gradient);

}  // namespace vescale
