#pragma once
/// Placing the parameters and buffers of a module.
#include <string>
#include <utility>
#include <vector>

#include <vescale/nn/module.h>

namespace vescale {

/// Lines of FQN glob -> placements, e.g. {"blocks.*.up.weight", "tp=S(0)"}. `*` matches within one component, `**` any
/// number of them; a later line wins over an earlier one for the axes it names.
using PlacementTable = std::vector<std::pair<std::string, std::string>>;

/// Places every parameter and buffer of `root`; what no line names is R. Values that are not drawn yet are drawn on
/// the local piece only. Throws vescale::Error for a line that matches nothing, an axis that the mesh does not have
/// and a dim that the tensor does not have. Every rank calls it.
void distribute_module(nn::Module& root, const PlacementTable& table);
template <class Contained>
void distribute_module(nn::ModuleHolder<Contained>& root, const PlacementTable& table) {
  distribute_module(static_cast<nn::Module&>(*root), table);
}

}  // namespace vescale
