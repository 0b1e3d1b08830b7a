// What sharded inputs give: the placements that users count on, family by family.
#include <gtest/gtest.h>

#include <vescale/error.h>

#include "Sharding/Rule.h"

namespace vescale::sharding::test {
namespace {

using Sizes = std::vector<std::int64_t>;

const MeshShape mesh{{"a"}, {2}};

TensorFacts T(std::string_view placement, Sizes sizes, bool differentiable = true) {
  return {{Placement::parse(placement)}, std::move(sizes), differentiable};
}

std::vector<std::optional<TensorFacts>> list(std::initializer_list<TensorFacts> tensors) {
  return {tensors.begin(), tensors.end()};
}

// "inputs -> outputs" as placements on the one axis.
std::string resolved(std::string_view name, std::string_view overload, std::vector<Argument> arguments,
                     std::vector<bool> known = {}) {
  const auto resolution = resolve(mesh, OpCall{name, overload, std::move(arguments), std::move(known)});
  if (!resolution) return "impossible";
  std::string text;
  for (const auto& input : resolution->inputs) text += input[0].to_string() + " ";
  text += "->";
  for (const auto& output : resolution->outputs) text += " " + output[0].to_string();
  return resolution->has_rule ? text : text + " (no rule)";
}

std::int64_t n(std::int64_t value) { return value; }

TEST(Elementwise, LinearOpsLetPartialPass) {
  EXPECT_EQ(resolved("add", "Tensor", {T("P", {4, 6}), T("P", {4, 6})}), "P P -> P");
  EXPECT_EQ(resolved("add", "Scalar", {T("P", {4, 6}), {}}), "R -> R") << "x + 1 is not linear";
  EXPECT_EQ(resolved("mul", "Tensor", {T("P", {4, 6}), T("R", {})}), "P R+ -> P");
  EXPECT_EQ(resolved("div", "Tensor", {T("P", {4, 6}), T("R", {})}), "P R+ -> P");
  EXPECT_EQ(resolved("div", "Tensor", {T("R", {4, 6}), T("P", {4, 6})}), "R R -> R");
  EXPECT_EQ(resolved("div", "Tensor_mode", {T("P", {4, 6}), T("R", {}), std::string("floor")}), "R R -> R");
  EXPECT_EQ(resolved("neg", "", {T("P", {4, 6})}), "P -> P");
  EXPECT_EQ(resolved("neg", "", {T("P(max)", {4, 6})}), "R -> R");
  EXPECT_EQ(resolved("clone", "", {T("P(max)", {4, 6}), {}}), "P(max) -> P(max)");
  EXPECT_EQ(resolved("relu", "", {T("P", {4, 6})}), "R -> R");
  EXPECT_EQ(resolved("where", "self", {T("R", {4, 6}, false), T("P", {4, 6}), T("P", {4, 6})}), "R P P -> P");
}

TEST(Elementwise, Broadcasts) {
  EXPECT_EQ(resolved("add_", "Tensor", {T("S(0)", {4, 6}), T("R", {6}), {}}), "S(0) R+ -> S(0)");
  EXPECT_EQ(resolved("add", "Tensor", {T("S(1)", {4, 6}), T("S(0)", {6}), {}}), "S(1) S(0) -> S(1)");
  EXPECT_EQ(resolved("mul", "Tensor", {T("S(0)", {4, 1}), T("R", {4, 6})}), "S(0) S(0) -> S(0)");
  EXPECT_THROW(resolved("add", "Tensor", {T("R+", {4, 6}), T("R", {5}), {}}), Error);
}

TEST(Elementwise, WhatIsNotReadIsNotReduced) {
  EXPECT_EQ(resolved("zeros_like", "", {T("P", {4, 6})}).substr(0, 4), "P ->");
  EXPECT_EQ(resolved("zeros_like", "", {T("S(0)", {4, 6})}), "S(0) -> S(0)");
  EXPECT_EQ(resolved("new_zeros", "", {T("S(0)", {4, 6}), Sizes{3}}), "S(0) -> R");
  EXPECT_EQ(resolved("new_zeros", "", {T("P", {4, 6}), Sizes{3}}), "P -> R");
  EXPECT_EQ(resolved("type_as", "", {T("S(0)", {4, 6}), T("P", {2})}), "S(0) P -> S(0)");
}

TEST(Products, SumsArePartialAndBiasIsAddedOnce) {
  EXPECT_EQ(resolved("mm", "", {T("S(1)", {4, 6}), T("S(0)", {6, 8})}), "S(1) S(0) -> P");
  EXPECT_EQ(resolved("linear", "", {T("S(2)", {2, 4, 6}), T("S(1)", {8, 6}), T("R", {8})}),
            "S(2) S(1) P -> P");
  EXPECT_EQ(resolved("linear", "", {T("S(0)", {2, 4, 6}), T("R", {8, 6}), {}}), "S(0) R+ -> S(0)");
  EXPECT_EQ(resolved("linear", "", {T("R+", {2, 4, 6}), T("S(0)", {8, 6}), T("S(0)", {8})}),
            "R+ S(0) S(0) -> S(2)");
  EXPECT_EQ(resolved("matmul", "", {T("S(1)", {2, 4, 3, 6}), T("S(1)", {2, 4, 6, 3})}), "S(1) S(1) -> S(1)");
  EXPECT_EQ(
      resolved(
          "einsum", "",
          {std::string("bhld,bhsd->bhls"), list({T("S(1)", {2, 4, 3, 6}), T("S(1)", {2, 4, 5, 6})}), {}}),
      "S(1) S(1) -> S(1)");
}

TEST(Reductions, OnlySumsReduceShards) {
  EXPECT_EQ(resolved("sum", "", {T("S(0)", {4, 6}), {}}), "S(0) -> P");
  EXPECT_EQ(resolved("sum", "dim_IntList", {T("S(0)", {4, 6}), Sizes{1}, false, {}}), "S(0) -> S(0)");
  EXPECT_EQ(resolved("sum", "", {T("P", {4, 6}), {}}), "P -> P");
  EXPECT_EQ(resolved("amax", "", {T("S(1)", {4, 6}), Sizes{1}, false}), "R -> R");
  EXPECT_EQ(resolved("max", "dim", {T("S(0)", {4, 6}), n(-1), false}), "S(0) -> S(0) S(0)");
  EXPECT_EQ(resolved("softmax", "int", {T("S(0)", {4, 6}), n(1), {}}), "S(0) -> S(0)");
  EXPECT_EQ(resolved("softmax", "int", {T("S(1)", {4, 6}), n(1), {}}), "R -> R");
  EXPECT_THROW(resolved("softmax", "int", {T("S(1)", {4, 6}), n(2), {}}), Error);
}

TEST(Parts, InterleavedShardsSplit) {
  EXPECT_EQ(resolved("chunk", "", {T("S(1,3)", {4, 12}), n(3), n(1)}), "S(1,3) -> S(1) S(1) S(1)");
  EXPECT_EQ(resolved("split", "Tensor", {T("S(1,3)", {4, 12}), n(4), n(1)}), "S(1,3) -> S(1) S(1) S(1)");
  EXPECT_EQ(resolved("chunk", "", {T("S(1)", {4, 12}), n(3), n(1)}).substr(0, 4), "R ->");
  EXPECT_EQ(resolved("slice", "Tensor", {T("S(0)", {4, 6}), n(1), n(1), n(3), n(1)}), "S(0) -> S(0)");
  EXPECT_EQ(resolved("slice", "Tensor", {T("S(1)", {4, 6}), n(1), {}, {}, n(1)}), "S(1) -> S(1)");
  EXPECT_EQ(resolved("select", "int", {T("S(1)", {4, 6}), n(0), n(1)}), "S(1) -> S(0)");
  EXPECT_EQ(resolved("cat", "", {list({T("S(1)", {4, 6}), T("S(1)", {4, 6})}), n(1)}), "S(1) S(1) -> S(1,2)");
  EXPECT_EQ(resolved("cat", "", {list({T("P", {4, 6}), T("P", {4, 2})}), n(1)}), "P P -> P");
}

TEST(Layers, ShardTheirBatchAndChannels) {
  const auto conv = [](std::string_view x, std::string_view w, std::string_view b, std::int64_t groups) {
    return resolved(
        "conv2d", "",
        {T(x, {4, 6, 8, 8}), T(w, {8, 6 / groups, 3, 3}), T(b, {8}), Sizes{1}, Sizes{0}, Sizes{1}, groups});
  };
  EXPECT_EQ(conv("S(0)", "R", "R", 1), "S(0) R+ R+ -> S(0)");
  EXPECT_EQ(conv("R+", "S(0)", "S(0)", 1), "R+ S(0) S(0) -> S(1)");
  EXPECT_EQ(conv("S(1)", "S(1)", "R", 1), "S(1) S(1) P -> P");
  EXPECT_EQ(conv("S(1)", "R", "R", 2).substr(0, 2), "R ");
  EXPECT_EQ(resolved("layer_norm", "", {T("S(1)", {4, 6, 8}), Sizes{8}, T("R", {8}), T("R", {8}), {}, true}),
            "S(1) R+ R+ -> S(1)");
  EXPECT_EQ(resolved("embedding", "", {T("S(1)", {9, 6}), T("R", {4, 3}, false), n(-1), false, false}),
            "S(1) R -> S(2)");
  EXPECT_EQ(resolved("embedding", "", {T("R", {9, 6}), T("S(0)", {4, 3}, false), n(-1), false, false}),
            "R+ S(0) -> S(0)");
  EXPECT_EQ(resolved("scaled_dot_product_attention", "",
                     {T("S(1)", {2, 4, 5, 6}),
                      T("S(1)", {2, 2, 5, 6}),
                      T("S(1)", {2, 2, 5, 6}),
                      {},
                      {},
                      true,
                      {},
                      true}),
            "S(1) S(1) S(1) -> S(1)");
  EXPECT_EQ(
      resolved("cross_entropy_loss", "", {T("S(0)", {4, 6}), T("S(0)", {4}, false), {}, n(2), n(-100), {}}),
      "S(0) S(0) -> P");
}

// Where a rank's piece would change the op's meaning, or LibTorch refuses it, the dim is made whole.
TEST(Pieces, ThatAnOpCannotTakeAreNotMade) {
  EXPECT_EQ(resolved("squeeze", "", {T("S(0)", {4, 1, 6})}), "S(0) -> S(0)");
  EXPECT_EQ(resolved("squeeze", "", {T("S(0)", {2, 1, 6})}), "R -> R")
      << "a row a rank would be squeezed away";
  EXPECT_EQ(resolved("squeeze", "dim", {T("S(0)", {2, 1, 6}), n(1)}), "S(0) -> S(0)");
  const std::vector<Argument> conv{
      T("R+", {4, 3, 8}), T("S(0)", {1, 3, 3}), {}, Sizes{1}, Sizes{0}, Sizes{1}, n(1)};
  EXPECT_EQ(resolved("conv1d", "", conv).find("S("), std::string::npos);
  EXPECT_EQ(resolved("conv1d", "",
                     {T("S(0)", {1, 3, 8}), T("R", {4, 3, 3}), {}, Sizes{1}, Sizes{0}, Sizes{1}, n(1)}),
            "S(0) R+ -> S(0)")
      << "an empty batch is fine";
}

TEST(Masks, AsIndicesHaveNoRule) {
  TensorFacts mask = T("S(0)", {4}, false);
  mask.mask = true;
  EXPECT_EQ(resolved("index", "Tensor", {T("S(0)", {4, 6}), list({mask})}), "R R -> R (no rule)");
  EXPECT_TRUE(has_dynamic_shape({"index", "Tensor", {T("R", {4, 6}), list({mask})}, {}}));
  EXPECT_FALSE(has_dynamic_shape({"index", "Tensor", {mask, list({T("R", {3}, false)})}, {}}));
}

// What the tool does not know must not give a wrong rule.
TEST(UnknownArguments, GiveNoRuleOrKeepTheDimWhole) {
  EXPECT_EQ(resolved("softmax", "int", {T("S(0)", {4, 6}), {}, {}}, {true, false, true}), "R -> R (no rule)");
  EXPECT_EQ(
      resolved("slice", "Tensor", {T("S(0)", {4, 6}), n(1), {}, {}, n(1)}, {true, true, false, false, true}),
      "S(0) -> S(0)");
  EXPECT_EQ(
      resolved("slice", "Tensor", {T("S(1)", {4, 6}), n(1), {}, {}, n(1)}, {true, true, true, false, true}),
      "R -> R");
  EXPECT_EQ(resolved("select", "int", {T("S(1)", {4, 6}), n(0), {}}, {true, true, false}), "S(1) -> S(0)");
}

}  // namespace
}  // namespace vescale::sharding::test
