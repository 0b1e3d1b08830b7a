#include "Rewrite/Distribute.h"

#include "Rewrite/PlacedValues.h"

namespace vescale::rewrite {

void emit_distribute_module(const RootModule& root, const std::vector<comm::ParameterPlacement>& table,
                            EditSet& edits) {
  if (table.empty()) return;
  std::string text =
      "\n" + root.indentation + "vs::distribute_module(" + (root.pointer ? "*" : "") + root.variable + ", {";
  const std::string aligned = "\n" + std::string(text.size() - 1, ' ');
  for (std::size_t i = 0; i < table.size(); ++i) {
    text += (i == 0 ? "" : "," + aligned) + "{" + quoted(table[i].pattern) + ", " +
            quoted(table[i].placements) + "}";
  }
  edits.add(root.name.path, {root.end, 0, text + "});"});
}

}  // namespace vescale::rewrite
