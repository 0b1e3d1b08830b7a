#pragma once
/// The table of conversions between placements of one axis: what moves forward and backward.
#include <cstdint>
#include <string_view>

#include <vescale/sharding/placement.h>

namespace vescale::sharding {

enum class Movement : std::uint8_t {
  None,       ///< nothing moves
  Slice,      ///< each rank keeps its piece
  KeepFirst,  ///< rank 0 of the axis keeps the value, the others zero
  ZeroPad,    ///< each rank's piece at its place in zeros
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
};

struct Conversion {
  Movement forward = Movement::None;
  Movement backward = Movement::None;
  friend bool operator==(const Conversion& a, const Conversion& b) {
    return a.forward == b.forward && a.backward == b.backward;
  }
};

/// The conversion `from` -> `to` along one axis. Every pair of placements has one, possibly of several steps
/// folded into the cheapest single movement; a Partial of one kind to a Partial of another goes through
/// Invariant and throws vescale::Error.
Conversion conversion(const Placement& from, const Placement& to);

/// Bytes that a rank receives for `movement` of a tensor whose value over this axis' ranks together is
/// `bytes` long, over `ranks` ranks: ring lower bounds (all_reduce 2(p-1)/p, all_gather and reduce_scatter
/// (p-1)/p, all_to_all (p-1)/p^2).
double movement_bytes(Movement movement, double bytes, std::int64_t ranks);

/// "all_reduce", ...; the name of the visible call.
std::string_view to_string(Movement movement);

}  // namespace vescale::sharding
