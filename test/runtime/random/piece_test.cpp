// Runs against a walk over every element, and the errors of pieces that do not fit.
#include "random/piece.h"

#include <gtest/gtest.h>

#include <vescale/error.h>

#include "reference.h"

namespace vescale::rng {
namespace {

int count_runs(const GlobalShape& global, const Piece& piece) {
  int runs = 0;
  Runs(global, piece).for_each([&](const auto&) { ++runs; });
  return runs;
}

TEST(Piece, RunsWalkTheElementsInMemoryOrder) {
  const GlobalShape channels_last{{2, 3, 4, 5}, {60, 1, 15, 3}};
  const Piece piece{{{0, 2}}, {{0, 1}, {2, 1}}, {{1, 2}}, {{0, 5}}};
  std::vector<int64_t> expected;  // positions in memory, slowest first: n, h, w, c
  for (int64_t n = 0; n < 2; ++n) {
    for (int64_t h = 1; h < 3; ++h) {
      for (int64_t w = 0; w < 5; ++w) {
        for (const int64_t c : {0, 2}) expected.push_back(n * 60 + h * 15 + w * 3 + c);
      }
    }
  }
  std::vector<int64_t> seen;
  Runs(channels_last, piece).for_each([&](const auto& run) {
    EXPECT_EQ(run.local, static_cast<int64_t>(seen.size()));
    for (int64_t i = 0; i < run.len; ++i) seen.push_back(run.start + i);
  });
  EXPECT_EQ(seen, expected);
}

TEST(Piece, RunsAreMaximal) {
  EXPECT_EQ(count_runs(contiguous({4, 6, 5}), {{{1, 2}}, {{0, 6}}, {{0, 5}}}), 1);
  EXPECT_EQ(count_runs(contiguous({4, 6, 5}), {{{1, 2}}, {{0, 2}, {2, 2}}, {{0, 5}}}), 2);
  EXPECT_EQ(count_runs(contiguous({4, 6, 5}), {{{1, 2}}, {{0, 2}, {3, 0}, {4, 2}}, {{0, 5}}}), 4);
  EXPECT_EQ(count_runs(contiguous({}), {}), 1);
  EXPECT_EQ(count_runs(contiguous({4, 6}), {{{0, 4}}, {}}), 0);
}

TEST(Piece, DimsOfOneElementHaveNoOrder) {
  const GlobalShape odd{{1, 4, 1, 3}, {1, 3, 500, 1}};
  EXPECT_TRUE(odd.is_contiguous());
  EXPECT_EQ(count_runs(odd, {{{0, 1}}, {{1, 2}}, {{0, 1}}, {{0, 3}}}), 1);
}

TEST(Piece, RejectsRangesThatDoNotFit) {
  const GlobalShape shape = contiguous({4});
  EXPECT_THROW(Runs(shape, {{{0, 5}}}), Error);
  EXPECT_THROW(Runs(shape, {{{-1, 2}}}), Error);
  EXPECT_THROW(Runs(shape, {{{2, 1}, {0, 1}}}), Error);
  EXPECT_THROW(Runs(shape, {{{0, 2}, {1, 2}}}), Error);
  EXPECT_THROW(Runs(shape, {}), Error);
}

}  // namespace
}  // namespace vescale::rng
