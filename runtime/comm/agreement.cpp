#include "comm/agreement.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include <ATen/core/Tensor.h>

namespace vescale::comm {

std::int64_t sum_before(c10::IntArrayRef counts, std::size_t index) {
  return std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(index),
                         std::int64_t{0});
}

std::uint64_t hash_counts(c10::IntArrayRef counts) {
  std::uint64_t hash = counts.size();
  for (std::int64_t count : counts)
    hash = (hash ^ static_cast<std::uint64_t>(count)) * 0x9e3779b97f4a7c15 + (hash >> 31);
  return hash;
}

std::int64_t bytes_of(std::int64_t count, c10::ScalarType dtype) {
  return count * static_cast<std::int64_t>(c10::elementSize(dtype));
}

bool fits(const CollectiveCall& call, std::int64_t limit) {
  switch (call.kind) {
    case Collective::AllReduce:
    case Collective::ReduceScatter:
    case Collective::Broadcast:
    case Collective::Barrier:
    case Collective::Send:
    case Collective::Recv:
      return bytes_of(call.count, call.dtype) <= limit;
    case Collective::AllGather:
      return bytes_of(*std::max_element(call.counts.begin(), call.counts.end()), call.dtype) <= limit;
    default:
      return false;
  }
}

void check_agreement(const Group& group, const ReportedCall& first, std::size_t index,
                     const ReportedCall& other) {
  const CollectiveCall& x = first.call;
  const CollectiveCall& y = other.call;
  if (x.kind == y.kind && x.dtype == y.dtype && x.op == y.op && x.peer == y.peer) {
    if (x.kind == Collective::AllToAll) return;  // the parts differ by right
    if (x.count == y.count && first.counts_hash == other.counts_hash) return;
  }
  throw Error("ranks issued different collectives over '" + group.name() + "': rank " +
              std::to_string(group.ranks()[0]) + " called " + describe(x) + "; rank " +
              std::to_string(group.ranks()[index]) + " called " + describe(y) +
              (describe(x) == describe(y) ? "; the counts per rank differ" : ""));
}

void check_all_to_all_counts(const Group& group, c10::ArrayRef<CollectiveCall> calls) {
  for (std::size_t from = 0; from < calls.size(); ++from) {
    for (std::size_t to = 0; to < calls.size(); ++to) {
      const CollectiveCall& sender = calls[from];
      const CollectiveCall& receiver = calls[to];
      if (sender.counts[to] == receiver.recv_counts[from]) continue;
      throw Error("all_to_all over '" + group.name() + "': rank " + std::to_string(group.ranks()[from]) +
                  " sends " + std::to_string(sender.counts[to]) + " elements to rank " +
                  std::to_string(group.ranks()[to]) + " (" + describe(sender) + "), which expects " +
                  std::to_string(receiver.recv_counts[from]) + " (" + describe(receiver) + ")");
    }
  }
}

void check_on_cpu(const Group& group, const CollectiveCall& call, const char* backend) {
  for (const at::Tensor* tensor : {call.in, call.out}) {
    if (tensor == nullptr || tensor->device().is_cpu()) continue;
    throw Error(describe_place(call, group) + ": the " + backend +
                " backend moves CPU tensors only, not one on " + tensor->device().str());
  }
}

std::string describe_place(const CollectiveCall& call, const Group& group) {
  return describe(call) + " over '" + group.name() + "'";
}

std::string describe_timeout(const CollectiveCall& call, const Group& group, double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", seconds);
  return describe_place(call, group) + " timed out after " + text + " s; missing:";
}

}  // namespace vescale::comm
