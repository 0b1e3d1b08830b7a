#include "tensor/unplaced.h"

#include <memory>
#include <unordered_map>

#include <vescale/error.h>
#include <vescale/redistribute.h>

#include "tensor/access.h"

namespace vescale {
namespace {

/// Handles of an unplaced tensor point to `layout`; it stays when the tensor is placed, to redirect them.
struct Unplaced {
  RankLayout layout;
  at::TensorOptions options;
  PieceFiller fill;
};

struct UnplacedTensors {
  int depth = 0;
  std::vector<std::unique_ptr<Unplaced>> all;
  std::unordered_map<const Layout*, Unplaced*> by_layout;
};

UnplacedTensors& rank_unplaced() { return RankContext::current().slot<UnplacedTensors>(); }

}  // namespace

bool under_construction() { return rank_unplaced().depth > 0; }
void begin_construction() { ++rank_unplaced().depth; }
void end_construction() { --rank_unplaced().depth; }

DTensor make_unplaced(at::IntArrayRef sizes, const at::TensorOptions& options, PieceFiller fill) {
  UnplacedTensors& unplaced = rank_unplaced();
  unplaced.all.push_back(std::make_unique<Unplaced>());
  Unplaced& entry = *unplaced.all.back();
  const std::vector<std::int64_t> strides = contiguous_strides(sizes.vec());
  static_cast<Layout&>(entry.layout) = *LayoutTable::current().invariant(sizes, strides);
  entry.layout.placed_as = &entry.layout;
  entry.options = options.requires_grad(false);
  entry.fill = std::move(fill);
  unplaced.by_layout.emplace(&entry.layout, &entry);
  at::Tensor local = at::empty({0}, entry.options);
  if (options.requires_grad()) local.set_requires_grad(true);
  return {std::move(local), &entry.layout};
}

bool is_unplaced(const DTensor& x) {
  const Layout* layout = DTensorAccess::raw_layout(x);
  return layout != nullptr && layout->placed_as == layout;
}

void record_fill(const DTensor& x, PieceFiller fill) {
  rank_unplaced().by_layout.at(DTensorAccess::raw_layout(x))->fill = std::move(fill);
}

void place_unplaced(const DTensor& x, const std::vector<Placement>& placements) {
  UnplacedTensors& unplaced = rank_unplaced();
  const auto found = unplaced.by_layout.find(DTensorAccess::raw_layout(x));
  if (found == unplaced.by_layout.end()) throw Error("internal: a tensor is placed twice");
  Unplaced& entry = *found->second;
  const Layout* layout = LayoutTable::current().with_placements(&entry.layout, placements);
  const at::NoGradGuard no_grad;
  const at::Tensor piece = at::empty(rank_layout(layout).local_sizes, entry.options);
  if (entry.fill) entry.fill(piece, rank_layout(layout));
  const_cast<at::Tensor&>(DTensorAccess::raw_local(x)).set_data(piece);
  entry.layout.placed_as = layout;
  entry.fill = nullptr;
  unplaced.by_layout.erase(found);
}

DTensor make_placeable(const DTensor& x) {
  if (DTensorAccess::raw_layout(x)->placed_as != nullptr) return x;
  UnplacedTensors& unplaced = rank_unplaced();
  unplaced.all.push_back(std::make_unique<Unplaced>());
  RankLayout& layout = unplaced.all.back()->layout;
  static_cast<Layout&>(layout) = *x.layout();
  layout.placed_as = x.layout();
  return {x.local(), &layout};
}

void place(const DTensor& x, const std::vector<Placement>& placements) {
  if (is_unplaced(x)) return place_unplaced(x, placements);
  const Layout* handle = DTensorAccess::raw_layout(x);
  if (handle->placed_as == nullptr) {
    if (handle->placements == placements) return;
    throw Error("a tensor that is no parameter or buffer of a module cannot be placed; use vs::redistribute");
  }
  const at::NoGradGuard no_grad;
  const DTensor piece = redistribute(x.detach(), placements);
  const_cast<at::Tensor&>(DTensorAccess::raw_local(x)).set_data(piece.local());
  for (const std::unique_ptr<Unplaced>& entry : rank_unplaced().all) {
    if (&entry->layout == handle) entry->layout.placed_as = piece.layout();
  }
}

}  // namespace vescale
