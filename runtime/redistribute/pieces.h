#pragma once
/// Cutting and joining local tensors by the global ranges that they hold.
#include <ATen/ATen.h>

#include <vector>

#include <vescale/sharding/layout.h>

namespace vescale {

/// Per dim the ranges of global indices a piece holds, in the order of its elements.
using Piece = std::vector<std::vector<Range>>;

std::vector<std::int64_t> piece_sizes(const Piece& piece);

/// Per dim what both hold, in the order of `a`; both are ascending.
Piece intersect(const Piece& a, const Piece& b);

/// The part of `x`, which holds `whole`, that `part` holds. A view where each dim of `part` is one run of
/// `x`.
at::Tensor cut(const at::Tensor& x, const Piece& whole, const Piece& part);

/// Copies `x`, which holds `part`, to its place in `target`, which holds `whole`.
void paste(const at::Tensor& target, const Piece& whole, const at::Tensor& x, const Piece& part);

}  // namespace vescale
