#pragma once
/// From what a program needs to the communication that is written into it.
#include <vescale/sharding/mesh_shape.h>
#include "Comm/Decision.h"
#include "Plan/Plan.h"

namespace vescale::comm {

struct Options {
  MeshShape mesh;  ///< sizes for costs and bytes; may be empty: then two ranks an axis are assumed and no
                   ///< bytes told
  bool strict = false;  ///< conversions that nobody asked for are errors
};

/// `plan.axes` are the axes of the mesh, those of VESCALE_MESH if the plan names none. What it can't be sure
/// of it leaves to run time and says so in a remark: libvescale converts whatever the source does not.
Decisions decide(const facts::Program& program, const plan::Plan& plan, const Options& options);

}  // namespace vescale::comm
