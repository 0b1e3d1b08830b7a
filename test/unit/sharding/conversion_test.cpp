#include "Sharding/Conversion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include <vescale/error.h>
#include <vescale/sharding/layout.h>

namespace vescale::sharding {
namespace {

using M = Movement;
using Vector = std::vector<double>;
using PerRank = std::vector<Vector>;

const Placement I = Placement::invariant();
const Placement R = Placement::replicate();
const Placement S0 = Placement::shard(0);
const Placement S1 = Placement::shard(1);
const Placement S03 = Placement::interleaved(0, 3);
const Placement S02 = Placement::interleaved(0, 2);
const Placement P = Placement::partial();
const Placement Pmax = Placement::partial(ReduceOp::Max);

struct Row {
  Placement from, to;
  Conversion expected;
};

// Table of the design, in full.
const std::vector<Row> table{
    {I, I, {M::None, M::None}},
    {I, R, {M::None, M::AllReduce}},
    {I, S0, {M::Slice, M::AllGather}},
    {I, S03, {M::Slice, M::AllGather}},
    {I, P, {M::KeepFirst, M::None}},
    {I, Pmax, {M::None, M::None}},
    {R, I, {M::None, M::KeepFirst}},
    {R, R, {M::None, M::None}},
    {R, S0, {M::Slice, M::ZeroPad}},
    {R, S03, {M::Slice, M::ZeroPad}},
    {R, P, {M::KeepFirst, M::KeepFirst}},
    {R, Pmax, {M::None, M::KeepFirst}},
    {S0, I, {M::AllGather, M::Slice}},
    {S0, R, {M::AllGather, M::ReduceScatter}},
    {S0, S0, {M::None, M::None}},
    {S0, S1, {M::AllToAll, M::AllToAll}},
    {S0, S03, {M::AllToAll, M::AllToAll}},
    {S0, P, {M::ZeroPad, M::Slice}},
    {S03, I, {M::AllGather, M::Slice}},
    {S03, R, {M::AllGather, M::ReduceScatter}},
    {S03, S0, {M::AllToAll, M::AllToAll}},
    {S03, S02, {M::AllToAll, M::AllToAll}},
    {S03, S03, {M::None, M::None}},
    {S03, P, {M::ZeroPad, M::Slice}},
    {P, I, {M::AllReduce, M::None}},
    {P, R, {M::AllReduce, M::AllReduce}},
    {P, S0, {M::ReduceScatter, M::AllGather}},
    {P, S03, {M::ReduceScatter, M::AllGather}},
    {P, P, {M::None, M::None}},
    {Pmax, I, {M::AllReduce, M::None}},
    {Pmax, S1, {M::ReduceScatter, M::AllGather}},
};

TEST(Conversion, TableOfTheDesign) {
  for (const Row& row : table) {
    const Conversion actual = conversion(row.from, row.to);
    EXPECT_EQ(actual.forward, row.expected.forward) << row.from.to_string() << " -> " << row.to.to_string();
    EXPECT_EQ(actual.backward, row.expected.backward) << row.from.to_string() << " -> " << row.to.to_string();
  }
}

TEST(Conversion, TwoKindsOfReductionNeedTheValue) {
  EXPECT_THROW(conversion(P, Pmax), Error);
  EXPECT_THROW(conversion(Pmax, P), Error);
}

// The values of one axis of ranks, one-dimensional (all placements of dim 0).

std::vector<std::int64_t> owned(const Placement& placement, std::int64_t size, std::int64_t ranks,
                                std::int64_t rank) {
  std::vector<std::int64_t> result;
  for (const Range& range : piece_ranges({{0, size}}, placement, ranks, rank)) {
    for (std::int64_t i = 0; i < range.length; ++i) result.push_back(range.start + i);
  }
  return result;
}

PerRank distributed(const Vector& value, const Placement& placement, std::int64_t ranks) {
  PerRank result(ranks, value);
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    if (placement.is_sharded()) {
      result[rank].clear();
      for (std::int64_t i : owned(placement, value.size(), ranks, rank)) result[rank].push_back(value[i]);
    } else if (placement == P) {
      // Shares that differ and add up.
      for (std::size_t i = 0; i < value.size(); ++i) {
        const double shift = rank == 0 ? 0 : static_cast<double>(rank) + static_cast<double>(i);
        if (rank > 0) result[0][i] -= shift;
        if (rank > 0) result[rank][i] = shift;
      }
    } else if (placement == Pmax) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (static_cast<std::int64_t>(i) % ranks != rank) result[rank][i] -= 1;
      }
    }
  }
  return result;
}

Vector reduced(const PerRank& parts, bool max) {
  Vector result = parts.front();
  for (std::size_t r = 1; r < parts.size(); ++r) {
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = max ? std::max(result[i], parts[r][i]) : result[i] + parts[r][i];
    }
  }
  return result;
}

Vector collected(const PerRank& parts, const Placement& placement, std::size_t size) {
  if (placement.is_partial()) return reduced(parts, placement == Pmax);
  if (placement.is_sharded()) {
    Vector result(size, -999);
    for (std::size_t r = 0; r < parts.size(); ++r) {
      const auto at = owned(placement, size, parts.size(), r);
      EXPECT_EQ(at.size(), parts[r].size());
      for (std::size_t i = 0; i < at.size() && i < parts[r].size(); ++i) result[at[i]] = parts[r][i];
    }
    return result;
  }
  for (const Vector& part : parts) EXPECT_EQ(part, parts.front()) << "replicas differ";
  return parts.front();
}

PerRank padded(const PerRank& parts, const Placement& placement, std::size_t size) {
  PerRank result(parts.size(), Vector(size, 0));
  for (std::size_t r = 0; r < parts.size(); ++r) {
    const auto at = owned(placement, size, parts.size(), r);
    for (std::size_t i = 0; i < at.size(); ++i) result[r][at[i]] = parts[r][i];
  }
  return result;
}

PerRank sliced(const PerRank& parts, const Placement& placement) {
  PerRank result(parts.size());
  for (std::size_t r = 0; r < parts.size(); ++r) {
    for (std::int64_t i : owned(placement, parts[r].size(), parts.size(), r))
      result[r].push_back(parts[r][i]);
  }
  return result;
}

// What each movement does, by its name alone.
PerRank moved(M movement, const PerRank& parts, const Placement& from, const Placement& to,
              std::size_t size) {
  const std::size_t ranks = parts.size();
  switch (movement) {
    case M::None:
      return parts;
    case M::Slice:
      return sliced(parts, to);
    case M::KeepFirst: {
      PerRank result(ranks, Vector(size, 0));
      result.front() = parts.front();
      return result;
    }
    case M::ZeroPad:
      return padded(parts, from, size);
    case M::AllReduce:
      return PerRank(ranks, reduced(parts, from == Pmax));
    case M::AllGather:
      return PerRank(ranks, collected(parts, from, size));
    case M::ReduceScatter:
      return sliced(PerRank(ranks, reduced(parts, from == Pmax)), to);
    case M::AllToAll:
      return distributed(collected(parts, from, size), to, ranks);
  }
  return {};
}

std::vector<std::pair<Placement, Placement>> all_pairs() {
  const std::vector<Placement> all{I, R, S0, S02, S03, P, Pmax};
  std::vector<std::pair<Placement, Placement>> result;
  for (const Placement& from : all) {
    for (const Placement& to : all) {
      if (from.is_partial() && to.is_partial() && from != to) continue;
      result.emplace_back(from, to);
    }
  }
  return result;
}

TEST(Conversion, ForwardKeepsTheValueForEveryPair) {
  for (std::int64_t ranks : {1, 2, 3, 4, 5}) {
    for (std::int64_t size : {0, 6, 12, 18}) {
      Vector value(size);
      std::iota(value.begin(), value.end(), 1);
      for (const auto& [from, to] : all_pairs()) {
        const PerRank before = distributed(value, from, ranks);
        const PerRank after = moved(conversion(from, to).forward, before, from, to, size);
        EXPECT_EQ(collected(after, to, size), value) << from.to_string() << " -> " << to.to_string();
      }
    }
  }
}

// A conversion is the identity on values, hence on gradients: from to.gradient() to from.gradient().
TEST(Conversion, BackwardKeepsTheGradientForEveryPair) {
  for (std::int64_t ranks : {1, 2, 3, 4, 5}) {
    for (std::int64_t size : {0, 6, 12, 18}) {
      Vector gradient(size);
      std::iota(gradient.begin(), gradient.end(), 1);
      for (const auto& [from, to] : all_pairs()) {
        const PerRank before = distributed(gradient, to.gradient(), ranks);
        const PerRank after =
            moved(conversion(from, to).backward, before, to.gradient(), from.gradient(), size);
        EXPECT_EQ(collected(after, from.gradient(), size), gradient)
            << from.to_string() << " -> " << to.to_string();
      }
    }
  }
}

TEST(MovementBytes, RingBounds) {
  EXPECT_DOUBLE_EQ(movement_bytes(M::AllReduce, 100, 4), 150);
  EXPECT_DOUBLE_EQ(movement_bytes(M::AllGather, 100, 4), 75);
  EXPECT_DOUBLE_EQ(movement_bytes(M::ReduceScatter, 100, 4), 75);
  EXPECT_DOUBLE_EQ(movement_bytes(M::AllToAll, 100, 4), 18.75);
  for (M movement : {M::None, M::Slice, M::KeepFirst, M::ZeroPad})
    EXPECT_EQ(movement_bytes(movement, 100, 4), 0);
  for (M movement : {M::AllReduce, M::AllGather, M::ReduceScatter, M::AllToAll}) {
    EXPECT_EQ(movement_bytes(movement, 100, 1), 0);
  }
}

TEST(MovementName, IsTheCallsName) {
  EXPECT_EQ(to_string(M::AllReduce), "all_reduce");
  EXPECT_EQ(to_string(M::AllGather), "all_gather");
  EXPECT_EQ(to_string(M::ReduceScatter), "reduce_scatter");
  EXPECT_EQ(to_string(M::AllToAll), "all_to_all");
}

}  // namespace
}  // namespace vescale::sharding
