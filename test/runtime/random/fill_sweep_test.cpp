// Every op x dtype x shape x memory order x placement x rank x generator position against LibTorch's whole
// tensor: the piece's bits, the generator's state bytes and its next draws. Prints how many pieces were
// compared.
#include <algorithm>
#include <iostream>
#include <sstream>

#include "random/fill.h"
#include "reference.h"

namespace vescale::rng {
namespace {

int64_t pieces_compared = 0;

class PrintCount final : public testing::Environment {
 public:
  void TearDown() override { std::cout << "compared " << pieces_compared << " pieces bit by bit\n"; }
};
const auto* const print_count = testing::AddGlobalTestEnvironment(new PrintCount);

/// A mesh axis: how it holds the tensor, and its size.
struct Axis {
  Placement placement;
  int64_t size;
};
using Axes = std::vector<Axis>;

std::vector<std::vector<int64_t>> shapes() {
  return {{},       {0},          {4, 0, 2},     {1},       {1, 1},   {7},        {7, 1},       {15},
          {3, 5},   {16},         {4, 4},        {2, 2, 4}, {17},     {1, 17},    {31},         {33},
          {3, 11},  {2, 3, 4},    {2, 6, 3, 2},  {255},     {15, 17}, {3, 5, 17}, {2, 5, 3, 7}, {4096},
          {64, 64}, {16, 16, 16}, {4, 8, 8, 16}, {2, 2048}, {1500, 3}};
}

/// Row-major, reversed, channels_last for four dims, and row-major with holes.
std::vector<GlobalShape> memory_orders(const std::vector<int64_t>& sizes) {
  const GlobalShape plain = contiguous(sizes);
  std::vector<GlobalShape> result{plain};
  if (sizes.size() < 2) return result;
  std::vector<int64_t> reversed = contiguous_strides({sizes.rbegin(), sizes.rend()});
  std::reverse(reversed.begin(), reversed.end());
  result.push_back({sizes, reversed});
  if (sizes.size() == 4) {
    const int64_t c = sizes[1], h = sizes[2], w = sizes[3];
    result.push_back({sizes, {c * h * w, 1, w * c, c}});
  }
  GlobalShape holes = plain;
  for (int64_t& stride : holes.strides) stride *= 2;
  result.push_back(holes);
  return result;
}

std::vector<Axes> axes_to_try(const std::vector<int64_t>& sizes) {
  std::vector<Axes> result{{}, {{Placement::replicate(), 2}}};
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto d = static_cast<int64_t>(i);
    const Placement shard = Placement::shard(d);
    for (const int64_t size : {2, 3, 4, 8}) result.push_back({{shard, size}});
    result.push_back({{shard, 2}, {shard, 2}});
    result.push_back({{shard, 3}, {Placement::invariant(), 1}, {shard, 2}});
    for (const int64_t sections : {2, 3}) {
      if (sizes[i] % sections != 0) continue;
      const Placement interleaved = Placement::interleaved(d, sections);
      result.push_back({{interleaved, 2}});
      result.push_back({{interleaved, 3}});
      result.push_back({{interleaved, 2}, {shard, 3}});
    }
    for (size_t j = i + 1; j < sizes.size(); ++j) {
      const auto e = static_cast<int64_t>(j);
      result.push_back({{shard, 2}, {Placement::shard(e), 3}});
      if (sizes[j] % 2 == 0) result.push_back({{Placement::interleaved(e, 2), 2}, {shard, 4}});
    }
  }
  return result;
}

/// The piece of each rank.
std::vector<Piece> pieces_of(const GlobalShape& global, const Axes& axes) {
  MeshShape mesh;
  Layout layout{&mesh, {}, global.sizes, global.strides};
  for (const Axis& axis : axes) {
    mesh.names.push_back("axis" + std::to_string(mesh.names.size()));
    mesh.sizes.push_back(axis.size);
    layout.placements.push_back(axis.placement);
  }
  std::vector<Piece> pieces;
  for (int64_t rank = 0; rank < mesh.num_ranks(); ++rank) {
    pieces.push_back(owned_ranges(layout, mesh.coordinate(rank)));
  }
  return pieces;
}

/// A local tensor of the piece's sizes: row-major, in the global memory order, or with holes.
at::Tensor empty_local(const GlobalShape& global, const Piece& piece, at::ScalarType dtype, int64_t kind) {
  std::vector<int64_t> sizes = sizes_of(piece);
  if (kind == 0 || sizes.empty()) return at::empty(sizes, dtype);
  if (kind == 1) {
    const std::vector<int64_t> order = global.memory_order();
    std::vector<int64_t> strides(sizes.size());
    int64_t stride = 1;
    for (size_t i = order.size(); i-- > 0;) {
      strides[static_cast<size_t>(order[i])] = stride;
      stride *= std::max<int64_t>(1, sizes[static_cast<size_t>(order[i])]);
    }
    return at::empty_strided(sizes, strides, dtype);
  }
  sizes.back() *= 2;
  return at::empty(sizes, dtype).slice(-1, 0, std::nullopt, 2);
}

struct Start {
  int64_t draws;
  bool kept_normal;
};
constexpr Start starts[] = {{0, false}, {1, false}, {623, false}, {624, false}, {1000, false},
                            {0, true},  {1, true},  {623, true},  {624, true},  {1000, true}};

std::string describe(const Op& op, at::ScalarType dtype, const GlobalShape& global, const Axes& axes,
                     const Start& start) {
  std::ostringstream text;
  text << op.name << " " << at::toString(dtype) << " sizes " << global.sizes << " strides " << global.strides
       << " after " << start.draws << " draws" << (start.kept_normal ? " and a kept normal" : "") << ", axes";
  for (const Axis& axis : axes) text << " " << axis.placement.to_string() << "/" << axis.size;
  return text.str();
}

class FillSweep : public testing::TestWithParam<size_t> {
 protected:
  /// LibTorch's whole tensor, and then every piece of every `every`-th mesh.
  void compare(at::ScalarType dtype, const GlobalShape& global, const Start& start, int64_t every) {
    at::Tensor whole = at::empty_strided(global.sizes, global.strides, dtype);
    const auto* with_p = std::get_if<BernoulliTensor>(&op_.distribution);
    const at::Tensor p = with_p ? torch::rand(global.sizes).to(with_p->p.scalar_type()) : at::Tensor();
    const at::Generator plain = generator_at(start.draws, start.kept_normal);
    const at::Tensor before = plain.get_state();
    op_.reference(whole, p, plain);
    const at::Tensor after = plain.get_state();
    const std::vector<double> next = next_draws(plain);
    at::Generator generator = at::detail::createCPUGenerator();
    for (const Axes& axes : axes_to_try(global.sizes)) {
      if (turn_++ % every != 0) continue;
      int64_t rank = 0;
      for (const Piece& piece : pieces_of(global, axes)) {
        generator.set_state(before);
        Distribution distribution = op_.distribution;
        if (with_p) distribution = BernoulliTensor{slice_piece(p, piece)};
        const at::Tensor local = empty_local(global, piece, dtype, pieces_compared % 3);
        fill(local, distribution, global, piece, generator);
        ++pieces_compared;
        ASSERT_TRUE(bitwise_equal(local, slice_piece(whole, piece)))
            << "values: " << describe(op_, dtype, global, axes, start) << ", rank " << rank;
        ASSERT_TRUE(bitwise_equal(generator.get_state(), after))
            << "state: " << describe(op_, dtype, global, axes, start) << ", rank " << rank;
        ++rank;
      }
      ASSERT_EQ(next_draws(generator), next) << describe(op_, dtype, global, axes, start);
    }
    generator.set_state(before);
    Distribution distribution = op_.distribution;
    if (with_p) distribution = BernoulliTensor{p};
    advance(dtype, distribution, global, generator);
    ASSERT_TRUE(bitwise_equal(generator.get_state(), after))
        << "advance: " << describe(op_, dtype, global, {}, start);
  }

  const Op op_ = all_ops()[GetParam()];
  int64_t turn_ = 0;
};

TEST_P(FillSweep, PiecesEqualTheWhole) {
  size_t turn = GetParam();
  for (const at::ScalarType dtype : op_.dtypes) {
    for (const std::vector<int64_t>& sizes : shapes()) {
      for (const GlobalShape& global : memory_orders(sizes)) {
        // Positions rotate, so that each meets every shape with some dtype, and every op often.
        for (int i = 0; i < 2; ++i) {
          compare(dtype, global, starts[(turn++ * 7) % std::size(starts)], 3);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, FillSweep, testing::Range<size_t>(0, all_ops().size()),
                         [](const testing::TestParamInfo<size_t>& info) {
                           std::string name = all_ops()[info.param].name;
                           for (char& c : name) {
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           }
                           return name + "_" + std::to_string(info.param);
                         });

}  // namespace
}  // namespace vescale::rng
