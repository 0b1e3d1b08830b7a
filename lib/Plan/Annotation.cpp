#include "Plan/Annotation.h"

#include <algorithm>

#include <vescale/error.h>

namespace vescale::plan {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

ParameterPlacement parse_parameter(std::string_view item, std::string_view text,
                                   const std::vector<std::string>& axes) {
  const std::size_t colon = item.find(':');
  ParameterPlacement result{std::string(trimmed(item.substr(0, colon))),
                            canonical_placements(item.substr(colon + 1), axes)};
  if (result.pattern.empty() || result.placements.empty()) {
    throw Error("placements \"" + std::string(text) + "\": expected NAME: AXIS=PLACEMENT, got '" +
                std::string(trimmed(item)) + "'");
  }
  return result;
}

}  // namespace

std::string canonical_placements(std::string_view text, const std::vector<std::string>& axes) {
  std::string canonical;
  for (const AxisPlacement& item : parse_placements(text)) {
    if (std::find(axes.begin(), axes.end(), item.axis) == axes.end()) {
      throw Error("placements \"" + std::string(text) + "\": the mesh has no axis '" + item.axis + "'; " +
                  (axes.empty() ? "declare axes with VESCALE_MESH(dp, tp) or the plan's \"mesh\""
                                : "its axes are " + joined(axes)));
    }
    canonical += (canonical.empty() ? "" : ", ") + item.axis + "=" + item.placement.to_string();
  }
  return canonical;
}

PlaceAnnotation parse_place(std::string_view text, const std::vector<std::string>& axes) {
  PlaceAnnotation result;
  if (trimmed(text).empty()) throw Error("a placement is empty; write e.g. dp=S(0), or weight: tp=S(0)");
  for (std::string_view item : split(text, ';')) {
    if (trimmed(item).empty()) continue;
    if (item.find(':') != std::string_view::npos) {
      result.parameters.push_back(parse_parameter(item, text, axes));
    } else if (item.find('=') != std::string_view::npos) {
      if (!result.value.empty())
        throw Error("placements \"" + std::string(text) + "\": two lists for one value");
      result.value = canonical_placements(item, axes);
    } else {
      for (std::string_view name : split(trimmed(item), ' ')) {
        if (!name.empty()) result.dims.emplace_back(name);
      }
    }
  }
  if (!result.value.empty() && !result.parameters.empty()) {
    throw Error("placements \"" + std::string(text) +
                "\" mix a value's with parameters'; write two annotations");
  }
  if (result.value.empty() && result.parameters.empty()) {
    throw Error("placements \"" + std::string(text) + "\": expected e.g. dp=S(0), or weight: tp=S(0)");
  }
  for (const AxisPlacement& one : parse_placements(result.value)) {
    if (!result.dims.empty() && one.placement.is_sharded() &&
        one.placement.dim >= static_cast<std::int64_t>(result.dims.size())) {
      throw Error("placements \"" + std::string(text) + "\": " + one.placement.to_string() +
                  " is out of range; the value has the dims " + joined(result.dims));
    }
  }
  return result;
}

std::vector<std::string> parse_axes(std::string_view text) {
  std::vector<std::string> axes;
  for (std::string_view item : split(text, ',')) axes.emplace_back(trimmed(item));
  MeshShape shape{axes, std::vector<std::int64_t>(axes.size(), 1)};
  shape.validate();
  return axes;
}

}  // namespace vescale::plan
