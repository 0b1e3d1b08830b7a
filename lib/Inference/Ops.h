#pragma once
/// One call of an ATen op on abstract values: asks lib/Sharding, which has all that is known of ops.
#include <string>
#include <vector>

#include <vescale/sharding/mesh_shape.h>
#include "Inference/StandIns.h"
#include "Inference/Value.h"

namespace vescale::inference {

/// A tensor argument that must change its placement on an axis, or that keeps it (from == to).
struct Use {
  std::size_t argument = 0;
  int element = -1;  ///< of a list argument
  std::size_t axis = 0;
  Placement from;
  Placement to;
  std::string reason;
};

struct OpResult {
  Value value;
  std::vector<Use> uses;
  bool has_rule = true;     ///< the table has the op
  bool impossible = false;  ///< self of an in-place op would have to move
};

/// `key` names the place, for sizes that only run time tells. `type` is that of the result.
OpResult evaluate_op(const MeshShape& mesh, const std::string& name, const std::vector<Value>& arguments,
                     const facts::Type& type, StandIns& stand_ins, const std::string& key);

/// Whether the op writes to its first argument.
bool is_in_place(const std::string& name);

}  // namespace vescale::inference
