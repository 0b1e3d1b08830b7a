#include "mesh/rank_threads.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include <ATen/Parallel.h>

#include <vescale/mesh.h>
#include <vescale/rank_context.h>

#include "comm/thread_group.h"

namespace vescale {
namespace {

constexpr std::size_t stack_bytes = std::size_t{64} << 20;
constexpr std::int64_t max_threads = 1024;

std::atomic<std::int64_t> running_rank_threads{0};

// What the threads of one run and the thread that waits for them share.
struct Shared {
  const RankThreads* settings = nullptr;
  std::shared_ptr<comm::RankWorld> world;
  int intra_op_threads = 0;  ///< for LibTorch, on each rank; 0: leave as it is

  std::mutex mutex;
  std::condition_variable changed;
  std::int64_t running = 0;
  RankOutcome outcome;
};

struct RankStart {
  Shared* shared;
  std::int64_t rank;
};

void record_failure(Shared& shared, std::int64_t rank, int status, std::exception_ptr error) {
  const std::exception_ptr shown =
      error != nullptr ? error
                       : std::make_exception_ptr(Error("rank " + std::to_string(rank) + " returned status " +
                                                       std::to_string(status)));
  shared.world->fail(rank, shown);
  // A wait that timed out has already been recorded as the failure, under the rank that noticed it.
  if (shared.world->first_failure().first != rank) return;
  const std::lock_guard lock(shared.mutex);
  if (shared.outcome.failed_rank < 0) shared.outcome = {rank, status, std::move(error)};
}

int call_body(const Shared& shared, std::int64_t rank) {
  if (shared.intra_op_threads > 0) at::set_num_threads(shared.intra_op_threads);
  RankContext context(std::make_shared<Mesh>(shared.settings->shape, shared.world->make_backend(rank)));
  const RankContext::Scope scope(context);
  try {
    return shared.settings->body(rank);
  } catch (const ExitRequest& request) {
    return request.status;
  }
}

__thread bool on_rank_thread = false;

void* rank_main(void* argument) {
  on_rank_thread = true;
  const std::unique_ptr<RankStart> start(static_cast<RankStart*>(argument));
  Shared& shared = *start->shared;
  try {
    const int status = call_body(shared, start->rank);
    if (status != 0) {
      record_failure(shared, start->rank, status, nullptr);
    } else {
      shared.world->end(start->rank);
    }
  } catch (...) {
    record_failure(shared, start->rank, 1, std::current_exception());
  }
  running_rank_threads.fetch_sub(1);
  const std::lock_guard lock(shared.mutex);
  --shared.running;
  shared.changed.notify_all();
  return nullptr;
}

// Starts the thread of each rank. One that cannot be started counts as a failed rank.
std::vector<pthread_t> start_threads(Shared& shared, std::int64_t first, std::int64_t last) {
  std::vector<pthread_t> threads;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  for (std::int64_t rank = first; rank <= last; ++rank) {
    auto start = std::make_unique<RankStart>(RankStart{&shared, rank});
    {
      const std::lock_guard lock(shared.mutex);
      ++shared.running;
    }
    running_rank_threads.fetch_add(1);
    pthread_t thread;
    if (const int failure = pthread_create(&thread, &attributes, rank_main, start.get()); failure != 0) {
      running_rank_threads.fetch_sub(1);
      {
        const std::lock_guard lock(shared.mutex);
        --shared.running;
      }
      const Error error(std::string("cannot start its thread: ") + std::strerror(failure));
      record_failure(shared, rank, 1, std::make_exception_ptr(error));
      break;
    }
    start.release();
    threads.push_back(thread);
  }
  pthread_attr_destroy(&attributes);
  return threads;
}

void wait_for_ranks(Shared& shared) {
  const RankThreads& settings = *shared.settings;
  std::unique_lock lock(shared.mutex);
  const auto all_done = [&] { return shared.running == 0; };
  shared.changed.wait(lock, [&] { return all_done() || shared.outcome.failed_rank >= 0; });
  if (shared.outcome.failed_rank < 0) return;
  const RankOutcome outcome = shared.outcome;
  lock.unlock();
  if (settings.on_failure) settings.on_failure(outcome);
  lock.lock();
  if (settings.grace.count() > 0 && !shared.changed.wait_for(lock, settings.grace, all_done)) {
    if (settings.on_stuck) settings.on_stuck(outcome);
  }
  shared.changed.wait(lock, all_done);
}

int usable_cores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace

std::int64_t num_running_rank_threads() { return running_rank_threads.load(); }

bool is_rank_thread() { return on_rank_thread; }

RankOutcome RankThreads::run() const {
  shape.validate();
  const std::int64_t ranks = shape.num_ranks();
  if (shape.num_axes() > Mesh::max_axes) {
    throw Error("a mesh has at most " + std::to_string(Mesh::max_axes) + " axes, not " +
                std::to_string(shape.num_axes()));
  }
  if (!process && ranks > max_threads) {
    throw Error("the mesh " + shape.to_string() + " has " + std::to_string(ranks) +
                " ranks; as threads of one process at most " + std::to_string(max_threads) + " run");
  }
  Shared shared;
  shared.settings = this;
  if (process) {
    shared.world = process->world;
  } else {
    shared.world = std::make_shared<comm::ThreadWorld>(ranks, timeout);
  }
  const int previous_threads = at::get_num_threads();
  // A single rank computes exactly as the plain program does.
  const std::int64_t sharing = process ? process->num_local_ranks : ranks;
  if (ranks > 1) shared.intra_op_threads = std::max(1, usable_cores() / static_cast<int>(sharing));
  const std::int64_t first = process ? process->rank : 0;
  const std::vector<pthread_t> threads = start_threads(shared, first, process ? first : ranks - 1);
  wait_for_ranks(shared);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  if (ranks > 1) at::set_num_threads(previous_threads);
  if (shared.outcome.failed_rank < 0) {  // a rank may have swallowed its error after the others had to stop
    const auto [rank, error] = shared.world->first_failure();
    if (error != nullptr) return {rank, 1, error};
  }
  return shared.outcome;
}

}  // namespace vescale
