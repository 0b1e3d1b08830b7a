#pragma once
/// The rank's random number generator.
///
/// Ranks may be threads of one process, so none may draw from LibTorch's process-wide default generator.
/// Each rank has a CPU generator of its own. All ranks start from the same seed and run the same
/// program, so all hold the same state at the same point: that of the single-device program.

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace vescale {

/// The calling rank's CPU generator: what a random op uses when the program passes none. It is created with
/// LibTorch's default seed at first use and lives as long as the rank. Pass it explicitly to every `at::`
/// random op that runs on a rank.
const at::Generator& rank_generator();

/// `generator` if it holds one, else the calling rank's.
const at::Generator& generator_for(const std::optional<at::Generator>& generator);

/// Seeds the calling rank's generator as `torch::manual_seed` seeds LibTorch's. To keep ranks equal, every
/// rank calls it with the same seed (the same program does).
void manual_seed(uint64_t seed);

/// The state of the calling rank's generator: a CPU byte tensor with the bytes that LibTorch's `get_state` of
/// a generator in that state gives.
at::Tensor get_rng_state();

/// Restores a state taken by `get_rng_state` here or by LibTorch from any CPU generator.
/// Throws c10::Error if `state` is not a CPU byte tensor of that size.
void set_rng_state(const at::Tensor& state);

}  // namespace vescale
