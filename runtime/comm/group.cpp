// The funnel: every collective is checked here, counted here and handed to the backend here.
#include <cstring>

#include <ATen/ATen.h>

#include <vescale/comm.h>
#include <vescale/rank_context.h>

#include "comm/backend.h"
#include "comm/reduce.h"

namespace vescale {
namespace {

std::int64_t sum_of(c10::IntArrayRef counts) {
  std::int64_t sum = 0;
  for (std::int64_t count : counts) sum += count;
  return sum;
}

[[noreturn]] void refuse(const Group& group, Collective kind, const std::string& reason) {
  const CallSite& site = RankContext::current().call_site();
  throw Error(std::string(to_string(kind)) + " over '" + group.name() + "'" +
              (site.known() ? " (" + site.to_string() + ")" : "") + ": " + reason);
}

void check_tensor(const Group& group, Collective kind, const at::Tensor& tensor, const char* what) {
  if (!tensor.defined()) refuse(group, kind, std::string(what) + " is an undefined tensor");
  if (!tensor.is_contiguous() || tensor.is_neg() || tensor.is_conj()) {
    refuse(group, kind,
           std::string(what) + " is not contiguous; call contiguous() and resolve_neg/resolve_conj first");
  }
}

void check_counts(const Group& group, Collective kind, c10::IntArrayRef counts, const char* what) {
  if (static_cast<std::int64_t>(counts.size()) != group.size()) {
    refuse(group, kind,
           std::to_string(counts.size()) + " " + what + " for " + std::to_string(group.size()) + " ranks");
  }
  for (std::int64_t count : counts) {
    if (count < 0) refuse(group, kind, std::string(what) + " of " + std::to_string(count));
  }
}

void check_numel(const Group& group, Collective kind, const at::Tensor& tensor, std::int64_t expected,
                 const char* what) {
  if (tensor.numel() != expected) {
    refuse(group, kind,
           std::string(what) + " has " + std::to_string(tensor.numel()) + " elements instead of the " +
               std::to_string(expected) + " that the counts say");
  }
}

void check_same_dtype(const Group& group, Collective kind, const at::Tensor& out, const at::Tensor& in) {
  if (out.scalar_type() != in.scalar_type()) {
    refuse(group, kind,
           std::string("output is ") + c10::toString(out.scalar_type()) + ", input is " +
               c10::toString(in.scalar_type()));
  }
}

void check_reduction(const Group& group, Collective kind, const at::Tensor& tensor, ReduceOp op) {
  if (!comm::can_reduce(tensor.scalar_type(), op)) {
    refuse(group, kind,
           std::string(comm::reduce_name(op)) + " is not defined for " + c10::toString(tensor.scalar_type()));
  }
}

void check_peer(const Group& group, Collective kind, std::int64_t peer, bool may_be_self) {
  if (peer < 0 || peer >= group.size()) {
    refuse(group, kind, "rank " + std::to_string(peer) + " of a group of " + std::to_string(group.size()));
  }
  if (!may_be_self && peer == group.rank())
    refuse(group, kind, "a rank cannot exchange messages with itself");
}

// What a group of one rank does: the result is the input.
void copy_through(const CollectiveCall& call) {
  if (call.in == nullptr || call.out == nullptr) return;
  const std::size_t bytes = call.out->nbytes();
  if (bytes != 0) std::memmove(call.out->mutable_data_ptr(), call.in->const_data_ptr(), bytes);
}

// FNV-1a over 8-byte words, then over the remaining bytes.
std::uint64_t hash_bytes(const void* data, std::size_t size) {
  constexpr std::uint64_t prime = 0x100000001b3;
  std::uint64_t hash = 0xcbf29ce484222325 ^ size;
  const char* bytes = static_cast<const char*>(data);
  for (; size >= 8; bytes += 8, size -= 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes, 8);
    hash = (hash ^ word) * prime;
    hash ^= hash >> 29;
  }
  for (; size > 0; ++bytes, --size) hash = (hash ^ static_cast<unsigned char>(*bytes)) * prime;
  return hash;
}

}  // namespace

Backend::~Backend() = default;

std::string describe(const CollectiveCall& call) {
  std::string text = to_string(call.kind);
  if (call.kind == Collective::AllReduce || call.kind == Collective::ReduceScatter) {
    text += std::string("(") + comm::reduce_name(call.op) + ")";
  }
  if (call.kind != Collective::Barrier) {
    text += " of " + std::to_string(call.count) + " " + c10::toString(call.dtype);
  }
  if (call.kind == Collective::Broadcast) text += " from rank " + std::to_string(call.peer) + " of the group";
  if (call.site.known()) text += " in " + call.site.to_string();
  return text;
}

Group::Group(std::string name, std::vector<std::int64_t> ranks, std::int64_t rank)
    : name_(std::move(name)), ranks_(std::move(ranks)), rank_(rank) {}

Group::~Group() = default;

void Group::issue(const CollectiveCall& call, double bytes) {
  if (size() == 1) return copy_through(call);
  RankContext& context = RankContext::current();
  context.comm_stats().add(name_, call.kind, bytes);
  CollectiveCall placed = call;
  placed.site = context.call_site();
  execute(placed);
}

void Group::all_reduce(const at::Tensor& tensor, ReduceOp op) {
  constexpr Collective kind = Collective::AllReduce;
  check_tensor(*this, kind, tensor, "the tensor");
  check_reduction(*this, kind, tensor, op);
  CollectiveCall call{kind, op, tensor.scalar_type()};
  call.out = &tensor;
  call.count = tensor.numel();
  const double p = static_cast<double>(size());
  issue(call, 2 * (p - 1) / p * static_cast<double>(tensor.nbytes()));
}

void Group::all_gather(const at::Tensor& out, const at::Tensor& in, c10::IntArrayRef counts) {
  constexpr Collective kind = Collective::AllGather;
  check_tensor(*this, kind, in, "the input");
  check_tensor(*this, kind, out, "the output");
  check_same_dtype(*this, kind, out, in);
  check_counts(*this, kind, counts, "counts");
  check_numel(*this, kind, in, counts[static_cast<std::size_t>(rank_)], "the input");
  check_numel(*this, kind, out, sum_of(counts), "the output");
  CollectiveCall call{kind, ReduceOp::Sum, in.scalar_type(), &in, &out, out.numel(), counts};
  const double p = static_cast<double>(size());
  issue(call, (p - 1) / p * static_cast<double>(out.nbytes()));
}

at::Tensor Group::all_gather(const at::Tensor& in, c10::IntArrayRef counts) {
  check_tensor(*this, Collective::AllGather, in, "the input");
  check_counts(*this, Collective::AllGather, counts, "counts");
  at::Tensor out = at::empty({sum_of(counts)}, in.options());
  all_gather(out, in, counts);
  return out;
}

void Group::reduce_scatter(const at::Tensor& out, const at::Tensor& in, c10::IntArrayRef counts,
                           ReduceOp op) {
  constexpr Collective kind = Collective::ReduceScatter;
  check_tensor(*this, kind, in, "the input");
  check_tensor(*this, kind, out, "the output");
  check_same_dtype(*this, kind, out, in);
  check_counts(*this, kind, counts, "counts");
  check_numel(*this, kind, in, sum_of(counts), "the input");
  check_numel(*this, kind, out, counts[static_cast<std::size_t>(rank_)], "the output");
  check_reduction(*this, kind, in, op);
  CollectiveCall call{kind, op, in.scalar_type(), &in, &out, in.numel(), counts};
  const double p = static_cast<double>(size());
  issue(call, (p - 1) / p * static_cast<double>(in.nbytes()));
}

at::Tensor Group::reduce_scatter(const at::Tensor& in, c10::IntArrayRef counts, ReduceOp op) {
  check_tensor(*this, Collective::ReduceScatter, in, "the input");
  check_counts(*this, Collective::ReduceScatter, counts, "counts");
  at::Tensor out = at::empty({counts[static_cast<std::size_t>(rank_)]}, in.options());
  reduce_scatter(out, in, counts, op);
  return out;
}

void Group::all_to_all(const at::Tensor& out, const at::Tensor& in, c10::IntArrayRef send_counts,
                       c10::IntArrayRef recv_counts) {
  constexpr Collective kind = Collective::AllToAll;
  check_tensor(*this, kind, in, "the input");
  check_tensor(*this, kind, out, "the output");
  check_same_dtype(*this, kind, out, in);
  check_counts(*this, kind, send_counts, "send counts");
  check_counts(*this, kind, recv_counts, "receive counts");
  check_numel(*this, kind, in, sum_of(send_counts), "the input");
  check_numel(*this, kind, out, sum_of(recv_counts), "the output");
  const std::int64_t own = recv_counts[static_cast<std::size_t>(rank_)];
  if (own != send_counts[static_cast<std::size_t>(rank_)]) {
    refuse(*this, kind,
           "this rank sends itself " + std::to_string(send_counts[static_cast<std::size_t>(rank_)]) +
               " elements but expects " + std::to_string(own));
  }
  CollectiveCall call{kind, ReduceOp::Sum, in.scalar_type(), &in, &out, in.numel(), send_counts, recv_counts};
  issue(call, static_cast<double>(out.numel() - own) * static_cast<double>(out.element_size()));
}

at::Tensor Group::all_to_all(const at::Tensor& in, c10::IntArrayRef send_counts,
                             c10::IntArrayRef recv_counts) {
  check_tensor(*this, Collective::AllToAll, in, "the input");
  check_counts(*this, Collective::AllToAll, recv_counts, "receive counts");
  at::Tensor out = at::empty({sum_of(recv_counts)}, in.options());
  all_to_all(out, in, send_counts, recv_counts);
  return out;
}

void Group::broadcast(const at::Tensor& tensor, std::int64_t root) {
  constexpr Collective kind = Collective::Broadcast;
  check_tensor(*this, kind, tensor, "the tensor");
  check_peer(*this, kind, root, true);
  CollectiveCall call{kind, ReduceOp::Sum, tensor.scalar_type()};
  call.out = &tensor;
  call.count = tensor.numel();
  call.peer = root;
  issue(call, root == rank_ ? 0 : static_cast<double>(tensor.nbytes()));
}

void Group::send(const at::Tensor& tensor, std::int64_t to) {
  check_tensor(*this, Collective::Send, tensor, "the tensor");
  check_peer(*this, Collective::Send, to, false);
  CollectiveCall call{Collective::Send, ReduceOp::Sum, tensor.scalar_type()};
  call.in = &tensor;
  call.count = tensor.numel();
  call.peer = to;
  issue(call, 0);
}

void Group::recv(const at::Tensor& tensor, std::int64_t from) {
  check_tensor(*this, Collective::Recv, tensor, "the tensor");
  check_peer(*this, Collective::Recv, from, false);
  CollectiveCall call{Collective::Recv, ReduceOp::Sum, tensor.scalar_type()};
  call.out = &tensor;
  call.count = tensor.numel();
  call.peer = from;
  issue(call, static_cast<double>(tensor.nbytes()));
}

void Group::barrier() { issue(CollectiveCall{}, 0); }

void Group::check_equal(const at::Tensor& tensor) {
  constexpr Collective kind = Collective::AllGather;
  check_tensor(*this, kind, tensor, "the tensor");
  if (size() == 1) return;
  const std::uint64_t hash = hash_bytes(tensor.const_data_ptr(), tensor.nbytes());
  const at::Tensor own = at::full({1}, static_cast<std::int64_t>(hash), at::kLong);
  const at::Tensor all = at::empty({size()}, at::kLong);
  const std::vector<std::int64_t> counts(ranks_.size(), 1);
  CollectiveCall call{kind, ReduceOp::Sum, at::kLong, &own, &all, size(), counts};
  call.site = RankContext::current().call_site();
  execute(call);
  const std::int64_t* hashes = static_cast<const std::int64_t*>(all.const_data_ptr());
  std::string different;
  for (std::size_t index = 1; index < ranks_.size(); ++index) {
    if (hashes[index] != hashes[0])
      different += (different.empty() ? "" : ", ") + std::to_string(ranks_[index]);
  }
  if (different.empty()) return;
  throw Error("a value that should be the same on all ranks of '" + name_ + "' is not: rank(s) " + different +
              " differ from rank " + std::to_string(ranks_[0]) +
              (call.site.known() ? ", in " + call.site.to_string() : ""));
}

}  // namespace vescale
