// How data moves once all ranks of a group are known to call the same.
#include <algorithm>
#include <cstring>

#include "comm/agreement.h"
#include "comm/c10d/process_group.h"
#include "comm/reduce.h"

namespace vescale::comm {
namespace {

const std::byte* offset(const void* data, std::int64_t bytes) {
  return static_cast<const std::byte*>(data) + bytes;
}
std::byte* offset(void* data, std::int64_t bytes) { return static_cast<std::byte*>(data) + bytes; }

void copy_bytes(void* to, const void* from, std::int64_t bytes) {
  if (bytes > 0 && to != from) std::memmove(to, from, static_cast<std::size_t>(bytes));
}

// Equal pieces, the last ones shorter or empty.
std::vector<std::int64_t> chunks(std::int64_t count, std::int64_t ranks) {
  const std::int64_t piece = (count + ranks - 1) / ranks;
  std::vector<std::int64_t> counts;
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    counts.push_back(std::clamp<std::int64_t>(count - rank * piece, 0, piece));
  return counts;
}

}  // namespace

void ProcessGroup::finish_small(const CollectiveCall& call) {
  if (call.kind == Collective::Barrier) return;
  void* out = call.out->mutable_data_ptr();
  if (call.kind == Collective::Broadcast)
    return copy_bytes(out, posts_[static_cast<std::size_t>(call.peer)].payload,
                      bytes_of(call.count, call.dtype));
  if (call.kind == Collective::AllGather) {
    std::int64_t at = 0;
    for (std::size_t index = 0; index < posts_.size(); ++index) {
      const std::int64_t bytes = bytes_of(call.counts[index], call.dtype);
      copy_bytes(offset(out, at), posts_[index].payload, bytes);
      at += bytes;
    }
    return;
  }
  const bool scatter = call.kind == Collective::ReduceScatter;
  const std::int64_t count = scatter ? call.counts[index_] : call.count;
  const std::int64_t skip = scatter ? bytes_of(sum_before(call.counts, index_), call.dtype) : 0;
  if (count == 0) return;
  std::vector<const void*> inputs;
  for (const Post& post : posts_) inputs.push_back(post.payload + skip);
  reduce(call.dtype, call.op, inputs, count, {out});
}

void ProcessGroup::reduce_piece(const CollectiveCall& call, const void* input, c10::IntArrayRef counts,
                                void* result) {
  const std::int64_t count = counts[index_];
  const std::int64_t bytes = bytes_of(count, call.dtype);
  const auto piece = [&](std::size_t index) {
    return offset(input, bytes_of(sum_before(counts, index), call.dtype));
  };
  const at::Tensor received = at::empty({size() * bytes}, at::kByte);
  std::byte* base = static_cast<std::byte*>(received.mutable_data_ptr());
  exchange(
      call, Data, [&](std::size_t index) { return Span{piece(index), bytes_of(counts[index], call.dtype)}; },
      [&](std::size_t index) { return Span{offset(base, static_cast<std::int64_t>(index) * bytes), bytes}; });
  if (count == 0) return;
  std::vector<const void*> inputs;
  for (std::size_t index = 0; index < posts_.size(); ++index)
    inputs.push_back(index == index_ ? piece(index) : offset(base, static_cast<std::int64_t>(index) * bytes));
  reduce(call.dtype, call.op, inputs, count, {result});
}

void ProcessGroup::gather_pieces(const CollectiveCall& call, const void* piece, void* out,
                                 c10::IntArrayRef counts) {
  const auto bytes = [&](std::size_t index) { return bytes_of(counts[index], call.dtype); };
  const auto place = [&](std::size_t index) {
    return offset(out, bytes_of(sum_before(counts, index), call.dtype));
  };
  exchange(
      call, Data, [&](std::size_t) { return Span{piece, bytes(index_)}; },
      [&](std::size_t index) { return Span{place(index), bytes(index)}; });
  copy_bytes(place(index_), piece, bytes(index_));
}

// As many bytes as a ring moves: each rank reduces one piece, then gives it to all.
void ProcessGroup::all_reduce_large(const CollectiveCall& call) {
  const std::vector<std::int64_t> counts = chunks(call.count, size());
  void* data = call.out->mutable_data_ptr();
  void* piece = offset(data, bytes_of(sum_before(counts, index_), call.dtype));
  reduce_piece(call, data, counts, piece);
  gather_pieces(call, piece, data, counts);
}

void ProcessGroup::reduce_scatter_large(const CollectiveCall& call) {
  reduce_piece(call, call.in->const_data_ptr(), call.counts, call.out->mutable_data_ptr());
}

void ProcessGroup::all_gather_large(const CollectiveCall& call) {
  gather_pieces(call, call.in->const_data_ptr(), call.out->mutable_data_ptr(), call.counts);
}

// Every rank checks every pair, so that all throw or none.
void ProcessGroup::check_parts(const CollectiveCall& call) {
  const std::size_t row = 2 * call.counts.size();  // sent, then expected
  const auto row_bytes = static_cast<std::int64_t>(row * sizeof(std::int64_t));
  std::vector<std::int64_t> table(row * posts_.size());
  const auto row_of = [&](std::size_t index) { return table.data() + index * row; };
  std::copy(call.counts.begin(), call.counts.end(), row_of(index_));
  std::copy(call.recv_counts.begin(), call.recv_counts.end(), row_of(index_) + call.counts.size());
  if (row_bytes <= Post::payload_bytes) {
    for (std::size_t index = 0; index < posts_.size(); ++index)
      std::memcpy(row_of(index), posts_[index].payload, static_cast<std::size_t>(row_bytes));
  } else {
    exchange(
        call, Data, [&](std::size_t) { return Span{row_of(index_), row_bytes}; },
        [&](std::size_t index) { return Span{row_of(index), row_bytes}; });
  }
  std::vector<CollectiveCall> calls;
  for (std::size_t index = 0; index < posts_.size(); ++index) {
    calls.push_back(posts_[index].call());
    calls.back().counts = {row_of(index), call.counts.size()};
    calls.back().recv_counts = {row_of(index) + call.counts.size(), call.counts.size()};
  }
  check_all_to_all_counts(*this, calls);
}

void ProcessGroup::all_to_all(const CollectiveCall& call) {
  check_parts(call);
  const void* in = call.in->const_data_ptr();
  void* out = call.out->mutable_data_ptr();
  const auto sent = [&](std::size_t index) {
    return Span{offset(in, bytes_of(sum_before(call.counts, index), call.dtype)),
                bytes_of(call.counts[index], call.dtype)};
  };
  const auto received = [&](std::size_t index) {
    return Span{offset(out, bytes_of(sum_before(call.recv_counts, index), call.dtype)),
                bytes_of(call.recv_counts[index], call.dtype)};
  };
  exchange(call, Data, sent, received);
  copy_bytes(const_cast<void*>(received(index_).data), sent(index_).data, sent(index_).bytes);
}

// In pieces: the root gives each rank one, and the ranks exchange them, so that the root sends the value
// twice at most.
void ProcessGroup::broadcast_large(const CollectiveCall& call) {
  const auto root = static_cast<std::size_t>(call.peer);
  const std::vector<std::int64_t> counts = chunks(call.count, size());
  void* data = call.out->mutable_data_ptr();
  const auto piece = [&](std::size_t index) {
    return Span{offset(data, bytes_of(sum_before(counts, index), call.dtype)),
                bytes_of(counts[index], call.dtype)};
  };
  exchange(
      call, Data, [&](std::size_t index) { return index_ == root ? piece(index) : Span{}; },
      [&](std::size_t index) { return index == root ? piece(index_) : Span{}; });
  // The root needs no piece, and its own is all that it gives now.
  exchange(
      call, Data, [&](std::size_t index) { return index == root ? Span{} : piece(index_); },
      [&](std::size_t index) { return index_ == root ? Span{} : piece(index); });
}

}  // namespace vescale::comm
