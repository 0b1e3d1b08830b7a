/// Views: the local view of the local piece must be the local piece of the global view, element by element.
#include <gtest/gtest.h>

#include <numeric>

#include "cases.h"
#include "simulation.h"

namespace vescale::sharding::test {
namespace {

using Sizes = std::vector<std::int64_t>;

Value counting(const Sizes& sizes) {
  Value value{sizes, {}};
  value.data.resize(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>()));
  std::iota(value.data.begin(), value.data.end(), 0);
  return value;
}

struct View {
  std::string notation;
  Sizes from, to;
  std::vector<Sizes> hints = {};  ///< one-dimensional tensors that give factors their sizes
};

// Rules whose only freedom is how one run of elements is cut into dims.
std::vector<View> views() {
  std::vector<View> result;
  for (std::int64_t a : {1, 2, 3, 4, 5, 6, 12}) {
    for (std::int64_t b : {1, 2, 3, 4, 6, 8, 256}) {
      result.push_back({"(a b) -> ((a b))", {a, b}, {a * b}});
      result.push_back({"((a b), a, b) -> a b", {a * b}, {a, b}, {{a}, {b}}});
      result.push_back({"(n a b) -> n (a b)", {3, a, b}, {3, a * b}});
      result.push_back({"(a b n) -> (a b) n", {a, b, 2}, {a * b, 2}});
      result.push_back({"(a b c) -> ((a b c))", {a, b, 2}, {a * b * 2}});
      result.push_back({"(a (b c), b) -> (a b) c", {a, b * 6}, {a * b, 6}, {{b}}});
      result.push_back({"((a b) c, a) -> a (b c)", {a * b, 6}, {a, b * 6}, {{a}}});
    }
  }
  return result;
}

// Shares the major factor of both cuts (4 of 12 rows of 8 and 16 rows of 6); the rest of each dim is its own.
ShardingRule common_factor_rule(const Sizes& from, const Sizes& to) {
  const std::int64_t g = std::gcd(from[0], to[0]);
  ShardingRule rule;
  rule.factors = {{g, true, ReduceOp::Sum},
                  {from[0] / g, false, ReduceOp::Sum},
                  {from[1], false, ReduceOp::Sum},
                  {to[0] / g, false, ReduceOp::Sum},
                  {to[1], false, ReduceOp::Sum}};
  rule.inputs.resize(1);
  rule.inputs[0].dims = {{0, 1}, {2}};
  rule.outputs.resize(1);
  rule.outputs[0].dims = {{0, 3}, {4}};
  rule.output_sizes = {to};
  rule.linearity = Linearity::Movement;
  return rule;
}

void check_view(const MeshShape& mesh, const std::vector<Placement>& from_placements, const Sizes& from,
                const std::vector<Placement>& to_placements, const Sizes& to) {
  const std::vector<Value> pieces = distribute(mesh, from_placements, counting(from));
  const std::vector<Value> expected = distribute(mesh, to_placements, counting(to));
  for (std::size_t rank = 0; rank < pieces.size(); ++rank) {
    // A view of a local tensor keeps the order of its elements.
    ASSERT_EQ(pieces[rank].data, expected[rank].data) << "rank " << rank;
  }
}

TEST(Views, LocalViewsAreThePiecesOfGlobalViews) {
  for (const View& view : views()) {
    for (const MeshShape& mesh : meshes()) {
      for_assignments(mesh, {tensor({}, view.from)}, 60, [&](std::vector<TensorFacts> inputs) {
        for (const Sizes& hint : view.hints) {
          inputs.push_back(tensor(std::vector<Placement>(mesh.sizes.size()), hint, false));
        }
        const auto resolution = resolve(mesh, parse_rule(view.notation + " ; move(0)", inputs), inputs);
        ASSERT_TRUE(resolution);
        SCOPED_TRACE(view.notation + " on " + mesh.to_string() + ": " + describe(inputs, *resolution));
        check_view(mesh, resolution->inputs[0], view.from, resolution->outputs[0], view.to);
      });
    }
  }
}

TEST(Views, CommonFactorsOfTwoCuts) {
  for (std::int64_t rows : {1, 2, 3, 4, 6, 8, 9, 12}) {
    for (std::int64_t columns : {1, 2, 3, 4, 6, 8}) {
      for (std::int64_t new_rows = 1; new_rows <= rows * columns; ++new_rows) {
        if (rows * columns % new_rows != 0) continue;
        const Sizes from{rows, columns}, to{new_rows, rows * columns / new_rows};
        const ShardingRule rule = common_factor_rule(from, to);
        for (const MeshShape& mesh : meshes()) {
          for_assignments(mesh, {tensor({}, from)}, 30, [&](const std::vector<TensorFacts>& inputs) {
            const auto resolution = resolve(mesh, rule, inputs);
            ASSERT_TRUE(resolution);
            SCOPED_TRACE(std::to_string(new_rows) + " rows: " + describe(inputs, *resolution));
            check_view(mesh, resolution->inputs[0], from, resolution->outputs[0], to);
          });
        }
      }
    }
  }
}

Resolution view_of(const std::string& notation, std::vector<TensorFacts> inputs, std::int64_t ranks) {
  return *resolve({{"a"}, {ranks}}, parse_rule(notation, inputs), inputs);
}

TEST(Views, ColumnsOfTwelveByEightAsSixteenBySix) {
  const ShardingRule rule = common_factor_rule({12, 8}, {16, 6});
  const MeshShape mesh{{"a"}, {4}};
  const auto columns = resolve(mesh, rule, {tensor({Placement::shard(1)}, {12, 8})});
  EXPECT_EQ(columns->inputs[0][0], Placement::invariant());
  const auto rows = resolve(mesh, rule, {tensor({Placement::shard(0)}, {12, 8})});
  EXPECT_EQ(rows->inputs[0][0], Placement::shard(0));
  EXPECT_EQ(rows->outputs[0][0], Placement::shard(0));
  // Over three ranks rows 4 4 4 against 6 6 4 don't agree.
  const auto three = resolve({{"a"}, {3}}, rule, {tensor({Placement::shard(0)}, {12, 8})});
  EXPECT_EQ(three->inputs[0][0], Placement::invariant());
}

TEST(Views, FlattenWithAnEmptyRank) {
  // 6 rows over 4 are 2 2 2 0, but 1536 over 4 are 384 each.
  const Resolution uneven = view_of("(a b) -> ((a b)) ; move", {tensor({Placement::shard(0)}, {6, 256})}, 4);
  EXPECT_EQ(uneven.inputs[0][0], Placement::invariant());
  const Resolution even = view_of("(a b) -> ((a b)) ; move", {tensor({Placement::shard(0)}, {8, 256})}, 4);
  EXPECT_EQ(even.outputs[0][0], Placement::shard(0));
  EXPECT_EQ(even.inputs[0][0], Placement::shard(0));
}

TEST(Views, MinorFactorIsInterleavedAndComesBack) {
  const Resolution merged = view_of("(a b) -> ((a b)) ; move", {tensor({Placement::shard(1)}, {3, 8})}, 2);
  EXPECT_EQ(merged.inputs[0][0], Placement::shard(1));
  EXPECT_EQ(merged.outputs[0][0], Placement::interleaved(0, 3));
  const Resolution split =
      view_of("((a b), a, b) -> a b ; move(0)",
              {tensor({Placement::interleaved(0, 3)}, {24}), tensor({Placement::invariant()}, {3}, false),
               tensor({Placement::invariant()}, {8}, false)},
              2);
  EXPECT_EQ(split.inputs[0][0], Placement::interleaved(0, 3));
  EXPECT_EQ(split.outputs[0][0], Placement::shard(1));
}

TEST(Views, TwoAxesOnTwoFactorsOfOneDim) {
  const MeshShape mesh{{"a", "b"}, {2, 2}};
  const auto flatten = [&](Placement a, Placement b, Sizes sizes) {
    const std::vector<TensorFacts> inputs{tensor({a, b}, std::move(sizes))};
    return *resolve(mesh, parse_rule("(x y) -> ((x y)) ; move", inputs), inputs);
  };
  // Both axes stay: what axis b sees of the flat dim is 2 blocks, each of which it splits.
  const Resolution both = flatten(Placement::shard(0), Placement::shard(1), {4, 6});
  EXPECT_EQ(both.outputs[0], (std::vector<Placement>{Placement::shard(0), Placement::interleaved(0, 2)}));
  const Resolution other = flatten(Placement::shard(1), Placement::shard(0), {4, 6});
  EXPECT_EQ(other.outputs[0], (std::vector<Placement>{Placement::interleaved(0, 4), Placement::shard(0)}));
  // Three rows leave ranks with different numbers of blocks: only one axis stays.
  const Resolution uneven = flatten(Placement::shard(1), Placement::shard(0), {3, 6});
  EXPECT_EQ(uneven.inputs[0][1], Placement::invariant());
}

TEST(Views, UnknownSizesAreTakenToDivide) {
  const Resolution flat = view_of("(a b) -> ((a b)) ; move", {tensor({Placement::shard(0)}, {-1, -1})}, 4);
  EXPECT_TRUE(flat.size_dependent);
  EXPECT_EQ(flat.outputs[0][0], Placement::shard(0));
  const Resolution minor = view_of("(a b) -> ((a b)) ; move", {tensor({Placement::shard(1)}, {-1, 8})}, 4);
  EXPECT_EQ(minor.outputs[0][0], Placement::invariant());
  EXPECT_FALSE(view_of("(a b) -> b a ; move", {tensor({Placement::shard(0)}, {-1, -1})}, 4).size_dependent);
}

}  // namespace
}  // namespace vescale::sharding::test
