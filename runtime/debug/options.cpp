#include "debug/options.h"

#include <cstdlib>
#include <cstring>

namespace vescale {
namespace {
bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
}
}  // namespace

const Options& options() {
  static const Options options{is_set("VESCALE_STRICT"), is_set("VESCALE_CHECK")};
  return options;
}

}  // namespace vescale
