#pragma once
/// How one mesh axis holds a tensor. A layout has one placement per mesh axis.
///
/// Written form, as in annotations and plans (see Placement::parse):
///   R          replicate: same value and same gradient on each rank of the axis
///   R+         replicate whose gradient is Partial(sum): the view of an R value that split computation uses
///   S(d)       dim d split like torch.chunk: pieces of ceil(n/p), last ones shorter or empty
///   S(d,k)     dim d viewed as (k, n/k), the second split: fused QKV or gate/up weights
///   P, P(op)   the value is the reduction over the axis; op is sum (default), avg, max, min or prod
#include <cstdint>
#include <string>
#include <string_view>

namespace vescale {

/// How values of a Partial combine over the ranks of an axis.
enum class ReduceOp : std::uint8_t { Sum, Avg, Max, Min, Prod };

/// "sum", "avg", "max", "min" or "prod".
const char* to_string(ReduceOp op);

struct Placement {
  enum class Kind : std::uint8_t {
    Invariant,    ///< "R": gradient is Invariant too; the default
    Replicate,    ///< "R+": gradient is Partial(sum)
    Shard,        ///< "S(d)"
    Interleaved,  ///< "S(d,k)"
    Partial,      ///< "P": gradient is Invariant
  };

  Kind kind = Kind::Invariant;
  ReduceOp reduce = ReduceOp::Sum;  ///< of Partial
  std::int16_t dim = 0;             ///< of Shard and Interleaved, never negative
  std::int64_t sections = 1;        ///< k of Interleaved

  static Placement invariant() { return {}; }
  static Placement replicate() { return {Kind::Replicate, ReduceOp::Sum, 0, 1}; }
  static Placement shard(std::int64_t dim) {
    return {Kind::Shard, ReduceOp::Sum, static_cast<std::int16_t>(dim), 1};
  }
  static Placement interleaved(std::int64_t dim, std::int64_t sections) {
    return {Kind::Interleaved, ReduceOp::Sum, static_cast<std::int16_t>(dim), sections};
  }
  static Placement partial(ReduceOp op = ReduceOp::Sum) { return {Kind::Partial, op, 0, 1}; }

  bool is_invariant() const { return kind == Kind::Invariant; }
  /// Same value on each rank, whatever its gradient.
  bool is_replicated() const { return kind == Kind::Invariant || kind == Kind::Replicate; }
  bool is_partial() const { return kind == Kind::Partial; }
  /// Split along a dim, contiguous or interleaved.
  bool is_sharded() const { return kind == Kind::Shard || kind == Kind::Interleaved; }
  bool is_sharded_on(std::int64_t d) const { return is_sharded() && dim == d; }

  /// The placement that this value's gradient has (the table in docs/placements.md).
  Placement gradient() const;

  std::string to_string() const;
  /// Throws vescale::Error that names `text` and the grammar if it is none of the forms above.
  static Placement parse(std::string_view text);

  friend bool operator==(const Placement& a, const Placement& b) {
    return a.kind == b.kind && a.reduce == b.reduce && a.dim == b.dim && a.sections == b.sections;
  }
  friend bool operator!=(const Placement& a, const Placement& b) { return !(a == b); }
};

}  // namespace vescale
