#include "reference.h"

namespace vescale::rng {
namespace {

using at::Generator;
using at::Tensor;

const std::vector<at::ScalarType> floats{at::kFloat, at::kDouble, at::kHalf, at::kBFloat16};
const std::vector<at::ScalarType> any_number{at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kByte,
                                             at::kChar,  at::kShort,  at::kInt,  at::kLong};

std::vector<at::ScalarType> and_bool(std::vector<at::ScalarType> dtypes) {
  dtypes.push_back(at::kBool);
  return dtypes;
}

void add_continuous(std::vector<Op>& ops) {
  const auto uniform = [](double from, double to) {
    return [=](Tensor& t, const Tensor&, const Generator& g) { t.uniform_(from, to, g); };
  };
  const auto normal = [](double mean, double std) {
    return [=](Tensor& t, const Tensor&, const Generator& g) { t.normal_(mean, std, g); };
  };
  std::vector<at::ScalarType> with_complex = floats;
  with_complex.insert(with_complex.end(), {at::kComplexFloat, at::kComplexDouble});
  ops.push_back({"rand", Uniform{}, with_complex, uniform(0, 1)});
  ops.push_back({"uniform_", Uniform{-.37, .91}, floats, uniform(-.37, .91)});
  ops.push_back({"randn", Normal{}, with_complex, normal(0, 1)});
  ops.push_back({"normal_", Normal{.1, .02}, floats, normal(.1, .02)});
  ops.push_back({"log_normal_", LogNormal{.1, .37}, floats,
                 [](Tensor& t, const Tensor&, const Generator& g) { t.log_normal_(.1, .37, g); }});
  ops.push_back({"exponential_", Exponential{1.3}, floats,
                 [](Tensor& t, const Tensor&, const Generator& g) { t.exponential_(1.3, g); }});
  ops.push_back({"cauchy_", Cauchy{.2, 1.7}, floats,
                 [](Tensor& t, const Tensor&, const Generator& g) { t.cauchy_(.2, 1.7, g); }});
}

void add_discrete(std::vector<Op>& ops) {
  ops.push_back({"bernoulli_", Bernoulli{.3}, and_bool(any_number),
                 [](Tensor& t, const Tensor&, const Generator& g) { t.bernoulli_(.3, g); }});
  const auto with_p = [](Tensor& t, const Tensor& p, const Generator& g) { t.bernoulli_(p, g); };
  for (const at::ScalarType p : floats) {
    const BernoulliTensor distribution{at::empty({0}, p)};
    ops.push_back(
        {std::string("bernoulli_ p ") + at::toString(p), distribution, {at::kFloat, at::kBool}, with_p});
  }
  ops.push_back({"dropout noise", DropoutNoise{.4}, floats,
                 [](Tensor& t, const Tensor&, const Generator& g) { t.bernoulli_(1 - .4, g).div_(1 - .4); }});
  ops.push_back({"geometric_", Geometric{.3}, any_number,
                 [](Tensor& t, const Tensor&, const Generator& g) { t.geometric_(.3, g); }});
  ops.push_back({"random_", Random{}, and_bool(any_number),
                 [](Tensor& t, const Tensor&, const Generator& g) { t.random_(g); }});
  ops.push_back({"random_(to)", RandomRange{0, 100}, any_number,
                 [](Tensor& t, const Tensor&, const Generator& g) { t.random_(100, g); }});
  ops.push_back({"random_(from, to)",
                 RandomRange{-100, 1LL << 40},
                 {at::kLong, at::kDouble},
                 [](Tensor& t, const Tensor&, const Generator& g) { t.random_(-100, 1LL << 40, g); }});
  ops.push_back({"random_(from)",
                 RandomRange{5, std::nullopt},
                 {at::kInt, at::kLong, at::kFloat},
                 [](Tensor& t, const Tensor&, const Generator& g) { t.random_(5, std::nullopt, g); }});
  constexpr int64_t lowest = std::numeric_limits<int64_t>::lowest();
  ops.push_back({"random_(lowest)",
                 RandomRange{lowest, std::nullopt},
                 {at::kLong, at::kDouble},
                 [](Tensor& t, const Tensor&, const Generator& g) { t.random_(lowest, std::nullopt, g); }});
}

}  // namespace

std::vector<Op> all_ops() {
  std::vector<Op> ops;
  add_continuous(ops);
  add_discrete(ops);
  return ops;
}

Generator generator_at(int64_t draws, bool kept_normal) {
  Generator generator = at::detail::createCPUGenerator(1234);
  if (kept_normal) at::empty({1}, at::kFloat).normal_(0, 1, generator);
  if (draws > 0) at::empty({draws}, at::kFloat).uniform_(0, 1, generator);
  return generator;
}

Piece part_of_dim(const std::vector<int64_t>& sizes, size_t dim, int64_t parts, int64_t index) {
  Piece piece;
  for (const int64_t size : sizes) piece.push_back({{0, size}});
  if (parts > 1) piece[dim] = piece_ranges(piece[dim], Placement::shard(0), parts, index);
  return piece;
}

std::vector<int64_t> sizes_of(const Piece& piece) {
  std::vector<int64_t> sizes;
  for (const DimRanges& ranges : piece) sizes.push_back(length(ranges));
  return sizes;
}

Tensor slice_piece(const Tensor& whole, const Piece& piece) {
  Tensor result = whole;
  for (int64_t d = 0; d < whole.dim(); ++d) {
    const DimRanges& ranges = piece[static_cast<size_t>(d)];
    if (ranges.size() == 1) {
      result = result.narrow(d, ranges[0].start, ranges[0].length);
    } else {
      std::vector<Tensor> parts{result.narrow(d, 0, 0)};
      for (const Range& r : ranges) parts.push_back(result.narrow(d, r.start, r.length));
      result = at::cat(parts, d);
    }
  }
  return result;
}

}  // namespace vescale::rng
