#pragma once
/// What a process tells the others of a group about its call.
#include <cstddef>
#include <cstdint>

#include "comm/backend.h"

namespace vescale::comm {

/// Of one size whatever the call, so that ranks which call different things still understand each other.
struct Post {
  static constexpr std::int64_t payload_bytes = 768;

  Post() = default;
  explicit Post(const CollectiveCall& call);

  /// The call, without tensors and counts. Its site's strings are this post's.
  CollectiveCall call() const;

  std::uint64_t counts_hash = 0;
  std::int64_t count = 0;
  std::int64_t peer = 0;
  std::int32_t line = 0;
  Collective kind = Collective::Barrier;
  ReduceOp op = ReduceOp::Sum;
  c10::ScalarType dtype = c10::ScalarType::Byte;
  char site_op[81] = {};     ///< "" if unknown
  char site_file[144] = {};  ///< the end of a longer path
  alignas(16) std::byte payload[payload_bytes] = {};
};

}  // namespace vescale::comm
