#include "Sharding/Rules/Factories.h"

#include <algorithm>

namespace vescale::sharding::rules {

bool is_factory(std::string_view name) {
  static constexpr std::string_view names[] = {"arange",
                                               "bartlett_window",
                                               "blackman_window",
                                               "empty",
                                               "empty_permuted",
                                               "empty_strided",
                                               "eye",
                                               "fft_fftfreq",
                                               "fft_rfftfreq",
                                               "from_file",
                                               "full",
                                               "hamming_window",
                                               "hann_window",
                                               "kaiser_window",
                                               "linspace",
                                               "logspace",
                                               "normal",
                                               "ones",
                                               "rand",
                                               "randint",
                                               "randn",
                                               "randperm",
                                               "range",
                                               "scalar_tensor",
                                               "tril_indices",
                                               "triu_indices",
                                               "zeros"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace vescale::sharding::rules
