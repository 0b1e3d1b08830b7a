#pragma once
/// Runs an op on plain tensors and on DTensors of many placements, and compares values and gradients.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <functional>
#include <string>
#include <vector>

#include <vescale/mesh.h>
#include <vescale/ops.h>
#include <vescale/redistribute.h>
#include <vescale/run.h>

namespace vescale::test {

using PlainOp = std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>&)>;
using ShardedOp = std::function<std::vector<DTensor>(const std::vector<DTensor>&)>;

struct OpCase {
  std::string name;
  std::vector<at::Tensor> inputs;  ///< float64 ones are differentiated
  PlainOp plain;
  ShardedOp sharded;
};

template <class T>
std::vector<T> as_results(T x) {
  return {std::move(x)};
}
template <class T>
std::vector<T> as_results(std::vector<T> x) {
  return x;
}
template <class T>
std::vector<T> as_results(std::tuple<T, T> x) {
  return {std::get<0>(x), std::get<1>(x)};
}
template <class T>
std::vector<T> as_results(std::tuple<T, T, T> x) {
  return {std::get<0>(x), std::get<1>(x), std::get<2>(x)};
}

/// `op` is a generic lambda over a vector of at::Tensor or of DTensor: argument-dependent lookup finds
/// LibTorch's function for the one and ours for the other.
template <class Op>
OpCase op_case(std::string name, std::vector<at::Tensor> inputs, Op op) {
  return {std::move(name), std::move(inputs),
          [op](const std::vector<at::Tensor>& x) { return as_results(op(x)); },
          [op](const std::vector<DTensor>& x) { return as_results(op(x)); }};
}

struct SweepOptions {
  bool backward = true;
  double tolerance = 1e-10;
  std::size_t most_per_mesh = 60;  ///< placement assignments tried on a mesh; all if there are fewer
};

/// Every mesh of 1, 2, 3 and 4 ranks and 2x2, every placement of every input (a seeded sample where there are
/// many): R, R+, S of each dim, and true Partials of float64 inputs. Returns the number of assignments tried.
std::size_t sweep(const OpCase& op, const SweepOptions& options = {});

/// Random float64 values, reproducible: each call with its own seed.
at::Tensor values(std::initializer_list<std::int64_t> sizes, std::uint64_t seed = 1);
/// Random integers in [0, high).
at::Tensor integers(std::int64_t high, std::initializer_list<std::int64_t> sizes, std::uint64_t seed = 1);

}  // namespace vescale::test
