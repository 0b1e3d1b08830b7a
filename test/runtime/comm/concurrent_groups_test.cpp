// Groups of different axes work at the same time, each in its own random sequence of collectives.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <random>

#include <vescale/mesh.h>
#include <vescale/rank_context.h>
#include <vescale/run.h>

#include "rank_processes.h"

namespace vescale {
namespace {

// A value that tells rank and round apart; exact in float.
float value(std::int64_t rank, int round) { return static_cast<float>(rank * 131 + round); }

void check_all_reduce(Group& group, int round, std::int64_t size) {
  at::Tensor tensor = at::full({size}, value(mesh().rank(), round));
  group.all_reduce(tensor);
  float expected = 0;
  for (std::int64_t rank : group.ranks()) expected += value(rank, round);
  EXPECT_TRUE(at::equal(tensor, at::full({size}, expected)));
}

void check_all_gather(Group& group, int round, std::int64_t size) {
  const std::vector<std::int64_t> counts(group.ranks().size(), size);
  const at::Tensor out = group.all_gather(at::full({size}, value(mesh().rank(), round)), counts);
  for (std::size_t index = 0; index < group.ranks().size() && size > 0; ++index) {
    const at::Tensor part = out.narrow(0, static_cast<std::int64_t>(index) * size, size);
    EXPECT_TRUE(at::equal(part, at::full({size}, value(group.ranks()[index], round))));
  }
}

void check_broadcast(Group& group, int round, std::int64_t size) {
  const std::int64_t root = round % group.size();
  at::Tensor tensor = at::full({size}, value(mesh().rank(), round));
  group.broadcast(tensor, root);
  EXPECT_TRUE(
      at::equal(tensor, at::full({size}, value(group.ranks()[static_cast<std::size_t>(root)], round))));
}

class ConcurrentGroups : public testing::TestWithParam<std::vector<std::int64_t>> {};

// The sequence of groups is the same on all ranks, but nothing makes the ranks of one group wait for another
// group.
TEST_P(ConcurrentGroups, RandomSequences) {
  MeshShape shape;
  for (std::int64_t size : GetParam()) {
    shape.names.push_back(std::string(1, static_cast<char>('a' + shape.names.size())));
    shape.sizes.push_back(size);
  }
  if (!can_run(shape.num_ranks())) GTEST_SKIP() << "there are as many processes as another case needs";
  run_ranks(shape,
            [&] {
              std::mt19937 shared(7);
              std::mt19937 own(static_cast<unsigned>(mesh().rank()));
              for (int round = 0; round < 400; ++round) {
                const AxisMask axes = shared() % (1u << shape.sizes.size());
                const std::int64_t size = std::vector<std::int64_t>{0, 1, 50, 300, 4000}[shared() % 5];
                const unsigned kind = shared() % 3;
                if (own() % 16 == 0) std::this_thread::yield();
                Group& group = mesh().group_of(axes);
                if (kind == 0) check_all_reduce(group, round, size);
                if (kind == 1) check_all_gather(group, round, size);
                if (kind == 2) check_broadcast(group, round, size);
              }
            },
            {60});
}

INSTANTIATE_TEST_SUITE_P(Meshes, ConcurrentGroups,
                         testing::Values(std::vector<std::int64_t>{2, 2}, std::vector<std::int64_t>{2, 3},
                                         std::vector<std::int64_t>{3, 2}, std::vector<std::int64_t>{2, 1, 2},
                                         std::vector<std::int64_t>{2, 2, 2}));

// Rows finish many rounds while another row has not begun: groups do not wait for each other.
TEST(IndependentGroups, OneRowRunsAhead) {
  if (ranks_are_processes()) GTEST_SKIP() << "the flag is shared memory";
  std::atomic<bool> row_0_done{false};
  run_ranks({{"dp", "tp"}, {2, 2}},
            [&] {
              if (mesh().coordinate(0) == 1) {
                while (!row_0_done) std::this_thread::sleep_for(std::chrono::milliseconds(1));
              }
              for (int round = 0; round < 50; ++round) check_all_reduce(mesh().group(1), round, 100);
              row_0_done = true;
              check_all_reduce(mesh().world(), 1, 100);
            },
            {60});
}

}  // namespace
}  // namespace vescale
