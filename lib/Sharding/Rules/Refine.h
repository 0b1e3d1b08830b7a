#pragma once
/// Common factors of two shapes of one row-major element order, as in view.
#include "Sharding/Rules/Builder.h"

namespace vescale::sharding::rules {

struct Refined {
  Dims input;
  Dims output;
};

/// Factors of which the dims of both shapes are made, as fine as the two allow. What has no common factors
/// gets factors of its own on each side that can't be sharded. Unknown sizes are matched where their place
/// tells them.
Refined refine(Builder& builder, const Sizes& input, const Sizes& output);

}  // namespace vescale::sharding::rules
