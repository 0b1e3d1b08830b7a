#pragma once
/// torch::nn::utils for DTensors.
#include <vector>

#include <vescale/dtensor.h>

namespace vescale {
namespace nn {
namespace utils {

/// Scales the gradients so that their one global norm is at most `max_norm`; returns the norm before. Waits
/// for sync_gradients(). Each parameter counts once, whatever its placement. Throws where the norm is not
/// finite, if asked.
double clip_grad_norm_(const std::vector<DTensor>& parameters, double max_norm, double norm_type = 2.0,
                       bool error_if_nonfinite = false);
inline double clip_grad_norm_(const DTensor& parameter, double max_norm, double norm_type = 2.0,
                              bool error_if_nonfinite = false) {
  return clip_grad_norm_(std::vector<DTensor>{parameter}, max_norm, norm_type, error_if_nonfinite);
}

void clip_grad_value_(const std::vector<DTensor>& parameters, double clip_value);
inline void clip_grad_value_(const DTensor& parameter, double clip_value) {
  clip_grad_value_(std::vector<DTensor>{parameter}, clip_value);
}

/// The parameters one after the other, flat and R; and back.
DTensor parameters_to_vector(const std::vector<DTensor>& parameters);
void vector_to_parameters(const DTensor& vector, const std::vector<DTensor>& parameters);

}  // namespace utils
}  // namespace nn
}  // namespace vescale
