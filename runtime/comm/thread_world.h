#pragma once
/// What the ranks of one process share: their groups, and what became of each rank.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "comm/rank_world.h"
#include "comm/wait_word.h"

namespace vescale::comm {

/// What a rank shows the others of its group for one collective. Everything is copied but the data of large
/// tensors.
struct alignas(64) Post {
  static constexpr std::int64_t small_bytes = 512;

  CollectiveCall call;  ///< its tensors and counts may be gone once the collective is over
  std::uint64_t counts_hash = 0;
  const void* in = nullptr;
  void* out = nullptr;
  alignas(16) std::byte small[small_bytes];
};

/// A message on its way.
struct Message {
  std::int64_t from = 0;  ///< index in the group
  CollectiveCall call;
  std::vector<std::byte> data;
};

struct Inbox {
  std::mutex mutex;
  std::deque<Message> messages;
  WaitWord arrivals;
};

/// The part of a group that its ranks share.
struct ThreadGroupState {
  ThreadGroupState(std::string name, std::vector<std::int64_t> ranks);

  /// Sets a flag on everything that a rank of the group may wait for.
  void flag(std::uint32_t bit);

  const std::string name;
  const std::vector<std::int64_t> ranks;
  std::vector<Post> posts[2];                       ///< per rank, used in turns
  std::vector<std::atomic<std::uint32_t>> entered;  ///< per rank, barriers that it has entered
  alignas(64) std::atomic<std::uint32_t> waiting{0};
  alignas(64) WaitWord phase;
  std::vector<Inbox> inboxes;
};

class ThreadWorld : public RankWorld, public std::enable_shared_from_this<ThreadWorld> {
 public:
  ThreadWorld(std::int64_t num_ranks, std::chrono::duration<double> timeout);

  std::int64_t num_ranks() const { return num_ranks_; }
  std::chrono::duration<double> timeout() const { return timeout_; }
  bool more_ranks_than_cores() const { return more_ranks_than_cores_; }

  /// The shared state of a group, made when its first rank asks.
  std::shared_ptr<ThreadGroupState> group(const std::string& name, const std::vector<std::int64_t>& ranks);

  std::unique_ptr<Backend> make_backend(std::int64_t rank) override;
  void fail(std::int64_t rank, std::exception_ptr error) override;
  void end(std::int64_t rank) override;

  bool has_ended(std::int64_t rank) const;
  std::pair<std::int64_t, std::exception_ptr> first_failure() const override;

  /// For messages: which collective a rank sleeps in, null when it goes on. Only valid until it is set again.
  void set_waiting(std::int64_t rank, const ThreadGroupState* group, const CollectiveCall* call);
  /// "rank 1 waits in all_gather of 8 Float over 'tp'", "rank 1 has returned from its program", "rank 1 is
  /// computing".
  std::string describe_rank(std::int64_t rank) const;

 private:
  struct Waiting {
    const ThreadGroupState* group = nullptr;
    CollectiveCall call;
  };

  void flag_all(std::uint32_t bit);

  const std::int64_t num_ranks_;
  const std::chrono::duration<double> timeout_;
  const bool more_ranks_than_cores_;

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::vector<std::int64_t>>, std::shared_ptr<ThreadGroupState>> groups_;
  std::uint32_t flags_ = 0;
  std::vector<bool> ended_;
  std::vector<Waiting> waiting_;
  std::int64_t failed_rank_ = -1;
  std::exception_ptr failure_;
};

}  // namespace vescale::comm
