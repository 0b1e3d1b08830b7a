#pragma once
/// Placements in text: "dp=S(0), tp=R", as annotations, plans and vs::redistribute write them.
#include <string>
#include <string_view>
#include <vector>

#include <vescale/sharding/mesh_shape.h>
#include <vescale/sharding/placement.h>

namespace vescale::plan {

/// One "axis=placement" of a list.
struct AxisPlacement {
  std::string axis;
  Placement placement;
  std::size_t offset = 0;  ///< of the axis name in the text
};

/// Splits and parses the list; an empty text is an empty list. Throws vescale::Error that quotes the text,
/// says what was expected where, and refuses an axis given twice.
std::vector<AxisPlacement> parse_placements(std::string_view text);

/// Sets in `placements`, which has one entry per axis of `mesh`, what the text names. Throws vescale::Error
/// that lists the axes for one that the mesh does not have.
void apply_placements(std::string_view text, const MeshShape& mesh, std::vector<Placement>& placements);

}  // namespace vescale::plan
