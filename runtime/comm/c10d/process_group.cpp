#include "comm/c10d/process_group.h"

#include <algorithm>
#include <cstring>

#include "comm/agreement.h"

namespace vescale::comm {
namespace {

// Which axes of the mesh a group spans, from its name: "self", "tp", "dp,tp".
int mask_of(const MeshShape& shape, const std::string& name) {
  int mask = 0;
  std::size_t begin = 0;
  while (name != "self" && begin < name.size()) {
    const std::size_t end = std::min(name.find(',', begin), name.size());
    mask |= 1 << shape.axis(std::string_view(name).substr(begin, end - begin));
    begin = end + 1;
  }
  return mask;
}

}  // namespace

std::unique_ptr<Group> ProcessBackend::make_group(const std::string& name,
                                                  const std::vector<std::int64_t>& ranks) {
  const auto self = std::find(ranks.begin(), ranks.end(), rank());
  return std::make_unique<ProcessGroup>(world_, name, ranks, self - ranks.begin(),
                                        mask_of(world_->shape(), name));
}

ProcessGroup::ProcessGroup(std::shared_ptr<ProcessWorld> world, std::string name,
                           std::vector<std::int64_t> ranks, std::int64_t index, int tag)
    : Group(std::move(name), std::move(ranks), index),
      world_(std::move(world)),
      index_(static_cast<std::size_t>(index)),
      tag_(tag),
      posts_(static_cast<std::size_t>(size())) {}

void ProcessGroup::execute(const CollectiveCall& call) {
  check_on_cpu(*this, call, "gloo");
  if (call.kind == Collective::Send) return send_message(call);
  if (call.kind == Collective::Recv) return receive_message(call);
  const bool small = fits(call, Post::payload_bytes);
  exchange_posts(call, small);
  check_posts_agree();
  if (small) return finish_small(call);
  switch (call.kind) {
    case Collective::AllReduce:
      return all_reduce_large(call);
    case Collective::ReduceScatter:
      return reduce_scatter_large(call);
    case Collective::AllGather:
      return all_gather_large(call);
    case Collective::AllToAll:
      return all_to_all(call);
    default:
      return broadcast_large(call);
  }
}

void ProcessGroup::exchange(const CollectiveCall& call, Channel channel, SpanOf to, SpanOf from) {
  std::vector<Transfer> transfers;
  // A message that finds its receiver ready takes one trip, not three.
  for (std::size_t index = 0; index < posts_.size(); ++index) {
    const Span span = index == index_ ? Span{} : from(index);
    if (span.bytes > 0)
      transfers.push_back(
          world_->receive(ranks()[index], const_cast<void*>(span.data), span.bytes, tag(channel)));
  }
  for (std::size_t step = 1; step < posts_.size(); ++step) {
    const std::size_t index = (index_ + step) % posts_.size();  // not all to the same rank first
    const Span span = to(index);
    if (span.bytes > 0)
      transfers.push_back(world_->send(ranks()[index], span.data, span.bytes, tag(channel)));
  }
  world_->wait(transfers, call, *this);
}

void ProcessGroup::exchange_posts(const CollectiveCall& call, bool small) {
  own_ = Post(call);
  const at::Tensor* input = call.in != nullptr ? call.in : call.out;
  if (small && input != nullptr) {
    if (const std::size_t bytes = input->nbytes(); bytes > 0)
      std::memcpy(own_.payload, input->const_data_ptr(), bytes);
  } else if (call.kind == Collective::AllToAll && 2 * size() * 8 <= Post::payload_bytes) {
    const std::size_t bytes = call.counts.size() * sizeof(std::int64_t);
    std::memcpy(own_.payload, call.counts.data(), bytes);
    std::memcpy(own_.payload + bytes, call.recv_counts.data(), bytes);
  }
  exchange(
      call, Posts, [&](std::size_t) { return Span{&own_, sizeof own_}; },
      [&](std::size_t index) { return Span{&posts_[index], sizeof(Post)}; });
  posts_[index_] = own_;
}

void ProcessGroup::check_posts_agree() const {
  const CollectiveCall first = posts_[0].call();
  for (std::size_t index = 1; index < posts_.size(); ++index) {
    const CollectiveCall other = posts_[index].call();
    check_agreement(*this, {first, posts_[0].counts_hash}, index, {other, posts_[index].counts_hash});
  }
}

void ProcessGroup::send_message(const CollectiveCall& call) {
  const std::int64_t to = ranks()[static_cast<std::size_t>(call.peer)];
  const bool small = fits(call, Post::payload_bytes);
  Post post(call);
  if (small && call.count > 0) std::memcpy(post.payload, call.in->const_data_ptr(), call.in->nbytes());
  at::Tensor bytes = at::empty({sizeof(Post)}, at::kByte);
  std::memcpy(bytes.mutable_data_ptr(), &post, sizeof post);
  world_->send_later(to, std::move(bytes), tag(MessagePosts), call, *this);
  if (!small) world_->send_later(to, call.in->clone(), tag(MessageData), call, *this);
}

void ProcessGroup::receive_message(const CollectiveCall& call) {
  const std::int64_t from = ranks()[static_cast<std::size_t>(call.peer)];
  Post post;
  world_->wait({world_->receive(from, &post, sizeof post, tag(MessagePosts))}, call, *this);
  if (post.dtype != call.dtype || post.count != call.count) {
    throw Error("rank " + std::to_string(ranks()[index_]) + " called " + describe(call) + " over '" + name() +
                "', but rank " + std::to_string(from) + " called " + describe(post.call()));
  }
  void* out = call.out->mutable_data_ptr();
  const std::int64_t bytes = bytes_of(call.count, call.dtype);
  if (bytes == 0) return;
  if (fits(call, Post::payload_bytes)) {
    std::memcpy(out, post.payload, static_cast<std::size_t>(bytes));
  } else {
    world_->wait({world_->receive(from, out, bytes, tag(MessageData))}, call, *this);
  }
}

}  // namespace vescale::comm
