#include <vescale/run.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <c10/util/Exception.h>
#include <vescale/rank_context.h>

#include "comm/c10d/join.h"
#include "mesh/launch.h"
#include "mesh/output_filter.h"
#include "mesh/rank_threads.h"
#include "mesh/run_arguments.h"

namespace vescale {
namespace {

constexpr std::chrono::duration<double> longest_grace{10};
constexpr int usage_status = 2;
constexpr int start_status = 1;
constexpr int stopped_status = 3;

std::string message_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const c10::Error& torch_error) {
    return torch_error.what_without_backtrace();
  } catch (const std::exception& other) {
    return other.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

// " (dp=1, tp=0)"
std::string describe_coordinate(const MeshShape& shape, std::int64_t rank) {
  if (shape.num_axes() == 0) return "";
  const std::vector<std::int64_t> coordinate = shape.coordinate(rank);
  std::string text;
  for (std::size_t axis = 0; axis < coordinate.size(); ++axis) {
    text += (axis == 0 ? " (" : ", ") + shape.names[axis] + "=" + std::to_string(coordinate[axis]);
  }
  return text + ")";
}

void report(const MeshShape& shape, const RankOutcome& outcome) {
  std::fflush(nullptr);  // what the ranks printed before comes first
  std::string text = "vescale: ";
  if (shape.num_ranks() > 1) {
    text += "rank " + std::to_string(outcome.failed_rank) + describe_coordinate(shape, outcome.failed_rank);
    text += outcome.error != nullptr ? " failed: " : " ";
  }
  text += outcome.error != nullptr ? message_of(outcome.error) : "returned " + std::to_string(outcome.status);
  if (outcome.error != nullptr || shape.num_ranks() > 1) std::fprintf(stderr, "%s\n", text.c_str());
}

[[noreturn]] void leave_stuck_ranks(const RankOutcome& outcome, std::chrono::duration<double> grace) {
  std::fprintf(stderr, "vescale: another rank did not stop within %g s; ending the process\n", grace.count());
  std::fflush(nullptr);
  _exit(outcome.status);
}

// Calls vs_main with a copy of the arguments that it may change.
int call_main(int (*vs_main)(int, char**), std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const int status = vs_main(static_cast<int>(arguments.size()), pointers.data());
  // VESCALE_COMM_STATS=1: what rank 0 received, to compare with the tool's report.
  if (std::getenv("VESCALE_COMM_STATS") != nullptr && rank() == 0) std::cerr << comm_stats().to_string();
  return status;
}

// Whether the ranks are processes that a launcher has started.
std::optional<Launch> find_processes(const std::optional<std::string>& backend, const MeshShape& shape) {
  if (backend == "threads") return std::nullopt;
  const std::optional<Launch> launch = find_launch(environment);
  if (!launch && backend == "gloo") {
    throw Error(
        "the gloo backend runs one process a rank, but no launcher has started this one; use e.g. "
        "vescale-run --mesh dp=2 PROGRAM");
  }
  if (!launch) return std::nullopt;
  // One process may well run the ranks as threads, if nothing else was asked for.
  const bool alone = launch->rendezvous.num_ranks == 1 && (!backend || shape.num_ranks() == 1);
  return alone ? std::nullopt : launch;
}

ProcessRank join(const Launch& launch, const MeshShape& shape, std::chrono::duration<double> timeout) {
  const comm::Rendezvous& meet = launch.rendezvous;
  if (shape.num_ranks() != meet.num_ranks) {
    throw Error("the mesh " + (shape.num_axes() > 0 ? shape.to_string() : "without axes") + " needs " +
                std::to_string(shape.num_ranks()) + " rank(s), but " + launch.launcher + " started " +
                std::to_string(meet.num_ranks) + " (" + launch.size_variable +
                "); change --mesh (or VESCALE_MESH) or the number of processes, or give --backend=threads");
  }
  return {meet.rank, meet.num_local_ranks, comm::join_processes(meet, shape, timeout)};
}

// Another rank has said why; here it says more only where each rank has its own output.
int leave_stopped(const MeshShape& shape, std::int64_t rank, const RankOutcome& outcome) {
  std::fflush(nullptr);
  const bool quiet = environment("VESCALE_LAUNCHER").has_value() && !shows_all_ranks();
  if (!quiet) {
    const std::string reason = message_of(outcome.error);
    std::fprintf(
        stderr, "vescale: rank %lld%s stopped because rank %lld%s failed: %s\n", static_cast<long long>(rank),
        describe_coordinate(shape, rank).c_str(), static_cast<long long>(outcome.failed_rank),
        describe_coordinate(shape, outcome.failed_rank).c_str(), reason.substr(0, reason.find('\n')).c_str());
  }
  return stopped_status;
}

int run_process(const RunArguments& arguments, const Launch& launch, int (*vs_main)(int, char**)) {
  const MeshShape& shape = arguments.shape;
  RankThreads threads{shape, arguments.timeout,
                      [&](std::int64_t) { return call_main(vs_main, arguments.rest); }};
  try {
    threads.process = join(launch, shape, arguments.timeout);
  } catch (const Error& error) {
    std::fprintf(stderr, "vescale: %s\n", error.what());
    return start_status;
  }
  const std::unique_ptr<OutputFilter> filter =
      shape.num_ranks() > 1 && !shows_all_ranks() ? std::make_unique<OutputFilter>() : nullptr;
  const std::int64_t rank = launch.rendezvous.rank;
  threads.on_failure = [&](const RankOutcome& outcome) { report(shape, outcome); };
  const RankOutcome outcome = threads.run();
  if (outcome.failed_rank >= 0 && outcome.failed_rank != rank) return leave_stopped(shape, rank, outcome);
  return outcome.status;
}

}  // namespace

int run(int argc, char** argv, int (*vs_main)(int, char**), std::initializer_list<const char*> axes) {
  try {
    const RunArguments arguments =
        parse_run_arguments({argv, argv + argc}, {axes.begin(), axes.end()}, environment("VESCALE_MESH"),
                            environment("VESCALE_TIMEOUT"), environment("VESCALE_BACKEND"));
    if (const std::optional<Launch> launch = find_processes(arguments.backend, arguments.shape))
      return run_process(arguments, *launch, vs_main);
    const MeshShape& shape = arguments.shape;
    const std::unique_ptr<OutputFilter> filter =
        shape.num_ranks() > 1 ? std::make_unique<OutputFilter>() : nullptr;
    RankThreads threads{shape, arguments.timeout,
                        [&](std::int64_t) { return call_main(vs_main, arguments.rest); }};
    threads.on_failure = [&](const RankOutcome& outcome) { report(shape, outcome); };
    threads.grace = std::min(longest_grace, arguments.timeout);
    threads.on_stuck = [&](const RankOutcome& outcome) { leave_stuck_ranks(outcome, threads.grace); };
    return threads.run().status;
  } catch (const Error& error) {
    std::fprintf(stderr, "vescale: %s\n", error.what());
    return usage_status;
  }
}

void run_ranks(const MeshShape& shape, const std::function<void()>& body, RunOptions options) {
  RankThreads threads{
      shape, options.timeout > 0 ? std::chrono::duration<double>(options.timeout) : default_timeout(),
      [&](std::int64_t) {
        body();
        return 0;
      }};
  if (const std::optional<std::string> backend = environment("VESCALE_BACKEND"); backend == "gloo") {
    if (const std::optional<Launch> launch = find_processes(backend, shape))
      threads.process = join(*launch, shape, threads.timeout);
  }
  const RankOutcome outcome = threads.run();
  if (outcome.error != nullptr) std::rethrow_exception(outcome.error);
}

void exit(int status) {
  if (is_rank_thread()) throw ExitRequest{status};
  std::exit(status);
}

}  // namespace vescale
