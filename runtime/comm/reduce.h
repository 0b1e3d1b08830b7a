#pragma once
/// Element-wise reduction of several arrays in a fixed order, so that the result is the same wherever it is
/// computed.
#include <cstdint>
#include <vector>

#include <c10/core/ScalarType.h>

#include <vescale/sharding/placement.h>

namespace vescale::comm {

/// "sum", "avg", "max", "min", "prod".
const char* reduce_name(ReduceOp op);

/// Whether `op` is defined for `dtype`: see Group::all_reduce.
bool can_reduce(c10::ScalarType dtype, ReduceOp op);

/// Combines elements [0, count) of `inputs` as ((input 0 op input 1) op input 2) ..., and writes the result
/// to each of `outputs`. An output may be one of the inputs, but must not overlap one otherwise.
void reduce(c10::ScalarType dtype, ReduceOp op, const std::vector<const void*>& inputs, std::int64_t count,
            const std::vector<void*>& outputs);

}  // namespace vescale::comm
