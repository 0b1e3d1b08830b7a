#include "mesh/launch.h"

#include <charconv>
#include <functional>

#include <vescale/error.h>

namespace vescale {
namespace {

// Names of variables. Where there are two, the first that is set counts.
struct Launcher {
  const char* name;
  const char* required;  ///< also set where the launcher has started this process
  const char* rank;
  const char* size[2];
  const char* local_size;
  const char* job[2];  ///< tells jobs on one machine apart
};

constexpr Launcher launchers[] = {
    {"torchrun",
     "WORLD_SIZE",
     "RANK",
     {"WORLD_SIZE", nullptr},
     "LOCAL_WORLD_SIZE",
     {"TORCHELASTIC_RUN_ID", nullptr}},
    {"Open MPI",
     "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_RANK",
     {"OMPI_COMM_WORLD_SIZE", nullptr},
     "OMPI_COMM_WORLD_LOCAL_SIZE",
     {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"}},
    {"mpirun", "PMI_SIZE", "PMI_RANK", {"PMI_SIZE", nullptr}, "MPI_LOCALNRANKS", {"PMI_JOBID", "PMI_ID"}},
    // A batch script has the other variables too, but it is not one of the tasks.
    {"Slurm",
     "SLURM_STEP_ID",
     "SLURM_PROCID",
     {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"},
     "SLURM_STEP_TASKS_PER_NODE",
     {"SLURM_JOB_ID", nullptr}},
};

std::int64_t parse_number(const std::string& text, const char* name, std::int64_t low, std::int64_t high) {
  std::int64_t value = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || stop != text.data() + text.size() || value < low || value > high) {
    throw Error(std::string(name) + "='" + text + "' is not a number from " + std::to_string(low) + " to " +
                std::to_string(high));
  }
  return value;
}

std::optional<std::string> first_set(const Environment& environment, const char* const (&names)[2]) {
  for (const char* name : names) {
    if (name == nullptr) continue;
    if (std::optional<std::string> value = environment(name)) return value;
  }
  return std::nullopt;
}

// Slurm writes "4(x2),3"; the first number is close enough to share out the cores.
std::int64_t leading_number(const std::string& text, std::int64_t otherwise) {
  std::int64_t value = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc() && value > 0 ? value : otherwise;
}

// Ports for jobs whose launcher gives none: from 20000 on, below those that the system hands out.
std::uint16_t port_of_job(const std::string& job) {
  return static_cast<std::uint16_t>(20000 + std::hash<std::string>()(job) % 10000);
}

std::string find_host(const Launcher& launcher, const Environment& environment,
                      const comm::Rendezvous& found) {
  if (const auto host = environment("MASTER_ADDR")) return *host;
  if (std::string(launcher.name) == "Slurm") {
    const auto nodes = environment("SLURM_STEP_NODELIST");
    if (const auto hosts = nodes ? nodes : environment("SLURM_JOB_NODELIST")) {
      return found.num_local_ranks == found.num_ranks ? "127.0.0.1" : first_host(*hosts);
    }
  }
  if (found.num_local_ranks == found.num_ranks) return "127.0.0.1";
  throw Error(std::string(launcher.name) +
              " started ranks on several machines: set MASTER_ADDR to an address of the "
              "machine of rank 0");
}

std::uint16_t find_port(const Launcher& launcher, const Environment& environment) {
  if (const auto text = environment("MASTER_PORT"))
    return static_cast<std::uint16_t>(parse_number(*text, "MASTER_PORT", 1, 65535));
  if (const auto job = first_set(environment, launcher.job)) return port_of_job(*job);
  throw Error(
      std::string(launcher.name) +
      " does not say where the ranks meet: set MASTER_PORT to a port of rank 0's machine that is free, the "
      "same on all ranks");
}

Launch read_launch(const Launcher& launcher, const Environment& environment) {
  Launch result{launcher.name, launcher.size[0], {}};
  comm::Rendezvous& to = result.rendezvous;
  for (const char* name : launcher.size) {
    const auto text = name != nullptr ? environment(name) : std::nullopt;
    if (!text) continue;
    result.size_variable = name;
    to.num_ranks = parse_number(*text, name, 1, MeshShape::max_ranks);
    break;
  }
  to.rank = parse_number(*environment(launcher.rank), launcher.rank, 0, to.num_ranks - 1);
  const auto local = environment(launcher.local_size);
  to.num_local_ranks = local ? leading_number(*local, to.num_ranks) : to.num_ranks;
  if (to.num_ranks == 1) return result;
  to.host = find_host(launcher, environment, to);
  to.port = find_port(launcher, environment);
  to.job = first_set(environment, launcher.job).value_or("") + "/" +
           environment("TORCHELASTIC_RESTART_COUNT").value_or("0");
  // torchrun's agent may be the server already.
  to.server_runs_elsewhere = environment("TORCHELASTIC_USE_AGENT_STORE") == "True";
  if (const auto socket = environment("VESCALE_LISTENING_SOCKET"); socket && to.rank == 0)
    to.listening_socket = static_cast<int>(parse_number(*socket, "VESCALE_LISTENING_SOCKET", 0, 1 << 20));
  return result;
}

}  // namespace

std::optional<Launch> find_launch(const Environment& environment) {
  for (const Launcher& launcher : launchers) {
    if (environment(launcher.required) && environment(launcher.rank))
      return read_launch(launcher, environment);
  }
  return std::nullopt;
}

std::string first_host(const std::string& hosts) {
  const std::size_t bracket = hosts.find('[');
  const std::size_t comma = hosts.find(',');
  if (bracket == std::string::npos || comma < bracket) return hosts.substr(0, comma);
  const std::size_t end = hosts.find_first_of("-,]", bracket);
  return hosts.substr(0, bracket) + hosts.substr(bracket + 1, end - bracket - 1);
}

}  // namespace vescale
