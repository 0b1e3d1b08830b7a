#pragma once
/// What LibTorch draws for whole tensors, and the pieces of that: what every fill must equal.

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "random/fill.h"

namespace vescale::rng {

/// A distribution, the dtypes to draw it into, and the LibTorch op, written out, that it must equal.
struct Op {
  std::string name;
  Distribution
      distribution;  // of BernoulliTensor: `p` is replaced by the piece of a whole tensor of its dtype
  std::vector<at::ScalarType> dtypes;
  std::function<void(at::Tensor& whole, const at::Tensor& p, const at::Generator&)> reference;
};

/// Every op and parameter set that the tests sweep.
std::vector<Op> all_ops();

/// A CPU generator after `draws` words, with a kept normal value or not.
at::Generator generator_at(int64_t draws, bool kept_normal);

/// The next draws of a generator: a kept normal shows in the first, the word position in both.
inline std::vector<double> next_draws(const at::Generator& generator) {
  const at::Tensor normal = at::empty({1}, at::kDouble).normal_(0, 1, generator);
  const at::Tensor uniform = at::empty({1}, at::kDouble).uniform_(0, 1, generator);
  return {normal.item<double>(), uniform.item<double>()};
}

/// A row-major tensor.
inline GlobalShape contiguous(const std::vector<int64_t>& sizes) {
  return {sizes, contiguous_strides(sizes)};
}

/// The piece of a tensor split along `dim` that one of `parts` ranks holds; all of it for 1 part.
Piece part_of_dim(const std::vector<int64_t>& sizes, size_t dim, int64_t parts, int64_t index);

/// The sizes of the local tensor.
std::vector<int64_t> sizes_of(const Piece& piece);

/// Elements `piece` of `whole`.
at::Tensor slice_piece(const at::Tensor& whole, const Piece& piece);

/// Equal to the last bit, NaNs too.
inline bool bitwise_equal(const at::Tensor& a, const at::Tensor& b) {
  if (a.sizes() != b.sizes() || a.scalar_type() != b.scalar_type()) return false;
  const at::Tensor x = a.contiguous();
  const at::Tensor y = b.contiguous();
  return std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes()) == 0;
}

}  // namespace vescale::rng
