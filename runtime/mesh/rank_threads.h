#pragma once
/// Running a function on every rank of a mesh, one thread a rank.
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>

#include <vescale/sharding/mesh_shape.h>

namespace vescale {

/// Rank threads that exist in this process now.
std::int64_t num_running_rank_threads();

/// Whether the calling thread is one of them.
bool is_rank_thread();

/// Thrown by vescale::exit through a rank's program. Not a std::exception, so that few handlers stop it.
struct ExitRequest {
  int status;
};

struct RankOutcome {
  std::int64_t failed_rank = -1;  ///< the rank that failed first, -1 if none
  int status = 0;                 ///< what it returned, 1 if it threw
  std::exception_ptr error;       ///< what it threw
};

/// Runs `body` on every rank and waits for all. A rank fails if it throws or returns non-zero; then the
/// others' waits throw, and `on_failure` is called once in the calling thread, before it waits for the
/// others. If `grace` is positive and some rank still runs that long after the failure, calls `on_stuck`.
struct RankThreads {
  MeshShape shape;
  std::chrono::duration<double> timeout;
  std::function<int(std::int64_t rank)> body;
  std::function<void(const RankOutcome&)> on_failure = {};
  std::chrono::duration<double> grace{0};
  std::function<void(const RankOutcome&)> on_stuck = {};

  RankOutcome run() const;
};

}  // namespace vescale
