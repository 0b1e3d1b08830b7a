#pragma once
/// What a way of moving data between ranks implements: Backend makes groups, and a Group's execute() does the
/// work.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <c10/core/ScalarType.h>
#include <c10/util/ArrayRef.h>

#include <vescale/comm.h>

namespace vescale {

/// One collective as a backend sees it. `in` and `out` are dense; which of them, the counts and `peer` mean
/// something depends on the kind, see Group. In-place kinds have `out` only.
struct CollectiveCall {
  Collective kind = Collective::Barrier;
  ReduceOp op = ReduceOp::Sum;
  c10::ScalarType dtype = c10::ScalarType::Byte;
  const at::Tensor* in = nullptr;
  const at::Tensor* out = nullptr;
  std::int64_t count = 0;             ///< elements of the whole value; of `in` for all_to_all
  c10::IntArrayRef counts = {};       ///< per rank: all_gather, reduce_scatter; sent, for all_to_all
  c10::IntArrayRef recv_counts = {};  ///< all_to_all
  std::int64_t peer = 0;              ///< root of broadcast, other side of send and recv: index in the group
  CallSite site = {};
};

/// "all_reduce(sum) of 4 Float, redistribute at train.cpp:12"
std::string describe(const CollectiveCall& call);

/// One object per rank.
class Backend {
 public:
  virtual ~Backend();
  virtual std::int64_t rank() const = 0;
  virtual std::int64_t num_ranks() const = 0;
  /// Called by each rank in `ranks`, with the same name, not necessarily at the same time.
  virtual std::unique_ptr<Group> make_group(const std::string& name,
                                            const std::vector<std::int64_t>& ranks) = 0;
};

/// What ranks throw that had to stop because another one failed.
class StoppedError : public Error {
 public:
  using Error::Error;
};

}  // namespace vescale
