#include <gtest/gtest.h>

#include <numeric>

#include <vescale/error.h>
#include <vescale/sharding/layout.h>

namespace vescale {
namespace {

using Coordinate = std::vector<std::int64_t>;

std::vector<std::int64_t> elements(const std::vector<Range>& ranges) {
  std::vector<std::int64_t> result;
  for (const Range& range : ranges) {
    for (std::int64_t i = 0; i < range.length; ++i) result.push_back(range.start + i);
  }
  return result;
}

Layout layout_of(const MeshShape& mesh, std::vector<Placement> placements, std::vector<std::int64_t> sizes) {
  Layout layout;
  layout.mesh = &mesh;
  layout.placements = std::move(placements);
  layout.strides = contiguous_strides(sizes);
  layout.sizes = std::move(sizes);
  return layout;
}

TEST(ChunkRange, PiecesAreThoseOfTorchChunk) {
  // 7 in 3: 3 3 1; 5 in 4: 2 2 1 0; 0 in 2: 0 0.
  EXPECT_EQ(chunk_range({0, 7}, 3, 0), (Range{0, 3}));
  EXPECT_EQ(chunk_range({0, 7}, 3, 2), (Range{6, 1}));
  EXPECT_EQ(chunk_range({10, 5}, 4, 2), (Range{14, 1}));
  EXPECT_EQ(chunk_range({10, 5}, 4, 3), (Range{15, 0}));
  EXPECT_EQ(chunk_range({0, 0}, 2, 1), (Range{0, 0}));
}

TEST(ChunkRange, PiecesCoverTheWholeInOrder) {
  for (std::int64_t length = 0; length <= 20; ++length) {
    for (std::int64_t pieces = 1; pieces <= 9; ++pieces) {
      std::int64_t next = 3;
      for (std::int64_t i = 0; i < pieces; ++i) {
        const Range range = chunk_range({3, length}, pieces, i);
        EXPECT_EQ(range.start, next);
        EXPECT_LE(range.length, (length + pieces - 1) / pieces);
        next += range.length;
      }
      EXPECT_EQ(next, 3 + length);
    }
  }
}

TEST(OwnedRanges, NestInMeshAxisOrder) {
  const MeshShape mesh{{"dp", "tp"}, {2, 2}};
  const Layout layout = layout_of(mesh, {Placement::shard(0), Placement::shard(0)}, {7});
  EXPECT_EQ(owned_ranges(layout, {0, 0})[0], (std::vector<Range>{{0, 2}}));
  EXPECT_EQ(owned_ranges(layout, {0, 1})[0], (std::vector<Range>{{2, 2}}));
  EXPECT_EQ(owned_ranges(layout, {1, 0})[0], (std::vector<Range>{{4, 2}}));
  EXPECT_EQ(owned_ranges(layout, {1, 1})[0], (std::vector<Range>{{6, 1}}));
}

TEST(OwnedRanges, InterleavedTakesAPieceOfEachSection) {
  const MeshShape mesh{{"tp"}, {2}};
  const Layout layout = layout_of(mesh, {Placement::interleaved(0, 3)}, {15, 4});
  EXPECT_EQ(owned_ranges(layout, {0})[0], (std::vector<Range>{{0, 3}, {5, 3}, {10, 3}}));
  EXPECT_EQ(owned_ranges(layout, {1})[0], (std::vector<Range>{{3, 2}, {8, 2}, {13, 2}}));
  EXPECT_EQ(local_sizes(layout, {1}), (std::vector<std::int64_t>{6, 4}));
}

TEST(OwnedRanges, EmptyInterleavedPieceKeepsItsSections) {
  const MeshShape mesh{{"tp"}, {4}};
  const Layout layout = layout_of(mesh, {Placement::interleaved(0, 2)}, {4});
  EXPECT_EQ(owned_ranges(layout, {3})[0].size(), 2u);
  EXPECT_EQ(local_sizes(layout, {3}), (std::vector<std::int64_t>{0}));
}

// Every element of a dim belongs to the ranks that differ only on axes which don't shard the dim.
TEST(OwnedRanges, EachElementHasOneOwnerForAllPlacementsOnTwoAxes) {
  const std::vector<Placement> options{Placement::invariant(), Placement::shard(0),
                                       Placement::interleaved(0, 2), Placement::interleaved(0, 3),
                                       Placement::partial()};
  for (const MeshShape& mesh : {MeshShape{{"a", "b"}, {2, 2}}, MeshShape{{"a", "b"}, {3, 2}},
                                MeshShape{{"a", "b"}, {1, 4}}, MeshShape{{"a", "b"}, {2, 5}}}) {
    for (std::int64_t size : {0, 6, 12, 18}) {
      for (const Placement& first : options) {
        for (const Placement& second : options) {
          const Layout layout = layout_of(mesh, {first, second}, {size});
          std::vector<int> owners(static_cast<std::size_t>(size), 0);
          for (std::int64_t rank = 0; rank < mesh.num_ranks(); ++rank) {
            for (std::int64_t i : elements(owned_ranges(layout, mesh.coordinate(rank))[0])) ++owners[i];
          }
          int expected = 1;
          if (!first.is_sharded()) expected *= static_cast<int>(mesh.sizes[0]);
          if (!second.is_sharded()) expected *= static_cast<int>(mesh.sizes[1]);
          for (int count : owners) EXPECT_EQ(count, expected) << layout.to_string() << " of " << size;
        }
      }
    }
  }
}

// The definition: the second axis splits the local tensor of the first, whatever that is.
TEST(OwnedRanges, SecondAxisSplitsWhatTheFirstLeft) {
  const MeshShape mesh{{"a", "b"}, {2, 3}};
  const std::vector<Placement> options{Placement::shard(0), Placement::interleaved(0, 2),
                                       Placement::interleaved(0, 3)};
  for (const Placement& first : options) {
    for (const Placement& second : options) {
      const Layout layout = layout_of(mesh, {first, second}, {24});
      const MeshShape outer{{"a"}, {2}};
      for (std::int64_t rank = 0; rank < mesh.num_ranks(); ++rank) {
        const Coordinate at = mesh.coordinate(rank);
        const auto whole = elements(owned_ranges(layout_of(outer, {first}, {24}), {at[0]})[0]);
        std::vector<std::int64_t> expected;
        const Range all{0, static_cast<std::int64_t>(whole.size())};
        for (std::int64_t i : elements(piece_ranges({all}, second, 3, at[1]))) expected.push_back(whole[i]);
        EXPECT_EQ(elements(owned_ranges(layout, at)[0]), expected) << layout.to_string();
      }
    }
  }
}

TEST(OwnedRanges, WrongDimsAndSectionsAreNamed) {
  const MeshShape mesh{{"tp"}, {2}};
  EXPECT_THROW(owned_ranges(layout_of(mesh, {Placement::shard(2)}, {3, 4}), {0}), Error);
  EXPECT_THROW(owned_ranges(layout_of(mesh, {Placement::shard(0)}, {}), {0}), Error);
  EXPECT_THROW(owned_ranges(layout_of(mesh, {Placement::interleaved(0, 3)}, {7}), {0}), Error);
}

TEST(LayoutText, LeavesOutReplicatedAxes) {
  const MeshShape mesh{{"dp", "tp"}, {2, 2}};
  EXPECT_EQ(layout_of(mesh, {Placement::shard(0), Placement::partial()}, {4}).to_string(), "dp=S(0) tp=P");
  EXPECT_EQ(layout_of(mesh, {Placement::invariant(), Placement::shard(0)}, {4}).to_string(), "tp=S(0)");
  EXPECT_EQ(layout_of(mesh, {Placement::replicate(), Placement::invariant()}, {4}).to_string(), "dp=R+");
  EXPECT_EQ(layout_of(mesh, {Placement::invariant(), Placement::invariant()}, {4}).to_string(), "R");
}

TEST(LayoutFacts, NumelReplicatedInvariant) {
  const MeshShape mesh{{"dp", "tp"}, {2, 2}};
  const Layout both = layout_of(mesh, {Placement::replicate(), Placement::invariant()}, {4, 0, 3});
  EXPECT_EQ(both.numel(), 0);
  EXPECT_TRUE(both.is_replicated());
  EXPECT_FALSE(both.is_invariant());
  const Layout scalar = layout_of(mesh, {Placement::partial(), Placement::invariant()}, {});
  EXPECT_EQ(scalar.numel(), 1);
  EXPECT_FALSE(scalar.is_replicated());
}

TEST(ContiguousStrides, RowMajor) {
  EXPECT_EQ(contiguous_strides({2, 3, 4}), (std::vector<std::int64_t>{12, 4, 1}));
  EXPECT_EQ(contiguous_strides({2, 0, 4}), (std::vector<std::int64_t>{4, 4, 1}));
  EXPECT_TRUE(contiguous_strides({}).empty());
}

}  // namespace
}  // namespace vescale
