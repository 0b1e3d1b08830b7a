#pragma once
/// What layers do alike with their parameters.
#include <optional>

#include <vescale/dtensor.h>

namespace vescale::nn {

/// A parameter as ops take one that may be missing.
inline std::optional<DTensor> optional(const DTensor& x) {
  return x.defined() ? std::optional<DTensor>(x) : std::nullopt;
}

/// Draws the bias of a layer whose fan-in is that of `weight`, if there is one.
void reset_bias(const DTensor& weight, const DTensor& bias);

}  // namespace vescale::nn
