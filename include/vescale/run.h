#pragma once
/// Starting a program on every rank of a mesh. The ranks are threads of this process, or processes that a
/// launcher has started (docs/running.md).
#include <functional>
#include <initializer_list>
#include <iosfwd>

#include <vescale/sharding/mesh_shape.h>

namespace vescale {

/// Runs `vs_main` on every rank and returns the exit status of the program, to be returned from main.
///
/// Takes from `argv` (up to "--") and hides from `vs_main`:
///   --mesh dp=2,tp=4    sizes of the mesh axes; otherwise environment VESCALE_MESH; otherwise all are 1
///   --timeout SECONDS   after which a blocking wait fails; otherwise environment VESCALE_TIMEOUT; otherwise
///   1800
///   --backend NAME      threads, or gloo: this process is one rank of those that a launcher has started;
///   otherwise environment VESCALE_BACKEND; otherwise gloo if a launcher has started several, threads if not
/// `axes` are the axes that the program knows, in mesh order; one that is not given a size has size 1, one
/// that is not known is an error. A program that names none takes what it is given.
///
/// Each rank gets its own copy of the arguments, a stack of 64 MiB and an equal share of the cores for
/// LibTorch's own threads. Standard output (std::cout and stdio's stdout) shows what rank 0 writes; standard
/// error shows all. The first rank that throws or returns non-zero decides: its exception is printed with its
/// rank, the others are stopped in their next wait, and its status (1 for an exception) is returned. Status
/// 2: unusable arguments. In a process of its own, a rank that stops because another failed returns 3, and 1
/// if the ranks cannot be connected. If a rank does not stop within 10 s after another failed, the process
/// ends.
int run(int argc, char** argv, int (*vs_main)(int, char**), std::initializer_list<const char*> axes = {});

struct RunOptions {
  /// Seconds that a blocking wait may take; 0: environment VESCALE_TIMEOUT, or else 1800.
  double timeout = 0;
};

/// Runs `body` on every rank of a mesh, waits for all, then throws what the first failing rank threw, if any.
/// Output of all ranks is shown. For tests and for programs that are ranks only in part.
void run_ranks(const MeshShape& shape, const std::function<void()>& body, RunOptions options = {});

/// Ends the calling rank's program with `status`, as if its main had returned it; objects on its stack are
/// destroyed. std::exit would end the process, and with it ranks that still have work to do. Outside a rank
/// it is std::exit.
[[noreturn]] void exit(int status);

/// std::cout on rank 0, a stream that swallows everything on the others. Unlike std::cout itself, whose
/// formatting state (precision, width) all ranks of a process would share, each rank's is its own.
std::ostream& cout();

}  // namespace vescale

namespace vs = vescale;
