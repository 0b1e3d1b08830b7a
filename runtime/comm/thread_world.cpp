#include "comm/thread_world.h"

#include <sched.h>

#include <thread>

namespace vescale::comm {
namespace {

// Cores that this process may use, which a container or taskset may have made fewer than the machine has.
std::int64_t usable_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<std::int64_t>(std::thread::hardware_concurrency());
}

}  // namespace

ThreadGroupState::ThreadGroupState(std::string name, std::vector<std::int64_t> ranks)
    : name(std::move(name)),
      ranks(std::move(ranks)),
      posts{std::vector<Post>(this->ranks.size()), std::vector<Post>(this->ranks.size())},
      entered(this->ranks.size()),
      inboxes(this->ranks.size()) {}

void ThreadGroupState::flag(std::uint32_t bit) {
  phase.flag(bit);
  for (Inbox& inbox : inboxes) inbox.arrivals.flag(bit);
}

ThreadWorld::ThreadWorld(std::int64_t num_ranks, std::chrono::duration<double> timeout)
    : num_ranks_(num_ranks),
      timeout_(timeout),
      more_ranks_than_cores_(num_ranks > usable_cores()),
      ended_(static_cast<std::size_t>(num_ranks)),
      waiting_(static_cast<std::size_t>(num_ranks)) {}

std::shared_ptr<ThreadGroupState> ThreadWorld::group(const std::string& name,
                                                     const std::vector<std::int64_t>& ranks) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<ThreadGroupState>& state = groups_[{name, ranks}];
  if (state == nullptr) {
    state = std::make_shared<ThreadGroupState>(name, ranks);
    if (flags_ != 0) state->flag(flags_);
  }
  return state;
}

void ThreadWorld::flag_all(std::uint32_t bit) {
  flags_ |= bit;
  for (auto& [key, group] : groups_) group->flag(bit);
}

void ThreadWorld::fail(std::int64_t rank, std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (failure_ == nullptr) {
    failed_rank_ = rank;
    failure_ = std::move(error);
  }
  flag_all(WaitWord::stopped);
}

void ThreadWorld::end(std::int64_t rank) {
  const std::lock_guard lock(mutex_);
  ended_[static_cast<std::size_t>(rank)] = true;
  flag_all(WaitWord::rank_ended);
}

bool ThreadWorld::has_ended(std::int64_t rank) const {
  const std::lock_guard lock(mutex_);
  return ended_[static_cast<std::size_t>(rank)];
}

std::pair<std::int64_t, std::exception_ptr> ThreadWorld::first_failure() const {
  const std::lock_guard lock(mutex_);
  return {failed_rank_, failure_};
}

void ThreadWorld::set_waiting(std::int64_t rank, const ThreadGroupState* group, const CollectiveCall* call) {
  const std::lock_guard lock(mutex_);
  Waiting& waiting = waiting_[static_cast<std::size_t>(rank)];
  waiting.group = group;
  if (call != nullptr) waiting.call = *call;
}

std::string ThreadWorld::describe_rank(std::int64_t rank) const {
  const std::lock_guard lock(mutex_);
  const std::string name = "rank " + std::to_string(rank);
  const Waiting& waiting = waiting_[static_cast<std::size_t>(rank)];
  if (ended_[static_cast<std::size_t>(rank)]) return name + " has returned from its program";
  if (waiting.group == nullptr) return name + " is not in any collective";
  return name + " waits in " + describe(waiting.call) + " over '" + waiting.group->name + "'";
}

}  // namespace vescale::comm
