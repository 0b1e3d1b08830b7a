#pragma once
/// The texts of VESCALE_PLACE: "dp=S(0), tp=R" for a value, "weight: tp=S(0); bias: tp=S(0)" for parameters.
#include <string>
#include <string_view>
#include <vector>

#include "Plan/Placements.h"

namespace vescale::plan {

/// The parameters whose FQN below the annotated module matches `pattern`.
struct ParameterPlacement {
  std::string pattern;
  std::string placements;  ///< canonical text: "tp=S(0)"
};

struct PlaceAnnotation {
  std::string value;  ///< canonical placements of a value; empty if it speaks of parameters
  std::vector<ParameterPlacement> parameters;
  std::vector<std::string> dims;  ///< names of the value's dims, "b s d"; empty if they are not given
};

/// Checks every axis against `axes`. Throws vescale::Error that quotes the text and lists what is allowed.
PlaceAnnotation parse_place(std::string_view text, const std::vector<std::string>& axes);

/// "dp, tp" of VESCALE_MESH. Throws vescale::Error for an empty list, a bad name or one given twice.
std::vector<std::string> parse_axes(std::string_view text);

/// `text` with every axis checked against `axes`, in the form "dp=S(0), tp=R".
std::string canonical_placements(std::string_view text, const std::vector<std::string>& axes);

}  // namespace vescale::plan
