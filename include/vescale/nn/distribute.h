#pragma once
/// Placing the parameters and buffers of a module.
#include <string>
#include <utility>
#include <vector>

#include <vescale/nn/module.h>

namespace vescale {

/// Lines of FQN glob -> placements, e.g. {"blocks.*.up.weight", "tp=S(0)"}. `*` matches within one component,
/// `**` any number of them; a later line wins over an earlier one for the axes it names.
using PlacementTable = std::vector<std::pair<std::string, std::string>>;

/// Places every parameter and buffer of `root`; what no line names is R. Values that are not drawn yet are
/// drawn on the local piece only. A tied tensor is placed once: as the lines for one of its names say. Every
/// rank calls it. Throws vescale::Error, before anything is placed, for a line that matches nothing, an axis
/// that the mesh does not have, a placement that does not fit the tensor, and a tied tensor whose names are
/// placed differently.
void distribute_module(nn::Module& root, const PlacementTable& table);
template <class Contained>
void distribute_module(const nn::ModuleHolder<Contained>& root, const PlacementTable& table) {
  distribute_module(static_cast<nn::Module&>(*root.ptr()), table);
}

}  // namespace vescale
