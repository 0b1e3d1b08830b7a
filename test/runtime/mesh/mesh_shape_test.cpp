#include <gtest/gtest.h>

#include <vescale/sharding/mesh_shape.h>

namespace vescale {
namespace {

template <class Body>
std::string message_of(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(MeshShape, ParsesAndPrints) {
  const MeshShape shape = MeshShape::parse("dp=2,tp=4,_x1=3");
  EXPECT_EQ(shape.names, (std::vector<std::string>{"dp", "tp", "_x1"}));
  EXPECT_EQ(shape.sizes, (std::vector<std::int64_t>{2, 4, 3}));
  EXPECT_EQ(shape.num_ranks(), 24);
  EXPECT_EQ(shape.to_string(), "dp=2,tp=4,_x1=3");
  EXPECT_EQ(MeshShape::parse(shape.to_string()), shape);
  EXPECT_NE(MeshShape::parse("dp=2,tp=4"), shape);
}

TEST(MeshShape, WithoutAxesHasOneRank) {
  const MeshShape shape;
  EXPECT_EQ(shape.num_ranks(), 1);
  EXPECT_EQ(shape.to_string(), "");
  EXPECT_EQ(shape.rank({}), 0);
  EXPECT_TRUE(shape.coordinate(0).empty());
}

TEST(MeshShape, LastAxisRunsFastest) {
  const MeshShape shape{{"a", "b", "c"}, {2, 3, 4}};
  EXPECT_EQ(shape.coordinate(0), (std::vector<std::int64_t>{0, 0, 0}));
  EXPECT_EQ(shape.coordinate(1), (std::vector<std::int64_t>{0, 0, 1}));
  EXPECT_EQ(shape.coordinate(4), (std::vector<std::int64_t>{0, 1, 0}));
  EXPECT_EQ(shape.coordinate(23), (std::vector<std::int64_t>{1, 2, 3}));
  for (std::int64_t rank = 0; rank < shape.num_ranks(); ++rank)
    EXPECT_EQ(shape.rank(shape.coordinate(rank)), rank);
}

TEST(MeshShape, FindsAxesByName) {
  const MeshShape shape{{"dp", "tp"}, {2, 4}};
  EXPECT_EQ(shape.axis("tp"), 1);
  EXPECT_EQ(shape.size("tp"), 4);
  EXPECT_EQ(shape.size(0), 2);
  EXPECT_FALSE(shape.find_axis("pp").has_value());
  EXPECT_EQ(message_of([&] { shape.axis("pp"); }), "the mesh has no axis 'pp'; its axes are dp, tp");
  EXPECT_EQ(message_of([&] { MeshShape().axis("pp"); }), "the mesh has no axis 'pp'; it has no axes");
}

TEST(MeshShape, RefusesRanksAndCoordinatesOutside) {
  const MeshShape shape{{"dp", "tp"}, {2, 4}};
  EXPECT_EQ(message_of([&] { shape.coordinate(8); }), "rank 8 is not in the mesh dp=2,tp=4 of 8 ranks");
  EXPECT_EQ(message_of([&] { shape.coordinate(-1); }), "rank -1 is not in the mesh dp=2,tp=4 of 8 ranks");
  EXPECT_EQ(message_of([&] { shape.rank({0, 4}); }), "coordinate 4 is outside axis 'tp' of size 4");
  EXPECT_EQ(message_of([&] { shape.rank({0}); }), "a coordinate of the mesh dp=2,tp=4 has 2 entries, not 1");
}

struct Malformed {
  const char* text;
  const char* reason;
};

class MalformedMesh : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedMesh, SaysWhatIsWrong) {
  const auto [text, reason] = GetParam();
  const std::string message = message_of([&] { MeshShape::parse(text); });
  EXPECT_EQ(message, "mesh \"" + std::string(text) + "\": " + reason + " (expected e.g. dp=2,tp=4)");
}

INSTANTIATE_TEST_SUITE_P(
    All, MalformedMesh,
    testing::Values(
        Malformed{"", "it is empty"}, Malformed{",", "an axis is missing between commas or at an end"},
        Malformed{"dp=2,", "an axis is missing between commas or at an end"},
        Malformed{",dp=2", "an axis is missing between commas or at an end"},
        Malformed{"dp=2,,tp=2", "an axis is missing between commas or at an end"},
        Malformed{"dp", "'dp' has no size"}, Malformed{"2", "'2' has no size"},
        Malformed{"2x4", "'2x4' has no size"}, Malformed{"dp:2", "'dp:2' has no size"},
        Malformed{"dp=2;tp=4", "'2;tp=4' is not a size, in 'dp=2;tp=4'"},
        Malformed{"dp=2 tp=4", "'2 tp=4' is not a size, in 'dp=2 tp=4'"},
        Malformed{"dp=", "'' is not a size, in 'dp='"}, Malformed{"dp=x", "'x' is not a size, in 'dp=x'"},
        Malformed{"dp=2x", "'2x' is not a size, in 'dp=2x'"},
        Malformed{"dp=2.0", "'2.0' is not a size, in 'dp=2.0'"},
        Malformed{"dp=+2", "'+2' is not a size, in 'dp=+2'"},
        Malformed{"dp= 2", "' 2' is not a size, in 'dp= 2'"},
        Malformed{"dp==2", "'=2' is not a size, in 'dp==2'"},
        Malformed{"dp=99999999999999999999",
                  "'99999999999999999999' is not a size, in 'dp=99999999999999999999'"},
        Malformed{"dp=0", "mesh axis 'dp' has size 0; a size is at least 1"},
        Malformed{"dp=2,tp=-4", "mesh axis 'tp' has size -4; a size is at least 1"},
        Malformed{"dp=2,dp=2", "mesh axis 'dp' is given twice"},
        Malformed{"=2", "'' cannot name a mesh axis: letters, digits and _ are allowed, no digit first"},
        Malformed{"2d=2", "'2d' cannot name a mesh axis: letters, digits and _ are allowed, no digit first"},
        Malformed{" dp=2",
                  "' dp' cannot name a mesh axis: letters, digits and _ are allowed, no digit first"},
        Malformed{"dp-x=2",
                  "'dp-x' cannot name a mesh axis: letters, digits and _ are allowed, no digit first"},
        Malformed{"a=100000000", "the mesh has more than 16777216 ranks"},
        Malformed{"a=4294967296,b=4294967296", "the mesh has more than 16777216 ranks"},
        Malformed{"a=4096,b=4096,c=2", "the mesh has more than 16777216 ranks"}));

}  // namespace
}  // namespace vescale
