#pragma once
/// Constructs and runs a module of torch::nn and the same of vs::nn on several meshes, and compares all that
/// a program sees of them: names, initial values bit by bit, printing, output, gradients, buffers.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <sstream>
#include <string>
#include <vector>

#include <vescale/nn.h>
#include <vescale/random/generator.h>
#include <vescale/redistribute.h>
#include <vescale/run.h>

namespace vescale::test {

inline const std::vector<std::string>& meshes() {
  static const std::vector<std::string> all = {"dp=1,tp=1", "dp=2,tp=1", "dp=1,tp=2",
                                               "dp=3,tp=1", "dp=2,tp=2", "dp=1,tp=4"};
  return all;
}

inline at::Tensor values(std::vector<std::int64_t> sizes, std::uint64_t seed = 1) {
  return at::randn(sizes, at::make_generator<at::CPUGeneratorImpl>(seed), at::TensorOptions(at::kDouble));
}

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// What a run shows. Everything is whole, whatever the placement was.
struct Seen {
  std::string printed;
  NamedTensors initial;  ///< parameters and buffers as constructed
  at::Tensor output, input_gradient;
  NamedTensors gradients;
  NamedTensors buffers;  ///< after the run
};

inline at::Tensor whole(const at::Tensor& x) { return x.defined() ? x.detach().clone() : x; }
inline at::Tensor whole(const DTensor& x) { return x.defined() ? x.full().detach().clone() : at::Tensor(); }

template <class Dict>
void append_values(NamedTensors& to, const Dict& from) {
  for (const auto& item : from) to.emplace_back(item.key(), whole(item.value()));
}

/// Calls `forward(module)` in float64 and differentiates its output towards fixed cotangents.
template <class Module, class Tensor, class Forward>
void run_module(Seen& seen, Module& module, Tensor input, const Forward& forward) {
  module->to(torch::kDouble);
  if (input.is_floating_point()) input.set_requires_grad(true);
  const auto output = forward(module, input);
  seen.output = whole(output);
  (output * Tensor(values(output.sizes().vec(), 99))).sum().backward();
  if (input.requires_grad()) seen.input_gradient = whole(input.grad());
  for (const auto& item : module->named_parameters()) {
    seen.gradients.emplace_back(item.key(), whole(item.value().grad()));
  }
  append_values(seen.buffers, module->named_buffers());
}

template <class Module>
Seen look(Module& module) {
  Seen seen;
  std::ostringstream printed;
  printed << *module;
  seen.printed = printed.str();
  append_values(seen.initial, module->named_parameters());
  append_values(seen.initial, module->named_buffers());
  return seen;
}

inline void compare(const at::Tensor& expected, const at::Tensor& actual, const std::string& what) {
  ASSERT_EQ(expected.defined(), actual.defined()) << what;
  if (!expected.defined()) return;
  ASSERT_EQ(expected.sizes(), actual.sizes()) << what;
  EXPECT_TRUE(at::allclose(expected, actual, 1e-9, 1e-10)) << what << ": expected\n"
                                                           << expected << "\ngot\n"
                                                           << actual;
}
inline void compare(const NamedTensors& expected, const NamedTensors& actual, const std::string& what) {
  ASSERT_EQ(expected.size(), actual.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(expected[i].first, actual[i].first) << what;
    compare(expected[i].second, actual[i].second, what + " of " + expected[i].first);
  }
}
inline void compare_bits(const NamedTensors& expected, const NamedTensors& actual, const std::string& what) {
  ASSERT_EQ(expected.size(), actual.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(expected[i].first, actual[i].first) << what;
    EXPECT_TRUE(at::equal(expected[i].second, actual[i].second)) << what << ": " << expected[i].first;
  }
}
inline void compare(const Seen& expected, const Seen& actual, const std::string& what) {
  EXPECT_EQ(expected.printed, actual.printed) << what;
  compare_bits(expected.initial, actual.initial, what + ": initial value");
  compare(expected.output, actual.output, what + ": output");
  compare(expected.input_gradient, actual.input_gradient, what + ": gradient of the input");
  compare(expected.gradients, actual.gradients, what + ": gradient");
  compare(expected.buffers, actual.buffers, what + ": buffer");
}

/// `plain` and `sharded` make the module, `forward` calls it. The input is dp=S(0).
template <class Plain, class Sharded, class Forward>
void sweep_module(const Plain& plain, const Sharded& sharded, const at::Tensor& input,
                  const PlacementTable& table, const Forward& forward) {
  torch::manual_seed(7);
  auto module = plain();
  Seen expected = look(module);
  run_module(expected, module, input.clone(), forward);
  for (const std::string& mesh : meshes()) {
    try {
      run_ranks(MeshShape::parse(mesh),
                [&] {
                  manual_seed(7);
                  auto placed = sharded();
                  distribute_module(placed, table);
                  Seen actual = look(placed);
                  run_module(actual, placed, redistribute(DTensor(input.clone()), "dp=S(0)").detach(),
                             forward);
                  compare(expected, actual, mesh);
                },
                {60});
    } catch (const std::exception& error) {
      ADD_FAILURE() << mesh << "\n" << error.what();
    }
    if (::testing::Test::HasFailure()) return;
  }
}

/// `make` makes the module from `nn::`, which is torch::nn and then vs::nn.
#define SWEEP_MODULE(test, input, table, ...)                                         \
  TEST(Layers, test) {                                                                \
    sweep_module(                                                                     \
        [] {                                                                          \
          namespace nn = torch::nn;                                                   \
          return __VA_ARGS__;                                                         \
        },                                                                            \
        [] {                                                                          \
          namespace nn = ::vescale::nn;                                               \
          return __VA_ARGS__;                                                         \
        },                                                                            \
        input, PlacementTable table, [](auto& m, auto& x) { return m->forward(x); }); \
  }

}  // namespace vescale::test
