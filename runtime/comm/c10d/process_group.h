#pragma once
/// Collectives among processes. Results have the bits that the threads backend gives: reductions combine in
/// order of rank.
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/util/FunctionRef.h>

#include "comm/backend.h"
#include "comm/c10d/post.h"
#include "comm/c10d/process_world.h"
#include "comm/c10d/warnings.h"

namespace vescale::comm {

/// Made and destroyed on the rank's thread.
class ProcessBackend : public Backend {
 public:
  explicit ProcessBackend(std::shared_ptr<ProcessWorld> world) : world_(std::move(world)) {}
  std::int64_t rank() const override { return world_->rank(); }
  std::int64_t num_ranks() const override { return world_->num_ranks(); }
  std::unique_ptr<Group> make_group(const std::string& name, const std::vector<std::int64_t>& ranks) override;

 private:
  OpWarnings warnings_;
  c10::WarningUtils::WarningHandlerGuard shown_{&warnings_};
  std::shared_ptr<ProcessWorld> world_;
};

/// One collective: the ranks exchange posts, which say what each called and carry small tensors; if the calls
/// agree, what did not fit is exchanged directly between the ranks that have it and those that need it.
class ProcessGroup : public Group {
 public:
  /// `tag`: tells this group's messages from those of other groups with the same ranks.
  ProcessGroup(std::shared_ptr<ProcessWorld> world, std::string name, std::vector<std::int64_t> ranks,
               std::int64_t index, int tag);

 protected:
  void execute(const CollectiveCall& call) override;

 private:
  enum Channel { Posts, Data, MessagePosts, MessageData, num_channels };
  struct Span {
    const void* data = nullptr;
    std::int64_t bytes = 0;
  };
  /// What goes to, or comes from, the rank of that index in the group.
  using SpanOf = c10::function_ref<Span(std::size_t)>;

  void exchange(const CollectiveCall& call, Channel channel, SpanOf to, SpanOf from);
  void exchange_posts(const CollectiveCall& call, bool small);
  void check_posts_agree() const;
  void check_parts(const CollectiveCall& call);

  void finish_small(const CollectiveCall& call);
  void all_reduce_large(const CollectiveCall& call);
  void reduce_scatter_large(const CollectiveCall& call);
  void all_gather_large(const CollectiveCall& call);
  void all_to_all(const CollectiveCall& call);
  void broadcast_large(const CollectiveCall& call);
  /// Receives this rank's piece of all inputs, `counts` elements a rank, and reduces it into `result`.
  void reduce_piece(const CollectiveCall& call, const void* input, c10::IntArrayRef counts, void* result);
  void gather_pieces(const CollectiveCall& call, const void* piece, void* out, c10::IntArrayRef counts);

  void send_message(const CollectiveCall& call);
  void receive_message(const CollectiveCall& call);

  int tag(Channel channel) const { return tag_ * num_channels + channel; }

  std::shared_ptr<ProcessWorld> world_;
  std::size_t index_;
  int tag_;
  Post own_;
  std::vector<Post> posts_;  ///< of all ranks
};

}  // namespace vescale::comm
