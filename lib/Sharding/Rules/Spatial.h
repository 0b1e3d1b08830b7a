#pragma once
/// Sizes of the windows that convolution and pooling slide over spatial dims.
#include "Sharding/Rules/Builder.h"

namespace vescale::sharding::rules {

/// Per spatial dim; lists of one element hold for all dims.
struct Window {
  Sizes kernel;
  Sizes stride;
  Sizes padding;
  Sizes dilation;
  bool ceil_mode = false;
};

/// One entry per dim from a list that has one for all, or is empty.
Sizes per_dim(const std::optional<Sizes>& given, std::size_t dims, std::int64_t otherwise);

/// The size of dim `d` after the window slid over `size`.
std::int64_t windows_in(const Window& window, std::size_t d, std::int64_t size);

}  // namespace vescale::sharding::rules
