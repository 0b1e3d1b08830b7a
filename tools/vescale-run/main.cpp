// vescale-run: starts a program on every rank of a mesh on this machine.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <vescale/sharding/mesh_shape.h>

#include "processes.h"
#include "supervise.h"

namespace {

constexpr int usage_status = 2;
constexpr std::int64_t max_processes = 1024;
constexpr double longest_grace = 10;  // seconds for the others after a rank has failed

std::string check_mesh(const std::string& text) {
  try {
    const std::int64_t ranks = vescale::MeshShape::parse(text).num_ranks();
    if (ranks <= max_processes) return "";
    return "the mesh " + text + " has " + std::to_string(ranks) + " ranks; at most " +
           std::to_string(max_processes) + " are started on one machine";
  } catch (const vescale::Error& error) {
    return error.what();
  }
}

}  // namespace

int main(int argc, char** argv) {
  vescale::launcher::Request request;
  double timeout = 0;
  std::string log_dir;
  CLI::App app(
      "Starts PROGRAM on every rank of a mesh on this machine, shows what rank 0 prints and returns the "
      "status of the "
      "first rank that fails.",
      "vescale-run");
  app.prefix_command();
  app.add_option("--mesh", request.mesh, "sizes of the mesh axes, e.g. dp=2,tp=2")
      ->required()
      ->check(check_mesh);
  app.add_option("--backend", request.backend, "gloo: a process a rank; threads: all ranks in one process")
      ->check(CLI::IsMember({"gloo", "threads"}))
      ->capture_default_str();
  CLI::Option* timeout_option =
      app.add_option("--timeout", timeout, "seconds that a rank may wait for others (default: 1800)")
          ->check(CLI::Range(1e-3, 1e9));
  CLI::Option* log_option =
      app.add_option("--log-dir", log_dir, "folder for what each rank prints: rank_0.out, rank_0.err, ...");
  try {
    app.parse(argc, argv);
    request.command = app.remaining();
    if (!request.command.empty() && request.command.front() == "--")
      request.command.erase(request.command.begin());
    if (request.command.empty()) throw CLI::RequiredError("PROGRAM");
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : usage_status;
  }
  request.num_ranks = vescale::MeshShape::parse(request.mesh).num_ranks();
  if (*timeout_option) request.timeout = timeout;
  if (*log_option) request.log_dir = log_dir;
  try {
    vescale::launcher::block_signals();
    vescale::launcher::Processes processes = vescale::launcher::start(request);
    return vescale::launcher::supervise(processes,
                                        std::min(longest_grace, request.timeout.value_or(longest_grace)));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "vescale-run: %s\n", error.what());
    return 1;
  }
}
