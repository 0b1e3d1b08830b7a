#include "comm/c10d/warnings.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <c10/util/Logging.h>

namespace vescale::comm {

void log_errors_only() {
  constexpr int errors = 2;
  if (std::getenv("TORCH_CPP_LOG_LEVEL") == nullptr) FLAGS_caffe2_log_level = errors;
}

void OpWarnings::process(const c10::Warning& warning) {
  const c10::SourceLocation& place = warning.source_location();
  const char* slash = std::strrchr(place.file, '/');
  std::fprintf(stderr, "[W %s:%u] Warning: %s (function %s)\n", slash != nullptr ? slash + 1 : place.file,
               place.line, warning.msg().c_str(), place.function);
}

}  // namespace vescale::comm
