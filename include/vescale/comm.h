#pragma once
/// Communication among the ranks of a group: the collectives, what they count, and the place that issued
/// them.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <c10/util/ArrayRef.h>

#include <vescale/error.h>
#include <vescale/sharding/placement.h>

namespace at {
class Tensor;
}

namespace vescale {

enum class Collective : std::uint8_t {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  Broadcast,
  Send,
  Recv,
  Barrier
};

/// "all_reduce", "all_gather", ...
const char* to_string(Collective kind);

/// Where a collective comes from, for messages. The strings must live as long as the program.
struct CallSite {
  const char* op = nullptr;    ///< what was called, e.g. "redistribute"
  const char* file = nullptr;  ///< of the user's source
  int line = 0;

  bool known() const { return op != nullptr || file != nullptr; }
  /// "redistribute at train.cpp:12"; "" if nothing is known.
  std::string to_string() const;
};

/// How often a rank communicated and how much it received. A group of one rank moves nothing and counts
/// nothing.
///
/// Bytes are what a rank receives in an optimal ring. With p ranks and n bytes of the whole value:
///   all_reduce 2(p-1)/p n;  all_gather, reduce_scatter (p-1)/p n (also when uneven: the mean over the
///   ranks); all_to_all the bytes received from other ranks;  broadcast n, at the root 0;  recv n;  send,
///   barrier 0.
class CommStats {
 public:
  struct Entry {
    std::string axes;  ///< the group's name, e.g. "tp"
    Collective kind = Collective::Barrier;
    std::int64_t count = 0;
    double bytes = 0;
  };

  void add(const std::string& axes, Collective kind, double bytes);
  void reset() { entries_.clear(); }

  /// One per group name and kind that occurred, in order of first occurrence.
  const std::vector<Entry>& entries() const { return entries_; }
  std::int64_t count(Collective kind) const;
  std::int64_t count(Collective kind, std::string_view axes) const;
  double bytes(Collective kind) const;
  double bytes(Collective kind, std::string_view axes) const;
  std::int64_t total_count() const;
  double total_bytes() const;
  /// A table, one line an entry; "no communication\n" if there is none.
  std::string to_string() const;

 private:
  std::vector<Entry> entries_;
};

struct CollectiveCall;

/// The ranks along some mesh axes that share the calling rank's coordinates on the others, as that rank sees
/// them.
///
/// Every rank of a group issues the same collectives in the same order. Tensors are dense and contiguous, and
/// autograd does not see what happens to them. Calls return when the result is there. They throw Error
///   - before any communication, if an argument does not fit (not contiguous, wrong number of elements, ...);
///   - on every rank of the group, naming both places, if ranks issued different collectives;
///   - after the time-out, naming the collective, the group, the place and the ranks that are missing;
///   - if another rank failed meanwhile.
class Group {
 public:
  /// `name`: the axes, e.g. "tp" or "dp,tp". `ranks`: the mesh ranks that belong to it, increasing.
  Group(std::string name, std::vector<std::int64_t> ranks, std::int64_t rank);
  virtual ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  const std::string& name() const { return name_; }
  const std::vector<std::int64_t>& ranks() const { return ranks_; }
  /// The calling rank's index in ranks().
  std::int64_t rank() const { return rank_; }
  std::int64_t size() const { return static_cast<std::int64_t>(ranks_.size()); }

  /// In place. Avg needs a floating-point type; for bool, Sum and Max are "or", Prod and Min are "and".
  /// float16 and bfloat16 are reduced in float and rounded once. NaN wins Max and Min.
  void all_reduce(const at::Tensor& tensor, ReduceOp op = ReduceOp::Sum);

  /// `out` becomes the ranks' `in`, flattened, one after the other; rank r gives counts[r] elements, maybe
  /// none.
  void all_gather(const at::Tensor& out, const at::Tensor& in, c10::IntArrayRef counts);
  at::Tensor all_gather(const at::Tensor& in, c10::IntArrayRef counts);

  /// The ranks' `in` are reduced; rank r gets the counts[r] elements that follow those of the ranks before
  /// it.
  void reduce_scatter(const at::Tensor& out, const at::Tensor& in, c10::IntArrayRef counts,
                      ReduceOp op = ReduceOp::Sum);
  at::Tensor reduce_scatter(const at::Tensor& in, c10::IntArrayRef counts, ReduceOp op = ReduceOp::Sum);

  /// `in`: send_counts[r] elements for each rank r in order; `out`: recv_counts[r] elements from each.
  void all_to_all(const at::Tensor& out, const at::Tensor& in, c10::IntArrayRef send_counts,
                  c10::IntArrayRef recv_counts);
  at::Tensor all_to_all(const at::Tensor& in, c10::IntArrayRef send_counts, c10::IntArrayRef recv_counts);

  /// `tensor` becomes that of rank `root` of the group.
  void broadcast(const at::Tensor& tensor, std::int64_t root);

  /// Returns when `tensor` may be changed, not when it has arrived. Messages of a pair arrive in order.
  void send(const at::Tensor& tensor, std::int64_t to);
  void recv(const at::Tensor& tensor, std::int64_t from);

  /// Returns when every rank has called it.
  void barrier();

  /// Throws on every rank unless `tensor` is bitwise the same on all; names the ranks that differ from the
  /// first. Not counted in CommStats.
  void check_equal(const at::Tensor& tensor);

 protected:
  /// Does one collective of a group of two or more ranks. The arguments have been checked.
  virtual void execute(const CollectiveCall& call) = 0;

 private:
  void issue(const CollectiveCall& call, double bytes);

  std::string name_;
  std::vector<std::int64_t> ranks_;
  std::int64_t rank_;
};

}  // namespace vescale
