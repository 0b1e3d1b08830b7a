#pragma once
/// Waiting for the processes of a program.
#include "processes.h"

namespace vescale::launcher {

/// Blocks the signals that supervise() forwards, so that none is lost before it runs. Call before start().
void block_signals();

/// Waits until all have ended; copies their output, passes on signals. After the first failure, or a signal
/// that ends programs, the others have `grace_seconds` before they are killed. Returns the status of the
/// first rank that failed by itself, 128 + n for signal n; 0 if none did.
int supervise(Processes& processes, double grace_seconds);

}  // namespace vescale::launcher
