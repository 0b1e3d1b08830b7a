#include "comm/thread_group.h"

#include <algorithm>
#include <cstring>

#include <ATen/core/Tensor.h>

#include "comm/agreement.h"
#include "comm/reduce.h"

namespace vescale::comm {
namespace {

void copy(void* to, const void* from, std::int64_t bytes) {
  if (bytes > 0 && to != from) std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

const std::byte* offset(const void* data, std::int64_t bytes) {
  return static_cast<const std::byte*>(data) + bytes;
}
std::byte* offset(void* data, std::int64_t bytes) { return static_cast<std::byte*>(data) + bytes; }

}  // namespace

std::unique_ptr<Backend> ThreadWorld::make_backend(std::int64_t rank) {
  return std::make_unique<ThreadBackend>(shared_from_this(), rank);
}

std::unique_ptr<Group> ThreadBackend::make_group(const std::string& name,
                                                 const std::vector<std::int64_t>& ranks) {
  const auto self = std::find(ranks.begin(), ranks.end(), rank_);
  return std::make_unique<ThreadGroup>(world_, world_->group(name, ranks), self - ranks.begin());
}

ThreadGroup::ThreadGroup(std::shared_ptr<ThreadWorld> world, std::shared_ptr<ThreadGroupState> state,
                         std::int64_t index)
    : Group(state->name, state->ranks, index),
      world_(std::move(world)),
      state_(std::move(state)),
      index_(static_cast<std::size_t>(index)) {}

void ThreadGroup::execute(const CollectiveCall& call) {
  check_on_cpu(*this, call, "threads");
  if (call.kind == Collective::Send) return send_message(call);
  if (call.kind == Collective::Recv) return receive_message(call);
  const bool small = fits(call, Post::small_bytes);
  turn_ ^= 1;  // the others may still be reading our last post
  post(call, small);
  enter_barrier(call);
  check_posts_agree();
  move_data(call, small);
  if (!small) enter_barrier(call);
}

void ThreadGroup::post(const CollectiveCall& call, bool small) {
  Post& mine = state_->posts[turn_][index_];
  mine.call = call;
  mine.counts_hash = hash_counts(call.counts);
  mine.out = call.out != nullptr ? call.out->mutable_data_ptr() : nullptr;
  mine.in = call.in != nullptr ? call.in->const_data_ptr() : mine.out;
  if (small && mine.in != nullptr) {
    const bool gather = call.kind == Collective::AllGather;
    copy(mine.small, mine.in, bytes_of(gather ? call.counts[index_] : call.count, call.dtype));
  }
}

void ThreadGroup::check_posts_agree() const {
  const Post& first = posts()[0];
  for (std::size_t index = 1; index < posts().size(); ++index) {
    const Post& other = posts()[index];
    check_agreement(*this, {first.call, first.counts_hash}, index, {other.call, other.counts_hash});
  }
}

const void* ThreadGroup::input_of(std::size_t index, bool small) const {
  const Post& post = posts()[index];
  return small ? static_cast<const void*>(post.small) : post.in;
}

void ThreadGroup::move_data(const CollectiveCall& call, bool small) {
  switch (call.kind) {
    case Collective::AllReduce:
    case Collective::ReduceScatter:
      return reduce_part(call, small);
    case Collective::AllGather:
      return gather(call, small);
    case Collective::AllToAll:
      return exchange(call);
    case Collective::Broadcast: {
      const std::size_t root = static_cast<std::size_t>(call.peer);
      return copy(posts()[index_].out, input_of(root, small), bytes_of(call.count, call.dtype));
    }
    default:
      return;
  }
}

// A large all_reduce is shared out: each rank reduces one part and writes it to all.
void ThreadGroup::reduce_part(const CollectiveCall& call, bool small) {
  const std::int64_t ranks = size();
  const bool shared = call.kind == Collective::AllReduce && !small;
  std::int64_t begin = 0;
  std::int64_t count = call.count;
  if (shared) {
    const std::int64_t part = (call.count + ranks - 1) / ranks;
    begin = std::min(call.count, rank() * part);
    count = std::min(part, call.count - begin);
  } else if (call.kind == Collective::ReduceScatter) {
    begin = sum_before(call.counts, index_);
    count = call.counts[index_];
  }
  if (count == 0) return;
  const std::int64_t skip = bytes_of(begin, call.dtype);
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
  for (std::size_t index = 0; index < posts().size(); ++index) {
    inputs.push_back(offset(input_of(index, small), skip));
    if (shared) outputs.push_back(offset(posts()[index].out, skip));
  }
  if (!shared) outputs.push_back(posts()[index_].out);
  reduce(call.dtype, call.op, inputs, count, outputs);
}

void ThreadGroup::gather(const CollectiveCall& call, bool small) {
  std::byte* out = static_cast<std::byte*>(posts()[index_].out);
  for (std::size_t index = 0; index < posts().size(); ++index) {
    const std::int64_t bytes = bytes_of(call.counts[index], call.dtype);
    copy(out, input_of(index, small), bytes);
    out += bytes;
  }
}

void ThreadGroup::exchange(const CollectiveCall& call) {
  try {
    // Every rank checks every pair, so that all throw or none.
    std::vector<CollectiveCall> calls;
    for (const Post& post : posts()) calls.push_back(post.call);
    check_all_to_all_counts(*this, calls);
  } catch (const Error&) {
    enter_barrier(call);  // the others may still be reading our counts
    throw;
  }
  std::byte* out = static_cast<std::byte*>(posts()[index_].out);
  for (std::size_t index = 0; index < posts().size(); ++index) {
    const std::int64_t skip = bytes_of(sum_before(posts()[index].call.counts, index_), call.dtype);
    const std::int64_t bytes = bytes_of(call.recv_counts[index], call.dtype);
    if (bytes > 0) copy(out, offset(posts()[index].in, skip), bytes);
    out += bytes;
  }
}

void ThreadGroup::send_message(const CollectiveCall& call) {
  Message message{rank(), call, {}};
  const std::byte* data = static_cast<const std::byte*>(call.in->const_data_ptr());
  message.data.assign(data, data + call.in->nbytes());
  Inbox& inbox = state_->inboxes[static_cast<std::size_t>(call.peer)];
  {
    const std::lock_guard lock(inbox.mutex);
    inbox.messages.push_back(std::move(message));
  }
  inbox.arrivals.advance();
}

void ThreadGroup::receive_message(const CollectiveCall& call) {
  Inbox& inbox = state_->inboxes[index_];
  const std::size_t sender = static_cast<std::size_t>(call.peer);
  for (;;) {
    const std::uint32_t seen = inbox.arrivals.load();
    {
      std::unique_lock lock(inbox.mutex);
      const auto found = std::find_if(inbox.messages.begin(), inbox.messages.end(),
                                      [&](const Message& message) { return message.from == call.peer; });
      if (found != inbox.messages.end()) {
        const Message message = std::move(*found);
        inbox.messages.erase(found);
        lock.unlock();
        if (message.call.dtype != call.dtype || message.call.count != call.count) {
          throw Error("rank " + std::to_string(ranks()[index_]) + " called " + describe(call) + " over '" +
                      name() + "', but rank " + std::to_string(ranks()[sender]) + " called " +
                      describe(message.call));
        }
        return copy(call.out->mutable_data_ptr(), message.data.data(),
                    static_cast<std::int64_t>(message.data.size()));
      }
    }
    wait(inbox.arrivals, seen, call, [&] { return std::vector<std::int64_t>{ranks()[sender]}; });
  }
}

void ThreadGroup::enter_barrier(const CollectiveCall& call) {
  const std::uint32_t seen = state_->phase.load();
  const std::uint32_t mine = state_->entered[index_].fetch_add(1, std::memory_order_relaxed) + 1;
  if (state_->waiting.fetch_add(1, std::memory_order_acq_rel) + 1 == posts().size()) {
    state_->waiting.store(0, std::memory_order_relaxed);
    return state_->phase.advance();
  }
  wait(state_->phase, seen, call, [&] {
    std::vector<std::int64_t> missing;
    for (std::size_t index = 0; index < posts().size(); ++index) {
      if (state_->entered[index].load(std::memory_order_relaxed) != mine) missing.push_back(ranks()[index]);
    }
    return missing;
  });
}

}  // namespace vescale::comm
