// Gradients that ranks hold parts of: summed once, in buckets, and right for every way to ask for them.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <vescale/autograd.h>
#include <vescale/mesh.h>
#include <vescale/ops.h>
#include <vescale/optim.h>
#include <vescale/rank_context.h>
#include <vescale/redistribute.h>
#include <vescale/run.h>

namespace vescale {
namespace {

at::Tensor values(at::IntArrayRef sizes, std::uint64_t seed) {
  return at::randn(sizes, at::detail::createCPUGenerator(seed), at::TensorOptions(at::kDouble));
}

/// Two layers, the first weight used twice, on a batch of five rows.
template <class T>
T loss_of(const T& x, const T& w, const T& v) {
  const T h = (x.matmul(w)).tanh().matmul(w).tanh();
  return h.matmul(v).pow(2).mean();
}

struct Plain {
  at::Tensor w = values({3, 3}, 2).requires_grad_(), v = values({3, 2}, 3).requires_grad_();
  at::Tensor x = values({5, 3}, 1);
};

TEST(DeferredGradient, EqualsTheSingleDevice) {
  Plain plain;
  loss_of(plain.x, plain.w, plain.v).backward();
  for (const char* mesh : {"dp=1", "dp=2", "dp=3", "dp=4", "dp=2,tp=2"}) {
    run_ranks(MeshShape::parse(mesh), [&] {
      const DTensor w = plain.w.detach().clone().requires_grad_(),
                    v = plain.v.detach().clone().requires_grad_();
      const DTensor x = shard(DTensor(plain.x), "dp", 0);
      loss_of(x, w, v).backward();
      EXPECT_TRUE(at::allclose(w.grad().local(), plain.w.grad(), 1e-11, 1e-12)) << mesh;
      EXPECT_TRUE(at::allclose(v.grad().local(), plain.v.grad(), 1e-11, 1e-12)) << mesh;
    });
  }
}

TEST(DeferredGradient, IsOneAllReduceHoweverManyParametersUsesAndSteps) {
  Plain plain;
  loss_of(plain.x, plain.w, plain.v).backward();
  run_ranks(MeshShape::parse("dp=2"), [&] {
    const DTensor w = plain.w.detach().clone().requires_grad_(),
                  v = plain.v.detach().clone().requires_grad_();
    const DTensor x = shard(DTensor(plain.x), "dp", 0);
    comm_stats().reset();
    for (int micro_step = 0; micro_step < 3; ++micro_step) loss_of(x, w, v).backward();
    EXPECT_EQ(comm_stats().total_count(), 0) << "an open loss starts from 1 on each rank";
    sync_gradients();
    EXPECT_EQ(comm_stats().count(Collective::AllReduce), 1);
    sync_gradients();
    w.grad();
    EXPECT_EQ(comm_stats().total_count(), 1);
    EXPECT_TRUE(at::allclose(w.grad().local(), plain.w.grad() * 3, 1e-11, 1e-12));
  });
}

TEST(DeferredGradient, AutogradGradSumsAtOnce) {
  Plain plain;
  const auto expected = torch::autograd::grad({loss_of(plain.x, plain.w, plain.v)}, {plain.w, plain.v});
  run_ranks(MeshShape::parse("dp=3"), [&] {
    const DTensor w = plain.w.detach().clone().requires_grad_(),
                  v = plain.v.detach().clone().requires_grad_();
    const DTensor loss = loss_of(shard(DTensor(plain.x), "dp", 0), w, v);
    const auto gradients = autograd::grad({loss}, {w, v});
    EXPECT_TRUE(at::allclose(gradients[0].full(), expected[0], 1e-11, 1e-12));
    EXPECT_TRUE(at::allclose(gradients[1].full(), expected[1], 1e-11, 1e-12));
    EXPECT_FALSE(w.grad().defined());
  });
}

TEST(DeferredGradient, DoubleBackward) {
  Plain plain;
  const auto first = torch::autograd::grad({loss_of(plain.x, plain.w, plain.v)}, {plain.w}, {}, true, true);
  const auto second = torch::autograd::grad({first[0].pow(2).sum()}, {plain.w, plain.v});
  run_ranks(MeshShape::parse("dp=2"), [&] {
    const DTensor w = plain.w.detach().clone().requires_grad_(),
                  v = plain.v.detach().clone().requires_grad_();
    const DTensor loss = loss_of(shard(DTensor(plain.x), "dp", 0), w, v);
    const auto once = autograd::grad({loss}, {w}, {}, true, true);
    const auto twice = autograd::grad({once[0].pow(2).sum()}, {w, v});
    EXPECT_TRUE(at::allclose(twice[0].full(), second[0], 1e-10, 1e-11));
    EXPECT_TRUE(at::allclose(twice[1].full(), second[1], 1e-10, 1e-11));
  });
}

TEST(DeferredGradient, InPlaceWriteEndsTheKeptView) {
  Plain plain;
  auto loss = [](const auto& w, const auto& x) {
    auto h = w * 2;
    auto first = x.matmul(h).sum();
    h.mul_(3);
    return first + x.matmul(h).pow(2).sum();
  };
  loss(plain.w, plain.x).backward();
  run_ranks(MeshShape::parse("dp=2"), [&] {
    const DTensor w = plain.w.detach().clone().requires_grad_();
    loss(w, shard(DTensor(plain.x), "dp", 0)).backward();
    EXPECT_TRUE(at::allclose(w.grad().full(), plain.w.grad(), 1e-11, 1e-12));
  });
}

template <class Options, class PlainOptimizer, class OurOptimizer>
void check_optimizer(const Options& options) {
  Plain plain;
  PlainOptimizer plain_optimizer({plain.w, plain.v}, options);
  for (int step = 0; step < 4; ++step) {
    plain_optimizer.zero_grad();
    loss_of(plain.x, plain.w, plain.v).backward();
    plain_optimizer.step();
  }
  const Plain start;
  for (const char* mesh : {"dp=1", "dp=2", "dp=3,tp=2"}) {
    run_ranks(MeshShape::parse(mesh), [&] {
      DTensor w = start.w.detach().clone(), v = start.v.detach().clone();
      if (RankContext::current().mesh().num_axes() == 2) v = shard(v, "tp", 0);
      w.set_requires_grad(true);
      v.set_requires_grad(true);
      OurOptimizer optimizer(std::vector<DTensor>{w, v}, options);
      for (int step = 0; step < 4; ++step) {
        optimizer.zero_grad();
        loss_of(shard(DTensor(start.x), "dp", 0), w, v).backward();
        optimizer.step();
      }
      EXPECT_TRUE(at::allclose(w.detach().full(), plain.w.detach(), 1e-10, 1e-11)) << mesh;
      EXPECT_TRUE(at::allclose(v.detach().full(), plain.v.detach(), 1e-10, 1e-11)) << mesh;
    });
  }
}

TEST(Optimizer, Sgd) {
  check_optimizer<torch::optim::SGDOptions, torch::optim::SGD, optim::SGD>(
      torch::optim::SGDOptions(0.1).momentum(0.9));
}
TEST(Optimizer, Adam) {
  check_optimizer<torch::optim::AdamOptions, torch::optim::Adam, optim::Adam>(
      torch::optim::AdamOptions(0.01));
}
TEST(Optimizer, AdamW) {
  check_optimizer<torch::optim::AdamWOptions, torch::optim::AdamW, optim::AdamW>(
      torch::optim::AdamWOptions(0.01).weight_decay(0.1));
}

}  // namespace
}  // namespace vescale
