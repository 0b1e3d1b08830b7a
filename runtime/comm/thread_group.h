#pragma once
/// The threads backend: all ranks are threads of one process and read each other's memory.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <c10/util/FunctionRef.h>

#include "comm/backend.h"
#include "comm/thread_world.h"

namespace vescale::comm {

class ThreadBackend : public Backend {
 public:
  ThreadBackend(std::shared_ptr<ThreadWorld> world, std::int64_t rank)
      : world_(std::move(world)), rank_(rank) {}
  std::int64_t rank() const override { return rank_; }
  std::int64_t num_ranks() const override { return world_->num_ranks(); }
  std::unique_ptr<Group> make_group(const std::string& name, const std::vector<std::int64_t>& ranks) override;

 private:
  std::shared_ptr<ThreadWorld> world_;
  std::int64_t rank_;
};

/// Reductions combine in order of rank, so the result has the same bits on all ranks and in every run.
///
/// One collective: each rank posts what it brings, a barrier, each rank reads the others' posts and memory, a
/// second barrier before the memory may change again. Small tensors travel inside the post; as posts are used
/// in turns, a collective of small tensors needs the first barrier only.
class ThreadGroup : public Group {
 public:
  ThreadGroup(std::shared_ptr<ThreadWorld> world, std::shared_ptr<ThreadGroupState> state,
              std::int64_t index);

 protected:
  void execute(const CollectiveCall& call) override;

 private:
  void post(const CollectiveCall& call, bool small);
  void check_posts_agree() const;
  void move_data(const CollectiveCall& call, bool small);
  void reduce_part(const CollectiveCall& call, bool small);
  void gather(const CollectiveCall& call, bool small);
  void exchange(const CollectiveCall& call);
  void send_message(const CollectiveCall& call);
  void receive_message(const CollectiveCall& call);

  void enter_barrier(const CollectiveCall& call);
  /// Mesh ranks that the caller waits for.
  using FindMissing = c10::function_ref<std::vector<std::int64_t>()>;
  /// Waits until the count of `word` is no longer that of `seen`; throws when that will not happen.
  void wait(WaitWord& word, std::uint32_t seen, const CollectiveCall& call, FindMissing find_missing);
  [[noreturn]] void fail_stopped(const CollectiveCall& call);
  [[noreturn]] void fail_ended(const CollectiveCall& call, std::int64_t rank);
  [[noreturn]] void fail_timeout(const CollectiveCall& call, const std::vector<std::int64_t>& missing);
  [[noreturn]] void fail(const std::string& message);

  const std::vector<Post>& posts() const { return state_->posts[turn_]; }
  const void* input_of(std::size_t index, bool small) const;

  std::shared_ptr<ThreadWorld> world_;
  std::shared_ptr<ThreadGroupState> state_;
  std::size_t index_;
  std::size_t turn_ = 0;
};

}  // namespace vescale::comm
