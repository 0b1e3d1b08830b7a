// Splits against torch.chunk, runs against a walk over every element, and the errors of pieces that do not
// fit.
#include "random/piece.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace vescale::rng {
namespace {

std::vector<int64_t> indices(const DimRanges& ranges) {
  std::vector<int64_t> result;
  for (const Range& r : ranges) {
    for (int64_t i = 0; i < r.len; ++i) result.push_back(r.start + i);
  }
  return result;
}

std::vector<int64_t> to_vector(const at::Tensor& t) {
  const at::Tensor c = t.contiguous();
  return {c.data_ptr<int64_t>(), c.data_ptr<int64_t>() + c.numel()};
}

at::Tensor chunk_or_empty(const at::Tensor& t, int64_t parts, int64_t index) {
  const auto chunks = t.chunk(parts);
  return index < static_cast<int64_t>(chunks.size()) ? chunks[static_cast<size_t>(index)] : t.narrow(0, 0, 0);
}

TEST(Piece, SplitIsTorchChunk) {
  for (const int64_t n : {0, 1, 2, 5, 7, 8, 16, 33}) {
    for (const int64_t parts : {1, 2, 3, 4, 8}) {
      for (int64_t i = 0; i < parts; ++i) {
        EXPECT_EQ(indices(split({{0, n}}, parts, i)), to_vector(chunk_or_empty(torch::arange(n), parts, i)));
      }
    }
  }
}

TEST(Piece, SplitsNest) {
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = 0; j < 2; ++j) {
      const at::Tensor expected = chunk_or_empty(chunk_or_empty(torch::arange(11), 3, i), 2, j);
      EXPECT_EQ(indices(split(split({{0, 11}}, 3, i), 2, j)), to_vector(expected));
    }
  }
}

TEST(Piece, InterleavedSplitTakesAPartOfEachGroup) {
  EXPECT_EQ(indices(split_interleaved({{0, 12}}, 3, 2, 1)), (std::vector<int64_t>{2, 3, 6, 7, 10, 11}));
  EXPECT_EQ(indices(split_interleaved({{0, 10}}, 2, 3, 2)), (std::vector<int64_t>{4, 9}));
  const DimRanges outer = split_interleaved({{0, 12}}, 2, 2, 0);  // 0 1 2 6 7 8
  EXPECT_EQ(indices(split(outer, 2, 1)), (std::vector<int64_t>{6, 7, 8}));
  EXPECT_EQ(indices(split(outer, 3, 1)), (std::vector<int64_t>{2, 6}));
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
  int runs = 0;
  const auto count = [&](const auto&) { ++runs; };
  Runs(GlobalShape::contiguous({4, 6, 5}), {{{1, 2}}, {{0, 6}}, {{0, 5}}}).for_each(count);
  EXPECT_EQ(runs, 1);
  runs = 0;
  Runs(GlobalShape::contiguous({4, 6, 5}), {{{1, 2}}, {{0, 2}, {2, 2}}, {{0, 5}}}).for_each(count);
  EXPECT_EQ(runs, 2);
  runs = 0;
  Runs(GlobalShape::contiguous({}), {}).for_each(count);
  EXPECT_EQ(runs, 1);
  runs = 0;
  Runs(GlobalShape::contiguous({4, 6}), {{{0, 4}}, {}}).for_each(count);
  EXPECT_EQ(runs, 0);
}

TEST(Piece, RejectsRangesThatDoNotFit) {
  const GlobalShape shape = GlobalShape::contiguous({4});
  EXPECT_THROW(Runs(shape, {{{0, 5}}}), c10::Error);
  EXPECT_THROW(Runs(shape, {{{-1, 2}}}), c10::Error);
  EXPECT_THROW(Runs(shape, {{{2, 1}, {0, 1}}}), c10::Error);
  EXPECT_THROW(Runs(shape, {{{0, 2}, {1, 2}}}), c10::Error);
  EXPECT_THROW(Runs(shape, {}), c10::Error);
  EXPECT_THROW(split_interleaved({{0, 5}}, 2, 2, 0), c10::Error);
  EXPECT_THROW(split({{0, 5}}, 2, 2), c10::Error);
}

}  // namespace
}  // namespace vescale::rng
