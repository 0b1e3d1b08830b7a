// Functions under a sharding rule against themselves on whole tensors.
#include <vescale/call_local.h>

#include <torch/csrc/autograd/custom_function.h>

#include "op_sweep.h"

namespace vescale::test {
namespace {

/// An op whose sharded form is the plain one under a rule.
template <class Function>
OpCase ruled_case(std::string name, const char* rule, std::vector<at::Tensor> inputs, Function function) {
  const std::size_t count = inputs.size();
  return {std::move(name), std::move(inputs),
          [=](const std::vector<at::Tensor>& x) {
            if constexpr (std::is_invocable_v<Function, at::Tensor, at::Tensor, at::Tensor>) {
              return as_results(function(x[0], x[1], x[2]));
            } else if constexpr (std::is_invocable_v<Function, at::Tensor, at::Tensor>) {
              return as_results(function(x[0], x[1]));
            } else {
              return as_results(function(x[0]));
            }
          },
          [=](const std::vector<DTensor>& x) {
            EXPECT_EQ(x.size(), count);
            if constexpr (std::is_invocable_v<Function, at::Tensor, at::Tensor, at::Tensor>) {
              return as_results(call_local(rule, function, x[0], x[1], x[2]));
            } else if constexpr (std::is_invocable_v<Function, at::Tensor, at::Tensor>) {
              return as_results(call_local(rule, function, x[0], x[1]));
            } else {
              return as_results(call_local(rule, function, x[0]));
            }
          }};
}

/// x^3 with a gradient of its own making, so that a backward that is not its own shows.
struct Cube : torch::autograd::Function<Cube> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x) {
    context->save_for_backward({x});
    return x * x * x;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const at::Tensor x = context->get_saved_variables()[0];
    return {gradients[0] * x * x * 5};
  }
};

// 5 and 7 do not divide by 2, 3 or 4; 2 over 3 and 4 ranks leaves empty pieces.

TEST(CallLocal, ElementsOfTwoTensors) {
  EXPECT_GT(sweep(ruled_case("pointwise", "(n d, n d) -> n d", {values({5, 2}), values({5, 2}, 2)},
                             [](const at::Tensor& x, const at::Tensor& y) { return x.sin() * y + x; })),
            100u);
}

TEST(CallLocal, PairsOfRowsViewTheWholeOneAsReplicated) {
  sweep(ruled_case("pairs", "(n d!, m d!) -> n m", {values({5, 3}), values({2, 3}, 2)},
                   [](const at::Tensor& x, const at::Tensor& y) {
                     return (x.unsqueeze(1) - y.unsqueeze(0)).pow(2).sum(-1).exp();
                   }));
}

TEST(CallLocal, ASummedFactorLeavesTheResultOpen) {
  sweep(ruled_case(
      "product", "(n k, k m, +m) -> n m; multilinear(0,1)",
      {values({2, 7}), values({7, 3}, 2), values({3}, 3)},
      [](const at::Tensor& x, const at::Tensor& y, const at::Tensor& bias) { return at::mm(x, y) + bias; }));
}

TEST(CallLocal, TwoResultsOfDifferentDims) {
  sweep(ruled_case("two", "(... d!) -> (..., ... d)", {values({3, 5, 2})},
                   [](const at::Tensor& x) { return std::make_tuple(x.logsumexp(-1), x.softmax(-1)); }));
}

TEST(CallLocal, CustomFunctionKeepsItsBackward) {
  sweep(ruled_case("cube", "(n d) -> n d", {values({5, 2})},
                   [](const at::Tensor& x) { return Cube::apply(x); }));
}

// Averages of unequal pieces and maxima of empty ones are not what they would be put together from.
TEST(CallLocal, AveragesAndMaximaOfPieces) {
  for (const std::int64_t rows : {2, 5, 12}) {
    sweep(ruled_case("average", "(n:avg d) -> d", {values({rows, 3})},
                     [](const at::Tensor& x) { return x.mean(0); }),
          {/*backward=*/false});
    sweep(ruled_case("maximum", "(n:max d) -> d", {values({rows, 3})},
                     [](const at::Tensor& x) { return x.amax(0); }),
          {/*backward=*/false});
  }
}

TEST(CallLocal, FlattenedDims) {
  sweep(ruled_case("flatten", "(n h d) -> n (h d)", {values({2, 4, 3})},
                   [](const at::Tensor& x) { return x.flatten(1) * 2; }));
}

TEST(CallLocal, ALeafThatShardedDataUsesGetsItsSummedGradient) {
  const at::Tensor w = values({3, 4}), x = values({5, 4}, 2);
  const auto score = [](const at::Tensor& rows, const at::Tensor& weight) {
    return at::linear(rows, weight).tanh();
  };
  const at::Tensor plain = w.clone().requires_grad_();
  score(x, plain).pow(2).sum().backward();
  for (const char* mesh : {"dp=1", "dp=2", "dp=4", "dp=2,tp=2"}) {
    run_ranks(MeshShape::parse(mesh), [&] {
      DTensor weight(w.clone());
      weight.set_requires_grad(true);
      const DTensor rows = redistribute(DTensor(x), "dp=S(0)");
      const DTensor y = call_local("(n d!, o d!) -> n o", score, rows, weight);
      EXPECT_EQ(y.placements()[0], Placement::shard(0)) << mesh;
      y.pow(2).sum().backward();
      EXPECT_TRUE(at::allclose(weight.grad().full(), plain.grad(), 1e-10, 1e-12)) << mesh;
    });
  }
}

TEST(CallLocal, ListsOptionalsAndOtherArguments) {
  const at::Tensor a = values({5, 2}), b = values({5, 2}, 2), c = values({2}, 3);
  run_ranks(MeshShape::parse("dp=3"), [&] {
    const auto sum = [](const std::vector<at::Tensor>& list, const std::optional<at::Tensor>& bias,
                        double scale, const char* name) {
      EXPECT_STREQ(name, "name");
      at::Tensor total = list[0];
      for (std::size_t i = 1; i < list.size(); ++i) total = total + list[i];
      return std::make_pair(bias ? total * scale + *bias : total * scale, 7);
    };
    const std::vector<DTensor> list{redistribute(DTensor(a), "dp=S(0)"), DTensor(b)};
    const char* rule = "([n d], +d?) -> n d";
    auto [with, seven] = call_local(rule, sum, list, std::optional<DTensor>(c), 2.0, "name");
    EXPECT_EQ(seven, 7);
    EXPECT_TRUE(with.placements()[0].is_sharded_on(0));
    EXPECT_TRUE(at::allclose(with.full(), (a + b) * 2 + c));
    for (const auto& without : {call_local(rule, sum, list, std::nullopt, 2.0, "name"),
                                call_local(rule, sum, list, std::optional<DTensor>(), 2.0, "name")}) {
      EXPECT_TRUE(at::allclose(without.first.full(), (a + b) * 2));
    }
  });
}

TEST(CallLocal, HostTensorsAreCutLikeOthers) {
  const at::Tensor a = values({5, 2}), host = values({5}, 2);
  run_ranks(MeshShape::parse("dp=2"), [&] {
    const DTensor y = call_local(
        "(n d, n) -> n d", [](const at::Tensor& x, const at::Tensor& s) { return x * s.unsqueeze(1); },
        redistribute(DTensor(a), "dp=S(0)"), host);
    EXPECT_TRUE(at::allclose(y.full(), a * host.unsqueeze(1)));
  });
}

TEST(CallLocal, GlobalMemoryOrderFollowsTheResults) {
  run_ranks(MeshShape::parse("dp=2"), [&] {
    const DTensor x = redistribute(DTensor(values({4, 3})), "dp=S(0)");
    const auto flip = [](const at::Tensor& t, bool turned) {
      return turned ? t.t().contiguous().t() : t.contiguous();
    };
    // One plan: the order is not part of the key.
    EXPECT_EQ(call_local("(n d) -> n d", flip, x, false).strides(), (std::vector<std::int64_t>{3, 1}));
    EXPECT_EQ(call_local("(n d) -> n d", flip, x, true).strides(), (std::vector<std::int64_t>{1, 4}));
  });
}

/// The message of the error that `body` throws on some rank of `mesh`.
std::string error_of(const char* mesh, const std::function<void()>& body) {
  try {
    run_ranks(MeshShape::parse(mesh), body, {60});
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

void expect_parts(const std::string& text, const std::vector<const char*>& parts) {
  for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

at::Tensor same(const at::Tensor& x) { return x; }

TEST(CallLocal, ErrorsNameTheRuleTheArgumentsAndTheSizes) {
  const auto rows = [] { return redistribute(DTensor(values({6, 4})), "dp=S(0)"); };
  expect_parts(
      error_of("dp=2", [&] { call_local("(n d) -> n", same, rows()); }),
      {"(n d) -> n", "result 0 has sizes [3, 4]", "[6] [dp=S(0)]", "must have [3]", "0: [6, 4] [dp=S(0)]"});
  expect_parts(
      error_of(
          "dp=2",
          [&] { call_local("(n d) -> n d", [](const at::Tensor& x) { return x.sum(0, true); }, rows()); }),
      {"result 0 has sizes [1, 4]", "must have [3, 4]"});
  expect_parts(error_of("dp=2", [&] { call_local("(n) -> n", same, rows()); }),
               {"operand 0 has 1 dims, the tensor has 2", "0: [6, 4] [dp=S(0)]"});
  expect_parts(error_of("dp=2", [&] { call_local("(n, n) -> n", same, DTensor(values({6}))); }),
               {"operand 1 is missing"});
  expect_parts(error_of("dp=2", [&] { call_local("(n d -> n", same, rows()); }),
               {"(n d -> n", "at position 6, '-> n': expected a dim, ',' or ')'"});
  expect_parts(error_of("dp=2", [&] { call_local("(n d) -> (n d, n d)", same, rows()); }),
               {"the function gives 1 tensors, but the rule has 2 results"});
  expect_parts(error_of("dp=2",
                        [&] {
                          call_local(
                              "(n d) -> n d", [](const at::Tensor& x) { return std::make_tuple(x, x); },
                              rows());
                        }),
               {"more tensors than the rule has results (1)"});
}

}  // namespace
}  // namespace vescale::test
