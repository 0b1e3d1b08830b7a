#include "Plan/Placements.h"

#include <algorithm>

#include <vescale/error.h>

namespace vescale::plan {
namespace {

[[noreturn]] void fail(std::string_view text, std::size_t offset, const std::string& problem) {
  throw Error("placements \"" + std::string(text) + "\": " + problem + " at column " +
              std::to_string(offset + 1) + " (expected e.g. dp=S(0), tp=R)");
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

/// The end of the item that begins at `begin`: the next comma or space outside parentheses.
std::size_t item_end(std::string_view text, std::size_t begin) {
  int depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (depth == 0 && text[i] == ',') return i;
    const bool next_item = depth == 0 && text[i] == ' ' && text.find('=', i) < text.find(',', i) &&
                           !trimmed(text.substr(begin, i - begin)).empty() &&
                           text.substr(begin, i - begin).find('=') != std::string_view::npos &&
                           trimmed(text.substr(begin, i - begin)).back() != '=';
    if (next_item) return i;
  }
  return text.size();
}

AxisPlacement parse_item(std::string_view text, std::size_t begin, std::size_t end) {
  const std::string_view item = text.substr(begin, end - begin);
  const std::size_t lead = item.find_first_not_of(" \t\n");
  if (lead == std::string_view::npos) fail(text, begin, "an axis is missing");
  const std::size_t equals = item.find('=');
  if (equals == std::string_view::npos)
    fail(text, begin + lead, "'" + std::string(trimmed(item)) + "' has no '='");
  AxisPlacement result{std::string(trimmed(item.substr(0, equals))), {}, begin + lead};
  if (result.axis.empty()) fail(text, begin + lead, "the axis before '=' is missing");
  try {
    result.placement = Placement::parse(trimmed(item.substr(equals + 1)));
  } catch (const Error& error) {
    fail(text, begin + equals + 1, error.what());
  }
  return result;
}

}  // namespace

std::vector<AxisPlacement> parse_placements(std::string_view text) {
  std::vector<AxisPlacement> list;
  if (trimmed(text).empty()) return list;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = item_end(text, begin);
    AxisPlacement item = parse_item(text, begin, end);
    const bool twice =
        std::any_of(list.begin(), list.end(), [&](auto& other) { return other.axis == item.axis; });
    if (twice) fail(text, item.offset, "axis '" + item.axis + "' is given twice");
    list.push_back(std::move(item));
    begin = end + 1;
  }
  return list;
}

void apply_placements(std::string_view text, const MeshShape& mesh, std::vector<Placement>& placements) {
  for (const AxisPlacement& item : parse_placements(text)) {
    const std::optional<std::int64_t> axis = mesh.find_axis(item.axis);
    if (!axis) fail(text, item.offset, "the mesh has no axis '" + item.axis + "'; " + mesh.describe_axes());
    placements[static_cast<std::size_t>(*axis)] = item.placement;
  }
}

}  // namespace vescale::plan
