// What is counted, and how many bytes.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <vescale/mesh.h>
#include <vescale/rank_context.h>
#include <vescale/run.h>

namespace vescale {
namespace {

TEST(CommStats, CountsByKindAndAxis) {
  run_ranks({{"dp", "tp"}, {2, 4}},
            [] {
              Group& dp = mesh().group(0);
              Group& tp = mesh().group(1);
              tp.all_reduce(at::ones({100}, at::kDouble));
              tp.all_reduce(at::ones({100}, at::kDouble));
              dp.all_reduce(at::ones({10}));
              tp.all_gather(at::ones({tp.rank()}), {0, 1, 2, 3});
              tp.reduce_scatter(at::ones({8}), {2, 2, 2, 2});
              dp.all_to_all(at::ones({6}), {3, 3}, {3, 3});
              dp.broadcast(at::ones({5}), 1);
              dp.rank() == 0 ? dp.send(at::ones({7}), 1) : dp.recv(at::ones({7}), 0);
              mesh().world().barrier();
              mesh().world().check_equal(at::ones({3}));

              const CommStats& stats = comm_stats();
              EXPECT_EQ(stats.count(Collective::AllReduce), 3);
              EXPECT_EQ(stats.count(Collective::AllReduce, "tp"), 2);
              EXPECT_DOUBLE_EQ(stats.bytes(Collective::AllReduce, "tp"), 2 * 2 * 3.0 / 4 * 800);
              EXPECT_DOUBLE_EQ(stats.bytes(Collective::AllReduce, "dp"), 40);
              EXPECT_DOUBLE_EQ(stats.bytes(Collective::AllGather), 3.0 / 4 * 6 * 4);
              EXPECT_DOUBLE_EQ(stats.bytes(Collective::ReduceScatter), 3.0 / 4 * 8 * 4);
              EXPECT_DOUBLE_EQ(stats.bytes(Collective::AllToAll), 12);
              EXPECT_DOUBLE_EQ(stats.bytes(Collective::Broadcast), dp.rank() == 1 ? 0 : 20);
              EXPECT_DOUBLE_EQ(stats.bytes(Collective::Recv), dp.rank() == 1 ? 28 : 0);
              EXPECT_EQ(stats.count(Collective::Barrier, "dp,tp"), 1);
              EXPECT_EQ(stats.total_count(), 9);
              EXPECT_NE(stats.to_string().find("all_reduce      tp"), std::string::npos) << stats.to_string();

              comm_stats().reset();
              EXPECT_EQ(comm_stats().total_count(), 0);
              EXPECT_EQ(comm_stats().total_bytes(), 0);
              EXPECT_EQ(comm_stats().to_string(), "no communication\n");
            },
            {60});
}

TEST(CommStats, OneRankCountsNothing) {
  comm_stats().reset();
  at::Tensor tensor = at::ones({4});
  mesh().world().all_reduce(tensor);
  mesh().world().barrier();
  EXPECT_TRUE(at::equal(mesh().world().all_gather(tensor, {4}), tensor));
  EXPECT_EQ(comm_stats().total_count(), 0);
}

}  // namespace
}  // namespace vescale
