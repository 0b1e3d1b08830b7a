#pragma once
/// What a launcher says in the environment about this process: vescale-run, torchrun, Slurm's srun, Open
/// MPI's and MPICH's mpirun.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "comm/c10d/join.h"

namespace vescale {

struct Launch {
  std::string launcher;       ///< "torchrun", for messages
  std::string size_variable;  ///< "WORLD_SIZE", for messages
  comm::Rendezvous rendezvous;
};

/// The value of a variable of the environment, if it is set.
using Environment = std::function<std::optional<std::string>(const char*)>;

/// The launch that the environment describes, or nothing. Throws Error if it describes one that cannot be, or
/// does not say where the ranks meet.
std::optional<Launch> find_launch(const Environment& environment);

/// "node[03-05,9],gpu1" -> "node03": the first host of Slurm's notation.
std::string first_host(const std::string& hosts);

}  // namespace vescale
