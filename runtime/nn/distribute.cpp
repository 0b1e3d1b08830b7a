#include <vescale/nn/distribute.h>

#include <set>

#include <vescale/mesh.h>
#include <vescale/rank_context.h>

#include "Plan/Placements.h"
#include "Plan/Plan.h"
#include "tensor/access.h"
#include "tensor/unplaced.h"

namespace vescale {
namespace {

std::vector<Placement> placements_of(const std::string& fqn, const DTensor& tensor, const PlacementTable& table,
                                     std::vector<bool>& used) {
  const MeshShape& mesh = RankContext::current().mesh().shape();
  std::vector<Placement> placements(static_cast<std::size_t>(mesh.num_axes()));
  for (std::size_t line = 0; line < table.size(); ++line) {
    if (!plan::matches_fqn(table[line].first, fqn)) continue;
    used[line] = true;
    plan::apply_placements(table[line].second, mesh, placements);
  }
  for (const Placement& p : placements) {
    if (p.is_sharded() && p.dim >= tensor.dim()) {
      throw Error("distribute_module: " + fqn + " has sizes " + c10::str(tensor.sizes()) + ", so it has no dim for " +
                  p.to_string());
    }
    if (p.is_partial()) throw Error("distribute_module: " + fqn + " cannot be Partial: parameters are S or R");
  }
  return placements;
}

std::string known_names(const nn::Module& root) {
  std::string names;
  for (const auto& item : root.named_parameters()) names += "\n  " + item.key();
  return names;
}

}  // namespace

void distribute_module(nn::Module& root, const PlacementTable& table) {
  std::vector<bool> used(table.size(), false);
  std::set<const at::TensorImpl*> placed;  // a tied tensor is placed once, under its first name
  auto distribute = [&](const torch::OrderedDict<std::string, DTensor>& tensors) {
    for (const auto& item : tensors) {
      const std::vector<Placement> placements = placements_of(item.key(), item.value(), table, used);
      if (!placed.insert(DTensorAccess::raw_local(item.value()).unsafeGetTensorImpl()).second) continue;
      place(item.value(), placements);
    }
  };
  distribute(root.named_parameters());
  distribute(root.named_buffers());
  for (std::size_t line = 0; line < table.size(); ++line) {
    if (used[line]) continue;
    throw Error("distribute_module: no parameter or buffer matches \"" + table[line].first + "\"; there are" +
                known_names(root));
  }
}

}  // namespace vescale
