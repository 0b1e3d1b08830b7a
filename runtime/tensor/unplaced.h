#pragma once
/// Parameters and buffers under construction: what would fill them is recorded, and drawn on the local piece
/// when distribute_module says where they belong, so that no rank ever holds a full sharded parameter.
#include <ATen/ATen.h>

#include <functional>
#include <vector>

#include <vescale/dtensor.h>

#include "tensor/layout_table.h"

namespace vescale {

/// Fills this rank's dense piece `local` of a tensor of `layout` with the values that the whole tensor gets.
using PieceFiller = std::function<void(const at::Tensor& local, const RankLayout& layout)>;

/// Modules are constructed between the two, which nest; factories then make unplaced tensors.
void begin_construction();
void end_construction();
bool under_construction();

/// A tensor of these global sizes without storage, whose elements `fill` will make.
DTensor make_unplaced(at::IntArrayRef sizes, const at::TensorOptions& options, PieceFiller fill);

bool is_unplaced(const DTensor& x);

/// `x` is unplaced and all its elements are overwritten by `fill` instead of what was recorded before.
void record_fill(const DTensor& x, PieceFiller fill);

/// Draws this rank's piece of an unplaced tensor under `placements`; every handle of it sees them from then
/// on.
void place_unplaced(const DTensor& x, const std::vector<Placement>& placements);

/// A handle of the tensor of `x` whose copies all follow a later place(): what modules keep. An unplaced
/// tensor's handles do already.
DTensor make_placeable(const DTensor& x);

/// Gives an unplaced or placeable tensor its placements: drawn on the piece, or cut from the values that it
/// has. Throws Error for any other tensor, whose handles could not follow.
void place(const DTensor& x, const std::vector<Placement>& placements);

}  // namespace vescale
