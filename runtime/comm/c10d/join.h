#pragma once
/// Connecting the processes of a program, one rank each.
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <vescale/sharding/mesh_shape.h>

#include "comm/rank_world.h"

namespace vescale::comm {

/// Where the processes meet, and which of them this one is.
struct Rendezvous {
  std::int64_t rank = 0;
  std::int64_t num_ranks = 1;
  std::int64_t num_local_ranks = 1;  ///< on this machine
  std::string host = "127.0.0.1";    ///< where rank 0 listens, on this address alone
  std::uint16_t port = 0;
  std::optional<int> listening_socket;  ///< of rank 0: already listens; else rank 0 opens host:port
  bool server_runs_elsewhere = false;   ///< the launcher listens, so that rank 0 is a client too
  std::string job;                      ///< tells attempts apart that meet at one server
};

/// Connects this process with the others over Gloo: returns when all have come. Throws Error that says who is
/// missing after `timeout`, and at once if the address cannot be used or another rank was started for another
/// mesh.
std::shared_ptr<RankWorld> join_processes(const Rendezvous& rendezvous, const MeshShape& shape,
                                          std::chrono::duration<double> timeout);

}  // namespace vescale::comm
