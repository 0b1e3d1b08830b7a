// How a rank waits for others, and what it says when they do not come.
#include "comm/agreement.h"
#include "comm/thread_group.h"

namespace vescale::comm {

void ThreadGroup::wait(WaitWord& word, std::uint32_t seen, const CollectiveCall& call,
                       FindMissing find_missing) {
  const auto has_moved = [&](std::uint32_t now) { return WaitWord::count(now) != WaitWord::count(seen); };
  std::uint32_t now = word.spin(seen, world_->more_ranks_than_cores());
  if (has_moved(now)) return;
  const auto timeout = std::chrono::duration_cast<Deadline::duration>(world_->timeout());
  const Deadline deadline = std::chrono::steady_clock::now() + timeout;
  world_->set_waiting(ranks()[index_], state_.get(), &call);
  while (!has_moved(now)) {
    if (now & WaitWord::stopped) fail_stopped(call);
    if (now & WaitWord::rank_ended) {
      for (std::int64_t rank : find_missing()) {
        // What a rank did before it ended is seen by now, so only a word that still stands shows that it is
        // missing.
        if (world_->has_ended(rank) && !has_moved(word.load())) fail_ended(call, rank);
      }
    }
    const std::uint32_t next = word.sleep(now, deadline);
    if (next == now) fail_timeout(call, find_missing());
    now = next;
  }
  world_->set_waiting(ranks()[index_], nullptr, nullptr);
}

void ThreadGroup::fail_stopped(const CollectiveCall& call) {
  world_->set_waiting(ranks()[index_], nullptr, nullptr);
  throw StoppedError("stopped in " + describe_place(call, *this) + " because rank " +
                     std::to_string(world_->first_failure().first) + " failed");
}

void ThreadGroup::fail_ended(const CollectiveCall& call, std::int64_t rank) {
  fail(describe_place(call, *this) + " cannot complete: rank " + std::to_string(rank) +
       " has returned from its program");
}

void ThreadGroup::fail_timeout(const CollectiveCall& call, const std::vector<std::int64_t>& missing) {
  std::string message = describe_timeout(call, *this, world_->timeout().count());
  const char* separator = " ";
  for (std::int64_t rank : missing) {
    message += separator + world_->describe_rank(rank);
    separator = "; ";
  }
  fail(message);
}

// The group is unusable from here on, so all ranks stop even if this one's program handles the error.
void ThreadGroup::fail(const std::string& message) {
  const Error error(message);
  world_->set_waiting(ranks()[index_], nullptr, nullptr);
  world_->fail(ranks()[index_], std::make_exception_ptr(error));
  throw error;
}

}  // namespace vescale::comm
