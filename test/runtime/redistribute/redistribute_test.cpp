// Every pair of placements on one and two mesh axes: the value stays, the gradient is the single device's.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <vescale/mesh.h>
#include <vescale/ops.h>
#include <vescale/redistribute.h>
#include <vescale/run.h>

#include "tensor/layout_table.h"

namespace vescale {
namespace {

at::Tensor values(at::IntArrayRef sizes, std::uint64_t seed) {
  return at::randn(sizes, at::detail::createCPUGenerator(seed), at::TensorOptions(at::kDouble));
}

std::vector<Placement> single_placements(std::int64_t dims, bool interleaved) {
  std::vector<Placement> all{Placement::invariant(), Placement::replicate(), Placement::partial()};
  for (std::int64_t d = 0; d < dims; ++d) all.push_back(Placement::shard(d));
  if (interleaved) all.push_back(Placement::interleaved(0, 2));
  return all;
}

std::vector<std::vector<Placement>> all_placements(std::int64_t axes, std::int64_t dims, bool interleaved) {
  std::vector<std::vector<Placement>> all{{}};
  for (std::int64_t axis = 0; axis < axes; ++axis) {
    std::vector<std::vector<Placement>> longer;
    for (const auto& begun : all) {
      for (const Placement& p : single_placements(dims, interleaved)) {
        longer.push_back(begun);
        longer.back().push_back(p);
      }
    }
    all = std::move(longer);
  }
  return all;
}

bool two_on_one_dim_with_interleaved(const std::vector<Placement>& placements) {
  for (std::size_t a = 0; a < placements.size(); ++a) {
    for (std::size_t b = 0; b < placements.size(); ++b) {
      if (a != b && placements[a].kind == Placement::Kind::Interleaved &&
          placements[b].is_sharded_on(placements[a].dim)) {
        return true;
      }
    }
  }
  return false;
}

void check_pair(const at::Tensor& x, const std::vector<Placement>& from, const std::vector<Placement>& to) {
  const at::Tensor leaf = x.clone().requires_grad_();
  const DTensor source = redistribute(DTensor(leaf * 1), from);
  const DTensor target = redistribute(source, to);
  ASSERT_EQ(target.placements(), to);
  ASSERT_EQ(target.local().sizes(), rank_layout(target.layout()).local_sizes);
  ASSERT_TRUE(at::allclose(target.detach().full(), x, 1e-12, 1e-12)) << target.layout()->to_string();
  const at::Tensor weights = values(x.sizes(), 9);
  sum(target.mul(DTensor(weights))).backward();
  ASSERT_TRUE(at::allclose(leaf.grad(), weights, 1e-12, 1e-12))
      << source.layout()->to_string() << " -> " << target.layout()->to_string() << "\n"
      << leaf.grad() << weights;
}

void check_all(const char* mesh_text, at::IntArrayRef sizes, bool interleaved) {
  const MeshShape mesh = MeshShape::parse(mesh_text);
  const auto all = all_placements(mesh.num_axes(), static_cast<std::int64_t>(sizes.size()), interleaved);
  const at::Tensor x = values(sizes, 1);
  std::size_t pairs = 0;
  run_ranks(mesh,
            [&] {
              for (const auto& from : all) {
                for (const auto& to : all) {
                  if (two_on_one_dim_with_interleaved(from) || two_on_one_dim_with_interleaved(to)) continue;
                  check_pair(x, from, to);
                  if (rank() == 0) ++pairs;
                  if (::testing::Test::HasFatalFailure()) return;
                }
              }
            },
            {120});
  EXPECT_GT(pairs, 20u);
}

TEST(Redistribute, OneRank) { check_all("a=1", {6, 3}, true); }
TEST(Redistribute, TwoRanks) { check_all("a=2", {6, 3}, true); }
TEST(Redistribute, ThreeRanksUneven) { check_all("a=3", {4, 5}, true); }
TEST(Redistribute, FourRanksEmptyPieces) { check_all("a=4", {6, 1}, true); }
TEST(Redistribute, EightRanks) { check_all("a=8", {10, 3}, false); }
TEST(Redistribute, TwoAxes) { check_all("a=2,b=2", {5, 3}, false); }
TEST(Redistribute, TwoAxesOfTwoAndThree) { check_all("a=2,b=3", {7, 2}, false); }
TEST(Redistribute, NoElements) { check_all("a=2", {0, 3}, false); }

TEST(Redistribute, FromLocalOfLocalIsTheIdentityForPartial) {
  run_ranks(MeshShape::parse("a=3"), [] {
    const at::Tensor leaf = values({4, 2}, 1).requires_grad_();
    const DTensor p = partial(DTensor(leaf * 1), "a");
    const DTensor back = from_local(p.local(), "a=P", p.sizes());
    EXPECT_TRUE(at::equal(back.detach().full(), leaf.detach()));
    sum(back).backward();
    EXPECT_TRUE(at::equal(leaf.grad(), at::ones_like(leaf)));
  });
}

TEST(Redistribute, KeepsChannelsLast) {
  run_ranks(MeshShape::parse("a=2"), [] {
    const at::Tensor x = values({2, 4, 3, 3}, 1).contiguous(at::MemoryFormat::ChannelsLast);
    const DTensor y = all_gather(shard(DTensor(x), "a", 1), "a");
    EXPECT_TRUE(y.local().is_contiguous(at::MemoryFormat::ChannelsLast));
    EXPECT_TRUE(y.is_contiguous(at::MemoryFormat::ChannelsLast));
    EXPECT_TRUE(at::equal(y.local(), x));
  });
}

TEST(Redistribute, RefusesWithTheAxisAndThePlacementFound) {
  run_ranks(MeshShape::parse("a=2"), [] {
    const DTensor x = at::zeros({4, 2});
    const auto message = [](const auto& call) -> std::string {
      try {
        call();
      } catch (const Error& error) {
        return error.what();
      }
      return "no error";
    };
    EXPECT_NE(message([&] { all_reduce(shard(x, "a", 0), "a"); }).find("expects a Partial"),
              std::string::npos);
    EXPECT_NE(message([&] { all_reduce(x, "b"); }).find("no axis 'b'"), std::string::npos);
    EXPECT_NE(message([&] { redistribute(x, "a=S(7)"); }).find("S(7)"), std::string::npos);
    EXPECT_NE(message([&] { redistribute(x, "a=Q"); }).find("Q"), std::string::npos);
    EXPECT_NE(message([&] { from_local(at::zeros({3, 2}), "a=S(0)", {4, 2}); }).find("from_local"),
              std::string::npos);
  });
}

}  // namespace
}  // namespace vescale
