#include "Sharding/Conversion.h"

#include <string>

#include <vescale/error.h>

namespace vescale::sharding {
namespace {

using Kind = Placement::Kind;

// Where every rank may hold the value itself and the reduction still gives the value.
bool is_idempotent(ReduceOp op) { return op == ReduceOp::Avg || op == ReduceOp::Max || op == ReduceOp::Min; }

Conversion from_replicated(bool invariant, const Placement& to) {
  // An R+ value's gradient is a sum over the ranks, so each rank may give only its share.
  const auto backward = [&](Movement of_invariant, Movement of_replicate) {
    return invariant ? of_invariant : of_replicate;
  };
  switch (to.kind) {
    case Kind::Invariant:
      return {Movement::None, backward(Movement::None, Movement::KeepFirst)};
    case Kind::Replicate:
      return {Movement::None, backward(Movement::AllReduce, Movement::None)};
    case Kind::Shard:
    case Kind::Interleaved:
      return {Movement::Slice, backward(Movement::AllGather, Movement::ZeroPad)};
    case Kind::Partial:
      break;
  }
  return {is_idempotent(to.reduce) ? Movement::None : Movement::KeepFirst,
          backward(Movement::None, Movement::KeepFirst)};
}

Conversion from_sharded(const Placement& to) {
  switch (to.kind) {
    case Kind::Invariant:
      return {Movement::AllGather, Movement::Slice};
    case Kind::Replicate:
      return {Movement::AllGather, Movement::ReduceScatter};
    case Kind::Shard:
    case Kind::Interleaved:
      return {Movement::AllToAll, Movement::AllToAll};
    case Kind::Partial:
      break;
  }
  return {Movement::ZeroPad, Movement::Slice};
}

Conversion from_partial(const Placement& from, const Placement& to) {
  switch (to.kind) {
    case Kind::Invariant:
      return {Movement::AllReduce, Movement::None};
    case Kind::Replicate:
      return {Movement::AllReduce, Movement::AllReduce};
    case Kind::Shard:
    case Kind::Interleaved:
      return {Movement::ReduceScatter, Movement::AllGather};
    case Kind::Partial:
      break;
  }
  throw Error("no conversion from " + from.to_string() + " to " + to.to_string() +
              ": reduce it first, by redistributing to R");
}

}  // namespace

Conversion conversion(const Placement& from, const Placement& to) {
  if (from == to) return {};
  switch (from.kind) {
    case Kind::Invariant:
    case Kind::Replicate:
      return from_replicated(from.is_invariant(), to);
    case Kind::Shard:
    case Kind::Interleaved:
      return from_sharded(to);
    case Kind::Partial:
      break;
  }
  return from_partial(from, to);
}

double movement_bytes(Movement movement, double bytes, std::int64_t ranks) {
  const double p = static_cast<double>(ranks);
  switch (movement) {
    case Movement::AllReduce:
      return bytes * 2 * (p - 1) / p;
    case Movement::AllGather:
    case Movement::ReduceScatter:
      return bytes * (p - 1) / p;
    case Movement::AllToAll:
      return bytes * (p - 1) / (p * p);
    case Movement::None:
    case Movement::Slice:
    case Movement::KeepFirst:
    case Movement::ZeroPad:
      break;
  }
  return 0;
}

std::string_view to_string(Movement movement) {
  switch (movement) {
    case Movement::None:
      return "none";
    case Movement::Slice:
      return "slice";
    case Movement::KeepFirst:
      return "keep_first";
    case Movement::ZeroPad:
      return "zero_pad";
    case Movement::AllReduce:
      return "all_reduce";
    case Movement::AllGather:
      return "all_gather";
    case Movement::ReduceScatter:
      return "reduce_scatter";
    case Movement::AllToAll:
      break;
  }
  return "all_to_all";
}

}  // namespace vescale::sharding
