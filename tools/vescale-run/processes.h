#pragma once
/// Starting the processes of a program.
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vescale::launcher {

struct Request {
  std::string mesh;  ///< "dp=2,tp=2"
  std::int64_t num_ranks = 1;
  std::string backend = "gloo";
  std::optional<double> timeout;       ///< seconds
  std::optional<std::string> log_dir;  ///< gets a file for each rank's standard output and error
  std::vector<std::string> command;    ///< program and arguments
};

/// Where a descriptor of the launcher is copied to: the terminal and a log file.
struct Copied {
  int from = -1;
  int to_terminal = -1;  ///< -1: not shown
  int to_file = -1;
  std::string line;  ///< of the terminal, not complete yet
};

struct Child {
  std::int64_t rank = 0;
  pid_t pid = -1;
  std::optional<int> status;  ///< as waitpid gives it, once it has ended
};

struct Processes {
  pid_t group = -1;  ///< the process group of all
  std::vector<Child> children;
  std::vector<Copied> copied;
};

/// Starts one process a rank, or one in all for the threads backend. They end when the launcher does,
/// whatever ends it. Throws std::runtime_error.
Processes start(const Request& request);

}  // namespace vescale::launcher
