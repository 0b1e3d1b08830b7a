#include "Rewrite/Distribute.h"

#include "Rewrite/PlacedValues.h"

namespace vescale::rewrite {

void emit_distribute_module(const RootModule& root, const std::vector<comm::ParameterPlacement>& table,
                            const frontend::Locations& locations, EditSet& edits) {
  const auto end = locations.token(root.end);
  if (table.empty() || !end) return;
  const std::string line = "\n" + indentation(locations.file_text(root.end), end->begin);
  std::string text =
      line + "vs::distribute_module(" + (root.pointer ? "*" : "") + root.variable->getNameAsString() + ", {";
  const std::string aligned = "\n" + std::string(text.size() - 1, ' ');
  for (std::size_t i = 0; i < table.size(); ++i) {
    text += (i == 0 ? "" : "," + aligned) + "{" + quoted(table[i].pattern) + ", " +
            quoted(table[i].placements) + "}";
  }
  edits.add(end->path, {end->end, 0, text + "});"});
}

}  // namespace vescale::rewrite
