#include <gtest/gtest.h>
#include <torch/torch.h>

#include <vescale/mesh.h>
#include <vescale/rank_context.h>
#include <vescale/run.h>

namespace vescale {
namespace {

using Ranks = std::vector<std::int64_t>;

TEST(Mesh, GroupsOfEachRank) {
  const MeshShape shape{{"pp", "dp", "tp"}, {2, 3, 2}};
  run_ranks(shape, [&] {
    Mesh& m = mesh();
    EXPECT_EQ(m.shape(), shape);
    EXPECT_EQ(m.num_ranks(), 12);
    EXPECT_EQ(m.coordinate(), shape.coordinate(m.rank()));
    for (AxisMask axes = 0; axes < 8; ++axes) {
      Group& group = m.group_of(axes);
      EXPECT_EQ(&group, &m.group_of(axes));
      Ranks expected;
      for (std::int64_t rank = 0; rank < 12; ++rank) {
        bool member = true;
        for (std::int64_t axis = 0; axis < 3; ++axis) {
          const bool same = shape.coordinate(rank)[static_cast<std::size_t>(axis)] == m.coordinate(axis);
          member = member && (same || (axes >> axis & 1) != 0);
        }
        if (member) expected.push_back(rank);
      }
      EXPECT_EQ(group.ranks(), expected);
      EXPECT_EQ(group.ranks()[static_cast<std::size_t>(group.rank())], m.rank());
    }
    for (std::int64_t axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(m.group(axis).rank(), m.coordinate(axis));
      EXPECT_EQ(m.group(axis).size(), m.size(axis));
      EXPECT_EQ(m.group(axis).name(), shape.names[static_cast<std::size_t>(axis)]);
    }
    EXPECT_EQ(m.world().name(), "pp,dp,tp");
    EXPECT_EQ(m.group_of(5).name(), "pp,tp");
    EXPECT_EQ(m.axis("dp"), 1);
    EXPECT_THROW(m.axis("ep"), Error);
    EXPECT_THROW(m.group(3), Error);
    EXPECT_THROW(m.group(-1), Error);
    EXPECT_THROW(m.group_of(8), Error);
  });
}

TEST(Mesh, AxesOfSizeOne) {
  run_ranks({{"dp", "tp"}, {1, 1}}, [] {
    EXPECT_EQ(mesh().world().size(), 1);
    EXPECT_EQ(mesh().group(1).size(), 1);
  });
  run_ranks({{"dp", "tp"}, {1, 2}}, [] {
    EXPECT_EQ(mesh().group(0).size(), 1);
    EXPECT_EQ(mesh().group(1).size(), 2);
    at::Tensor tensor = at::ones({2});
    mesh().group(0).all_reduce(tensor);
    mesh().group(1).all_reduce(tensor);
    EXPECT_EQ(tensor[0].item<float>(), 2);
  });
}

TEST(Mesh, RefusesShapesThatCannotRun) {
  const auto nothing = [] {};
  EXPECT_THROW(run_ranks({{"a"}, {1025}}, nothing), Error);
  EXPECT_THROW(run_ranks({{"a", "a"}, {1, 1}}, nothing), Error);
  EXPECT_THROW(run_ranks({{"a"}, {0}}, nothing), Error);
  EXPECT_THROW(run_ranks({{"a"}, {}}, nothing), Error);
  EXPECT_THROW(run_ranks(MeshShape::parse("a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,i=1,j=1,k=1"), nothing), Error);
}

TEST(Mesh, ManyRanks) {
  run_ranks({{"a", "b"}, {8, 8}},
            [] {
              at::Tensor tensor = at::full({1}, mesh().rank(), at::kLong);
              mesh().world().all_reduce(tensor);
              EXPECT_EQ(tensor.item<std::int64_t>(), 63 * 64 / 2);
            },
            {60});
}

}  // namespace
}  // namespace vescale
