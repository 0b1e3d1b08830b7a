// For all pairs of shapes with equally many elements, every placement and mesh: the local view of a rank's
// piece must be the rank's piece of the whole view.
#include <gtest/gtest.h>

#include <numeric>

#include "../sharding/cases.h"
#include "../sharding/simulation.h"

namespace vescale::sharding::test {
namespace {

using Sizes = std::vector<std::int64_t>;

// All shapes of up to `dims` dims with `elements` elements; without size 1 but for one at either end.
void append_shapes(std::vector<Sizes>& shapes, const Sizes& head, std::int64_t elements, std::size_t dims) {
  if (elements == 1 && !head.empty()) shapes.push_back(head);
  if (head.size() == dims) return;
  for (std::int64_t size = 2; size <= elements; ++size) {
    if (elements % size != 0) continue;
    Sizes next = head;
    next.push_back(size);
    append_shapes(shapes, next, elements / size, dims);
  }
}

std::vector<Sizes> shapes_of(std::int64_t elements) {
  std::vector<Sizes> shapes;
  append_shapes(shapes, {}, elements, 3);
  if (elements == 1) shapes = {{}, {1}, {1, 1}};
  Sizes padded = shapes.back();
  padded.insert(padded.begin(), 1);
  shapes.push_back(padded);
  padded.push_back(1);
  shapes.push_back(padded);
  return shapes;
}

Value counting(const Sizes& sizes) {
  Value value{sizes, {}};
  value.data.resize(static_cast<std::size_t>(
      std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>())));
  std::iota(value.data.begin(), value.data.end(), 0);
  return value;
}

OpCall view_call(const TensorFacts& from, const Sizes& to) { return {"view", "", {from, to}, {}}; }

void check(const MeshShape& mesh, const TensorFacts& from, const Sizes& to) {
  const auto resolution = resolve(mesh, view_call(from, to));
  ASSERT_TRUE(resolution);
  ASSERT_EQ(resolution->output_sizes, std::vector<Sizes>{to});
  const std::vector<Value> pieces = distribute(mesh, resolution->inputs[0], counting(from.sizes));
  const std::vector<Value> expected = distribute(mesh, resolution->outputs[0], counting(to));
  for (std::size_t rank = 0; rank < pieces.size(); ++rank) {
    ASSERT_EQ(pieces[rank].data, expected[rank].data)
        << "rank " << rank << " of " << mesh.to_string() << ", " << describe({from}, *resolution)
        << ", sizes " << testing::PrintToString(from.sizes) << " to " << testing::PrintToString(to);
  }
}

class ViewProperty : public testing::TestWithParam<std::int64_t> {};

TEST_P(ViewProperty, LocalViewsArePiecesOfTheView) {
  const std::vector<Sizes> shapes = shapes_of(GetParam());
  for (const Sizes& from : shapes) {
    for (const Sizes& to : shapes) {
      for (const MeshShape& mesh : meshes()) {
        for_assignments(mesh, {tensor({}, from)}, 12,
                        [&](const std::vector<TensorFacts>& inputs) { check(mesh, inputs[0], to); });
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Elements, ViewProperty, testing::Values(1, 2, 6, 7, 8, 12, 24, 30, 36, 60, 96));

std::vector<Placement> placements_of_view(const Sizes& from, const Placement& placement, const Sizes& to,
                                          std::int64_t ranks, Placement* moved_to = nullptr) {
  const auto resolution = resolve({{"a"}, {ranks}}, view_call(tensor({placement}, from), to));
  if (moved_to) *moved_to = resolution->inputs[0][0];
  return resolution->outputs[0];
}

TEST(ViewFactors, KeepShardsWhereTheyCan) {
  const auto S = [](std::int64_t dim) { return Placement::shard(dim); };
  using P = std::vector<Placement>;
  EXPECT_EQ(placements_of_view({4, 6}, S(0), {24}, 2), P{S(0)});
  EXPECT_EQ(placements_of_view({4, 6}, S(1), {24}, 2), P{Placement::interleaved(0, 4)});
  EXPECT_EQ(placements_of_view({24}, S(0), {4, 6}, 2), P{S(0)});
  EXPECT_EQ(placements_of_view({2, 5, 12}, S(2), {2, 5, 3, 4}, 3), P{S(2)});
  EXPECT_EQ(placements_of_view({2, 5, 3, 4}, S(2), {2, 5, 12}, 3), P{S(2)});
  EXPECT_EQ(placements_of_view({2, 5, 12}, Placement::interleaved(2, 3), {2, 5, 3, 4}, 2), P{S(3)});
  // 12x8 by columns has no common factor with 16x6: it moves, and is not wrong.
  Placement moved;
  placements_of_view({12, 8}, S(1), {16, 6}, 4, &moved);
  EXPECT_NE(moved, S(1));
  // 6 rows over 4 ranks: chunks of 2 rows are chunks of 512 elements, the last rank has none of either.
  EXPECT_EQ(placements_of_view({6, 256}, S(0), {1536}, 4, &moved).size(), 1U);
}

TEST(ViewFactors, UnknownSizesAreMatchedByPlace) {
  const Sizes image{unknown_size, 1, 28, 28};
  const ShardingRule flat = *find_rule(view_call(tensor({}, image), {unknown_size, 784}));
  EXPECT_EQ(flat.outputs[0].dims[0], flat.inputs[0].dims[0]);
  EXPECT_TRUE(flat.factors[static_cast<std::size_t>(flat.inputs[0].dims[0].front())].shardable);
  const ShardingRule heads = *find_rule(
      view_call(tensor({}, {unknown_size, unknown_size, 512}), {unknown_size, unknown_size, 8, 64}));
  for (std::size_t d = 0; d < 2; ++d) EXPECT_EQ(heads.inputs[0].dims[d], heads.outputs[0].dims[d]);
  EXPECT_EQ(heads.inputs[0].dims[2], (DimFactors{heads.outputs[0].dims[2][0], heads.outputs[0].dims[3][0]}));
  const ShardingRule merged =
      *find_rule(view_call(tensor({}, {unknown_size, unknown_size, 512}), {unknown_size, 512}));
  EXPECT_EQ(merged.outputs[0].dims[0].size(), 2U);
}

}  // namespace
}  // namespace vescale::sharding::test
