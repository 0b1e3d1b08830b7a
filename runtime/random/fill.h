#pragma once
/// Random values for a rank's piece of a tensor: those that the single device draws for these elements.

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <optional>

#include "random/distribution.h"
#include "random/piece.h"

namespace vescale::rng {

/// Overwrites `local`, the piece `piece` of a logical tensor of shape `global`, with the elements that
/// LibTorch's op on the whole tensor gives them, and leaves `generator` (default: the rank's) in the state
/// that it leaves it in.
///
/// All ranks call it, with equal arguments but for `local` and `piece`; nothing is communicated. `local` is a
/// CPU tensor of any strides that do not overlap; it may be empty. Autograd does not see the write. Time
/// grows with the local elements, and with the global ones at a fraction of a nanosecond each.
///
/// Throws c10::Error with LibTorch's own message on arguments that LibTorch refuses, on every rank, even
/// where the piece is empty (only a probability inside a BernoulliTensor is seen by its own rank alone), and
/// if `piece` fits neither `local` nor `global`.
void fill(const at::Tensor& local, const Distribution& distribution, const GlobalShape& global,
          const Piece& piece, const std::optional<at::Generator>& generator = std::nullopt);

/// Moves `generator` on as if a tensor of `dtype` and shape `global` had been filled, without drawing a
/// value. For BernoulliTensor only the dtype of `p` matters.
void advance(at::ScalarType dtype, const Distribution& distribution, const GlobalShape& global,
             const std::optional<at::Generator>& generator = std::nullopt);

}  // namespace vescale::rng
