#include <vescale/nn/distribute.h>

#include <unordered_map>

#include <vescale/mesh.h>
#include <vescale/rank_context.h>

#include "Plan/Placements.h"
#include "Plan/Plan.h"
#include "tensor/unplaced.h"

namespace vescale {
namespace {

using Placements = std::vector<Placement>;

/// Parameters are whole or split: along dims that they have, into as many sections as their elements allow.
void check_fits(const std::string& fqn, const DTensor& tensor, const Placements& placements) {
  for (const Placement& p : placements) {
    const std::string what =
        "distribute_module: " + fqn + " of sizes " + c10::str(tensor.sizes()) + " cannot be " + p.to_string();
    if (p.is_partial()) throw Error(what + "; parameters and buffers are R, S(d) or S(d,k)");
    if (!p.is_sharded()) continue;
    if (p.dim >= tensor.dim()) throw Error(what + "; name one of its dims");
    if (tensor.size(p.dim) % p.sections != 0) {
      throw Error(what + ": dim " + std::to_string(p.dim) + " has no " + std::to_string(p.sections) +
                  " equal sections");
    }
  }
}

/// Collects what the table says of each tensor, to place all of them once all of it is known to be right.
class Distribution {
 public:
  explicit Distribution(const PlacementTable& table) : table_(table), used_(table.size(), false) {}

  void add(const std::string& fqn, const DTensor& tensor) {
    names_ += "\n  " + fqn;
    bool named = false;
    const Placements wanted = placements_of(fqn, named);
    check_fits(fqn, tensor, wanted);
    const auto [found, is_new] = index_.try_emplace(tensor.unsafeGetTensorImpl(), tensors_.size());
    if (is_new) {
      tensors_.push_back({fqn, tensor, wanted, named});
      return;
    }
    Target& tied = tensors_[found->second];
    if (tied.named && named && tied.placements != wanted) {
      throw Error(
          "distribute_module: " + tied.fqn + " and " + fqn +
          " are one tensor, but are placed differently; name one of them, or both with the same placements");
    }
    if (named) tied = {fqn, tensor, wanted, named};
  }

  void place_all() const {
    for (std::size_t line = 0; line < table_.size(); ++line) {
      if (used_[line]) continue;
      throw Error("distribute_module: no parameter or buffer matches \"" + table_[line].first +
                  "\"; there are" + names_);
    }
    for (const Target& target : tensors_) place(target.tensor, target.placements);
  }

 private:
  struct Target {
    std::string fqn;
    DTensor tensor;
    Placements placements;
    bool named;  ///< by a line of the table
  };

  Placements placements_of(const std::string& fqn, bool& named) {
    const MeshShape& shape = mesh().shape();
    Placements placements(static_cast<std::size_t>(shape.num_axes()));
    for (std::size_t line = 0; line < table_.size(); ++line) {
      if (!plan::matches_fqn(table_[line].first, fqn)) continue;
      used_[line] = named = true;
      plan::apply_placements(table_[line].second, shape, placements);
    }
    return placements;
  }

  const PlacementTable& table_;
  std::vector<bool> used_;
  std::string names_;
  std::vector<Target> tensors_;
  std::unordered_map<const void*, std::size_t> index_;  // of a tensor in tensors_
};

}  // namespace

void distribute_module(nn::Module& root, const PlacementTable& table) {
  Distribution distribution(table);
  for (const auto& parameter : root.named_parameters()) distribution.add(parameter.key(), parameter.value());
  for (const auto& buffer : root.named_buffers()) distribution.add(buffer.key(), buffer.value());
  distribution.place_all();
}

}  // namespace vescale
