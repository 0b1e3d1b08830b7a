#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include <ATen/Parallel.h>

#include <vescale/mesh.h>
#include <vescale/rank_context.h>
#include <vescale/run.h>

namespace vescale {
namespace {

struct Counter {
  int value = 0;
};

TEST(RankContext, WithoutRunIsOneRankWithoutAxes) {
  RankContext& context = RankContext::current();
  EXPECT_EQ(&context, &RankContext::current());
  EXPECT_EQ(context.rank(), 0);
  EXPECT_EQ(context.mesh().num_ranks(), 1);
  EXPECT_EQ(context.mesh().num_axes(), 0);
  EXPECT_EQ(context.mesh().world().size(), 1);
}

TEST(RankContext, SlotsBelongToARank) {
  RankContext::current().slot<Counter>().value = 100;
  run_ranks({{"x"}, {4}}, [] {
    EXPECT_EQ(RankContext::current().slot<Counter>().value, 0);
    RankContext::current().slot<Counter>().value = static_cast<int>(rank());
    mesh().world().barrier();
    EXPECT_EQ(RankContext::current().slot<Counter>().value, static_cast<int>(rank()));
  });
  EXPECT_EQ(RankContext::current().slot<Counter>().value, 100);
}

// Slots may use earlier ones, the mesh and the context while they are destroyed.
std::atomic<int> destroyed{0};

struct First {
  bool alive = true;
  ~First() { alive = false; }
};

struct Second {
  First& first = RankContext::current().slot<First>();
  ~Second() {
    EXPECT_TRUE(first.alive);
    EXPECT_EQ(mesh().num_ranks(), 3);
    ++destroyed;
  }
};

TEST(RankContext, SlotsAreDestroyedInReverse) {
  run_ranks({{"x"}, {3}}, [] { RankContext::current().slot<Second>(); });
  EXPECT_EQ(destroyed.load(), 3);
}

TEST(RankContext, ThreadOfNoRankNeedsAScope) {
  run_ranks({{"x"}, {2}}, [] {
    RankContext& own = RankContext::current();
    std::thread([&] {
      EXPECT_THROW(RankContext::current(), Error);
      {
        const RankContext::Scope scope(own);
        EXPECT_EQ(&RankContext::current(), &own);
        EXPECT_EQ(rank(), own.rank());
      }
      EXPECT_THROW(RankContext::current(), Error);
    }).join();
    mesh().world().barrier();
  });
}

TEST(RankContext, CallSitesNest) {
  EXPECT_FALSE(RankContext::current().call_site().known());
  {
    const CallSiteScope outer({"outer", "a.cpp", 1});
    {
      const CallSiteScope inner({"inner", nullptr, 0});
      EXPECT_EQ(RankContext::current().call_site().to_string(), "inner");
    }
    EXPECT_EQ(RankContext::current().call_site().to_string(), "outer at a.cpp:1");
  }
  EXPECT_FALSE(RankContext::current().call_site().known());
}

TEST(RankContext, RanksShareTheCores) {
  const int before = at::get_num_threads();
  run_ranks({{"x"}, {1}}, [&] { EXPECT_EQ(at::get_num_threads(), before); });
  run_ranks({{"x"}, {4}}, [&] { EXPECT_LE(at::get_num_threads(), std::max(1, before / 2)); });
  EXPECT_EQ(at::get_num_threads(), before);
}

TEST(RankContext, RanksHaveLargeStacks) {
  run_ranks({{"x"}, {2}}, [] {
    volatile char large[32 << 20];
    large[0] = 1;
    large[sizeof large - 1] = 1;
    EXPECT_EQ(large[0], 1);
  });
}

}  // namespace
}  // namespace vescale
