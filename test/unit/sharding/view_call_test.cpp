/// The view op of the table, over all pairs of shapes of the same number of elements.
#include <gtest/gtest.h>

#include "cases.h"
#include "simulation.h"

namespace vescale::sharding::test {
namespace {

using Sizes = std::vector<std::int64_t>;

// All shapes of up to three dims with `elements` elements.
std::vector<Sizes> shapes_of(std::int64_t elements) {
  std::vector<Sizes> result{{elements}};
  for (std::int64_t first = 1; first <= elements; ++first) {
    if (elements % first != 0) continue;
    result.push_back({first, elements / first});
    for (std::int64_t second = 2; second < elements / first; ++second) {
      if (elements / first % second == 0) result.push_back({first, second, elements / first / second});
    }
  }
  return result;
}

Value counting(const Sizes& sizes) {
  Value value = numbers(sizes, 0);
  for (std::size_t i = 0; i < value.data.size(); ++i) value.data[i] = static_cast<double>(i);
  return value;
}

void check(const MeshShape& mesh, const Sizes& from, const Sizes& to) {
  const Value before = counting(from), after = counting(to);
  for_assignments(mesh, {tensor({}, from)}, 40, [&](const std::vector<TensorFacts>& inputs) {
    const auto resolution = resolve(mesh, {"view", "", {inputs[0], to}, {}});
    ASSERT_TRUE(resolution && resolution->has_rule);
    ASSERT_EQ(resolution->output_sizes[0], to);
    SCOPED_TRACE(testing::PrintToString(from) + " as " + testing::PrintToString(to) + " on " +
                 mesh.to_string() + ": " + describe(inputs, *resolution));
    const auto pieces = distribute(mesh, resolution->inputs[0], before);
    const auto expected = distribute(mesh, resolution->outputs[0], after);
    for (std::size_t rank = 0; rank < pieces.size(); ++rank)
      ASSERT_EQ(pieces[rank].data, expected[rank].data);
  });
}

class ViewCall : public testing::TestWithParam<std::int64_t> {};

TEST_P(ViewCall, LocalViewsAreThePiecesOfTheGlobalView) {
  const std::vector<Sizes> shapes = shapes_of(GetParam());
  for (const MeshShape& mesh : meshes()) {
    for (const Sizes& from : shapes) {
      for (const Sizes& to : shapes) check(mesh, from, to);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Elements, ViewCall, testing::Values(1, 4, 6, 12, 16, 18, 30));

TEST(ViewCallShapes, OfEmptyTensors) {
  for (const MeshShape& mesh : meshes()) {
    check(mesh, {0, 3}, {3, 0});
    check(mesh, {0}, {2, 0, 5});
    check(mesh, {4, 0}, {0});
  }
}

TEST(ViewCallShapes, TwelveByEightAsSixteenBySix) {
  for (std::int64_t ranks : {2, 3, 4}) check({{"a"}, {ranks}}, {12, 8}, {16, 6});
  for (std::int64_t ranks : {2, 3, 4}) check({{"a"}, {ranks}}, {6, 256}, {1536});
  for (std::int64_t ranks : {2, 3, 4}) check({{"a"}, {ranks}}, {1536}, {6, 256});
}

}  // namespace
}  // namespace vescale::sharding::test
