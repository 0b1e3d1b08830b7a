#pragma once
/// What veScale throws: a message for the user that names the place and, where there is one, the way out.
#include <stdexcept>

namespace vescale {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace vescale
