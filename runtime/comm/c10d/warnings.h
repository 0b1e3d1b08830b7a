#pragma once
/// Which warnings a rank prints. That a connection closed is told by our own messages; LibTorch's warn of it
/// too, with a backtrace each.
#include <c10/util/Exception.h>

namespace vescale::comm {

/// From here on LibTorch logs errors only, unless TORCH_CPP_LOG_LEVEL says something else.
void log_errors_only();

/// Prints the warnings that ops give (TORCH_WARN) whatever the log level is.
class OpWarnings : public c10::WarningHandler {
 public:
  void process(const c10::Warning& warning) override;
};

}  // namespace vescale::comm
