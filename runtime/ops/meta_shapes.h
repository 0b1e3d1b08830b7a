#pragma once
/// Global sizes and memory order of a call's results.
#include <vector>

#include "ops/call_plan.h"

namespace vescale::detail {

struct GlobalShape {
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
};

/// Per result. Whole results tell their own; for pieces the op runs once on meta tensors of the global
/// shapes, and where LibTorch has no meta kernel the rule gives the sizes and the local result the order of
/// its dims.
std::vector<GlobalShape> output_shapes(const CallPlan& plan, const BoxedCall& call,
                                       const std::vector<at::Tensor>& results);

}  // namespace vescale::detail
