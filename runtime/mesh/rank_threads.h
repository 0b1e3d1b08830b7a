#pragma once
/// Running a function on every rank of a mesh, one thread a rank.
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>

#include <vescale/sharding/mesh_shape.h>

#include "comm/rank_world.h"

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

/// The one rank of this process, if the others are other processes.
struct ProcessRank {
  std::int64_t rank = 0;
  std::int64_t num_local_ranks = 1;  ///< on this machine, which share its cores
  std::shared_ptr<comm::RankWorld> world;
};

/// Runs `body` on every rank of this process and waits for all. A rank fails if it throws or returns
/// non-zero; then the others' waits throw, and `on_failure` is called once in the calling thread, before it
/// waits for the others. If `grace` is positive and some rank still runs that long after the failure, calls
/// `on_stuck`.
struct RankThreads {
  MeshShape shape;
  std::chrono::duration<double> timeout;
  std::function<int(std::int64_t rank)> body;
  std::function<void(const RankOutcome&)> on_failure = {};
  std::chrono::duration<double> grace{0};
  std::function<void(const RankOutcome&)> on_stuck = {};
  std::optional<ProcessRank> process = std::nullopt;  ///< none: all ranks are threads of this process

  RankOutcome run() const;
};

}  // namespace vescale
