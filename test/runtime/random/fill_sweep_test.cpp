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

/// One mesh axis along dim `dim`; Shard is one group.
struct Axis {
  size_t dim;
  int64_t groups, parts;
};
using Placement = std::vector<Axis>;

std::vector<std::vector<int64_t>> shapes() {
  return {{},       {0},          {4, 0, 2},     {1},       {1, 1},   {7},        {7, 1},       {15},
          {3, 5},   {16},         {4, 4},        {2, 2, 4}, {17},     {1, 17},    {31},         {33},
          {3, 11},  {2, 3, 4},    {2, 6, 3, 2},  {255},     {15, 17}, {3, 5, 17}, {2, 5, 3, 7}, {4096},
          {64, 64}, {16, 16, 16}, {4, 8, 8, 16}, {2, 2048}, {1500, 3}};
}

/// Row-major, reversed, channels_last for four dims, and row-major with holes.
std::vector<GlobalShape> memory_orders(const std::vector<int64_t>& sizes) {
  const GlobalShape plain = GlobalShape::contiguous(sizes);
  std::vector<GlobalShape> result{plain};
  if (sizes.size() < 2) return result;
  std::vector<int64_t> backwards(sizes.rbegin(), sizes.rend());
  GlobalShape reversed = GlobalShape::contiguous(backwards);
  std::reverse(reversed.strides.begin(), reversed.strides.end());
  result.push_back({sizes, reversed.strides});
  if (sizes.size() == 4) {
    const int64_t c = sizes[1], h = sizes[2], w = sizes[3];
    result.push_back({sizes, {c * h * w, 1, w * c, c}});
  }
  GlobalShape holes = plain;
  for (int64_t& stride : holes.strides) stride *= 2;
  result.push_back(holes);
  return result;
}

std::vector<Placement> placements(const std::vector<int64_t>& sizes) {
  std::vector<Placement> result{{}};
  for (size_t d = 0; d < sizes.size(); ++d) {
    for (const int64_t parts : {2, 3, 4, 8}) result.push_back({{d, 1, parts}});
    result.push_back({{d, 1, 2}, {d, 1, 2}});
    result.push_back({{d, 1, 3}, {d, 1, 2}});
    for (const int64_t groups : {2, 3}) {
      if (sizes[d] % groups != 0) continue;
      result.push_back({{d, groups, 2}});
      result.push_back({{d, groups, 3}});
      result.push_back({{d, groups, 2}, {d, 1, 3}});
    }
    for (size_t e = d + 1; e < sizes.size(); ++e) {
      result.push_back({{d, 1, 2}, {e, 1, 3}});
      if (sizes[e] % 2 == 0) result.push_back({{e, 2, 2}, {d, 1, 4}});
    }
  }
  return result;
}

std::vector<Piece> pieces_of(const std::vector<int64_t>& sizes, const Placement& placement) {
  std::vector<Piece> pieces{whole_piece(sizes)};
  for (const Axis& axis : placement) {
    std::vector<Piece> finer;
    for (const Piece& piece : pieces) {
      for (int64_t i = 0; i < axis.parts; ++i) {
        Piece part = piece;
        part[axis.dim] = split_interleaved(piece[axis.dim], axis.groups, axis.parts, i);
        finer.push_back(std::move(part));
      }
    }
    pieces = std::move(finer);
  }
  return pieces;
}

/// A local tensor of the piece's sizes: row-major, in the global memory order, or with holes.
at::Tensor empty_local(const GlobalShape& global, const Piece& piece, at::ScalarType dtype, int64_t kind) {
  std::vector<int64_t> sizes;
  for (const DimRanges& ranges : piece) sizes.push_back(length(ranges));
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

std::string describe(const Op& op, at::ScalarType dtype, const GlobalShape& global,
                     const Placement& placement, const Start& start) {
  std::ostringstream text;
  text << op.name << " " << at::toString(dtype) << " sizes " << global.sizes << " strides " << global.strides
       << " after " << start.draws << " draws" << (start.kept_normal ? " and a kept normal" : "") << ", axes";
  for (const Axis& axis : placement)
    text << " (dim " << axis.dim << ", " << axis.groups << " x " << axis.parts << ")";
  return text.str();
}

class FillSweep : public testing::TestWithParam<size_t> {
 protected:
  /// LibTorch's whole tensor, and then every piece of every `every`-th placement.
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
    for (const Placement& placement : placements(global.sizes)) {
      if (turn_++ % every != 0) continue;
      int64_t rank = 0;
      for (const Piece& piece : pieces_of(global.sizes, placement)) {
        generator.set_state(before);
        Distribution distribution = op_.distribution;
        if (with_p) distribution = BernoulliTensor{slice_piece(p, piece)};
        const at::Tensor local = empty_local(global, piece, dtype, pieces_compared % 3);
        fill(local, distribution, global, piece, generator);
        ++pieces_compared;
        ASSERT_TRUE(bitwise_equal(local, slice_piece(whole, piece)))
            << "values: " << describe(op_, dtype, global, placement, start) << ", rank " << rank;
        ASSERT_TRUE(bitwise_equal(generator.get_state(), after))
            << "state: " << describe(op_, dtype, global, placement, start) << ", rank " << rank;
        ++rank;
      }
      ASSERT_EQ(next_draws(generator), next) << describe(op_, dtype, global, placement, start);
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
        for (int i = 0; i < 3; ++i) {
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
