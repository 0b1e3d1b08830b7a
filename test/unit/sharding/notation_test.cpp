#include "Sharding/Notation.h"

#include <gtest/gtest.h>

#include <vescale/error.h>

namespace vescale::sharding {
namespace {

TensorFacts tensor(std::vector<std::int64_t> sizes) {
  TensorFacts facts;
  facts.sizes = std::move(sizes);
  return facts;
}

using Dims = std::vector<DimFactors>;
using Sizes = std::vector<std::int64_t>;

TEST(Notation, Mm) {
  const ShardingRule rule = parse_rule("(n k, k m) -> n m", {tensor({4, 5}), tensor({5, 6})});
  ASSERT_EQ(rule.factors.size(), 3u);
  EXPECT_EQ(rule.factors[1].size, 5);
  EXPECT_EQ(rule.inputs[0].dims, (Dims{{0}, {1}}));
  EXPECT_EQ(rule.inputs[1].dims, (Dims{{1}, {2}}));
  EXPECT_EQ(rule.outputs[0].dims, (Dims{{0}, {2}}));
  EXPECT_EQ(rule.output_sizes[0], (Sizes{4, 6}));
  EXPECT_EQ(rule.linearity, Linearity::None);
}

TEST(Notation, BatchDimsAlignAtTheRightAndBroadcast) {
  const ShardingRule rule =
      parse_rule("(... n k, ... k m) -> ... n m ; multilinear", {tensor({7, 1, 2, 3}), tensor({5, 3, 4})});
  // Factors in order of mention: ... (7 and 5), n, k, m.
  ASSERT_EQ(rule.factors.size(), 5u);
  EXPECT_EQ(rule.inputs[0].dims, (Dims{{0}, {}, {2}, {3}}));
  EXPECT_EQ(rule.inputs[1].dims, (Dims{{1}, {3}, {4}}));
  EXPECT_EQ(rule.outputs[0].dims, (Dims{{0}, {1}, {2}, {4}}));
  EXPECT_EQ(rule.output_sizes[0], (Sizes{7, 5, 2, 4}));
  EXPECT_EQ(rule.linearity, Linearity::Multilinear);
}

TEST(Notation, BatchDimsOfSizeOneEverywhereAreFactors) {
  const ShardingRule rule = parse_rule("(..., ...) -> ...", {tensor({1, 3}), tensor({1, 1})});
  EXPECT_EQ(rule.inputs[0].dims, (Dims{{0}, {1}}));
  EXPECT_EQ(rule.inputs[1].dims, (Dims{{0}, {}}));
  EXPECT_EQ(rule.output_sizes[0], (Sizes{1, 3}));
}

TEST(Notation, BatchDimsInTheMiddleAndNone) {
  const ShardingRule rule = parse_rule("(n ... c) -> c ... n", {tensor({2, 3, 4, 5})});
  EXPECT_EQ(rule.output_sizes[0], (Sizes{5, 3, 4, 2}));
  EXPECT_EQ(parse_rule("(n ... c) -> c ... n", {tensor({2, 5})}).output_sizes[0], (Sizes{5, 2}));
}

TEST(Notation, EmptyBatchDims) {
  EXPECT_EQ(parse_rule("(..., ...) -> ...", {tensor({0}), tensor({1})}).output_sizes[0], (Sizes{0}));
}

TEST(Notation, GroupedDimsTakeSizesFromElsewhere) {
  const ShardingRule rule = parse_rule("(n (h d), h d) -> (h n) d", {tensor({2, 12}), tensor({3, 4})});
  EXPECT_EQ(rule.inputs[0].dims, (Dims{{0}, {1, 2}}));
  EXPECT_EQ(rule.output_sizes[0], (Sizes{6, 4}));
}

TEST(Notation, OneUnknownPartOfAGroupIsComputed) {
  const ShardingRule rule = parse_rule("((h d), h) -> d", {tensor({12}), tensor({3})});
  EXPECT_EQ(rule.output_sizes[0], (Sizes{4}));
  const ShardingRule chain =
      parse_rule("((a b), (b c), a) -> a b c", {tensor({6}), tensor({12}), tensor({2})});
  EXPECT_EQ(chain.output_sizes[0], (Sizes{2, 3, 4}));
}

TEST(Notation, UnknownSizesStayUnknown) {
  const ShardingRule rule = parse_rule("(n k, k m) -> n m", {tensor({-1, 5}), tensor({5, -1})});
  EXPECT_EQ(rule.output_sizes[0], (Sizes{unknown_size, unknown_size}));
  const ShardingRule known = parse_rule("(n k, k m) -> n m", {tensor({-1, -1}), tensor({5, -1})});
  EXPECT_EQ(known.factors[1].size, 5);
  const ShardingRule apart = parse_rule("((a b), c) -> a b", {tensor({6}), tensor({-1})});
  EXPECT_EQ(apart.output_sizes[0], (Sizes{unknown_size, unknown_size}));
  EXPECT_EQ(parse_rule("((a b)) -> a b", {tensor({0})}).output_sizes[0], (Sizes{0, 0}));
}

TEST(Notation, Marks) {
  const ShardingRule rule = parse_rule("(n! k:max, k m:prod) -> n m", {tensor({4, 5}), tensor({5, 6})});
  EXPECT_FALSE(rule.factors[0].shardable);
  EXPECT_TRUE(rule.factors[1].shardable);
  EXPECT_EQ(rule.factors[1].reduce, ReduceOp::Max);
  EXPECT_EQ(rule.factors[2].reduce, ReduceOp::Prod);
}

TEST(Notation, MarksHoldWhereverTheyStand) {
  const ShardingRule rule = parse_rule("(n k) -> n!", {tensor({4, 5})});
  EXPECT_FALSE(rule.factors[0].shardable);
  const ShardingRule batch = parse_rule("(...! k) -> ... k", {tensor({4, 6, 5})});
  EXPECT_FALSE(batch.factors[0].shardable);
  EXPECT_FALSE(batch.factors[1].shardable);
  EXPECT_TRUE(batch.factors[2].shardable);
  EXPECT_EQ(parse_rule("(...:max) -> ()", {tensor({4})}).factors[0].reduce, ReduceOp::Max);
}

TEST(Notation, AdditiveAndOptionalOperands) {
  const std::string_view linear = "(... k, o k, +o?) -> ... o ; multilinear(0,1)";
  const ShardingRule with = parse_rule(linear, {tensor({2, 3}), tensor({4, 3}), tensor({4})});
  EXPECT_FALSE(with.inputs[0].additive);
  EXPECT_TRUE(with.inputs[2].additive);
  EXPECT_EQ(with.linear_inputs, (std::vector<bool>{true, true, false}));
  EXPECT_EQ(parse_rule(linear, {tensor({2, 3}), tensor({4, 3})}).inputs.size(), 2u);
}

TEST(Notation, AbsentOperandInTheMiddle) {
  const Notation rule = Notation::compile("(n, n?, n d) -> d");
  const ShardingRule applied = rule.apply({tensor({3}), std::monostate(), tensor({3, 4})});
  EXPECT_EQ(applied.inputs.size(), 2u);
  EXPECT_EQ(applied.output_sizes[0], (Sizes{4}));
}

TEST(Notation, Lists) {
  const Notation rule = Notation::compile("([n d], n) -> d ; joint(0)");
  const std::vector<std::optional<TensorFacts>> list{tensor({3, 4}), std::nullopt, tensor({3, 4})};
  const ShardingRule applied = rule.apply({list, tensor({3})});
  EXPECT_EQ(applied.inputs.size(), 3u);
  EXPECT_EQ(applied.linear_inputs, (std::vector<bool>{true, true, false}));
  EXPECT_EQ(
      parse_rule(rule.text(), {tensor({3, 4}), tensor({3, 4}), tensor({3, 4}), tensor({3})}).inputs.size(),
      4u);
}

TEST(Notation, Results) {
  const auto sizes = [](std::string_view text) { return parse_rule(text, {tensor({2, 3})}).output_sizes; };
  EXPECT_EQ(sizes("(n k) -> n k"), (std::vector<Sizes>{{2, 3}}));
  EXPECT_EQ(sizes("(n k) -> (n k)"), (std::vector<Sizes>{{2, 3}}));
  EXPECT_EQ(sizes("(n k) -> ((n k))"), (std::vector<Sizes>{{6}}));
  EXPECT_EQ(sizes("(n k) -> (n k) 1"), (std::vector<Sizes>{{6, 1}}));
  EXPECT_EQ(sizes("(n k) -> 1 (n k)"), (std::vector<Sizes>{{1, 6}}));
  EXPECT_EQ(sizes("(n k) -> (n k, n, )"), (std::vector<Sizes>{{2, 3}, {2}, {}}));
  EXPECT_EQ(sizes("(n k) -> ()"), (std::vector<Sizes>{{}}));
  EXPECT_EQ(sizes("(n k) ->"), (std::vector<Sizes>{{}}));
  EXPECT_EQ(sizes("(n k)->k ;joint"), (std::vector<Sizes>{{3}}));
}

TEST(Notation, NoOperands) {
  EXPECT_TRUE(parse_rule("() -> 1", {}).inputs.empty());
  EXPECT_EQ(parse_rule("() -> 1", {}).output_sizes[0], (Sizes{1}));
}

TEST(Notation, DiagonalsAreMarked) {
  EXPECT_EQ(parse_rule("(n! n!) -> n", {tensor({3, 3})}).output_sizes[0], (Sizes{3}));
}

struct Bad {
  std::string text;
  std::string message;  // a part of it
};

const std::vector<Bad> bad_rules{
    {"", "at its end: expected '(' before the operands"},
    {"   ", "at its end: expected '('"},
    {"n k -> n", "at position 1, 'n k -> n': expected '('"},
    {"(n k", "at its end: expected a dim, ',' or ')'"},
    {"(n k -> n", "at position 6, '-> n': expected a dim, ',' or ')'"},
    {"(n k)", "at its end: expected '->'"},
    {"(n k) n", "at position 7, 'n': expected '->'"},
    {"(n k) - > n", "at position 7, '- > n': expected '->'"},
    {"(n k) => n", "expected '->'"},
    {"(n k)) -> n", "at position 6, ') -> n': expected '->'"},
    {"((n k) -> n", "expected a dim, ',' or ')'"},
    {"(n k) -> n, k", "several results need parentheses"},
    {"(n k) -> (n, k", "at its end: expected a dim, ',' or ')'"},
    {"(n k) -> (n", "at its end"},
    {"(n k) -> n)", "at position 11, ')': expected a dim, ';' or the end"},
    {"(n k) -> n -> k", "at position 12"},
    {"(n k) -> z", "'z' is in a result but in no operand"},
    {"(n k) -> ... k", "'...' is in a result but in no operand"},
    {"(n n) -> n", "at position 4, 'n) -> n': 'n' appears twice"},
    {"(n k) -> n k n", "at position 14, 'n': 'n' appears twice"},
    {"((n n)) -> n", "'n' appears twice"},
    {"(... ...) -> ...", "at position 6, '...) -> ...': '...' appears twice"},
    {"((... n)) -> n", "'...' can't be a part of a dim"},
    {"((n ...)) -> n", "'...' can't be a part of a dim"},
    {"(() n) -> n", "a dim is made of one factor or more"},
    {"((n (k))) -> n", "at position 5, '(k))) -> n': expected a name or ')'"},
    {"((n 1)) -> n", "expected a name or ')'"},
    {"(n 2) -> n", "at position 4, '2) -> n': expected 1"},
    {"(n 0) -> n", "expected 1"},
    {"(n 99999999999999999999) -> n", "too large"},
    {"(n .. k) -> n", "at position 4, '.. k) -> n': expected a dim"},
    {"(n:mean) -> n", "at position 4, 'mean) -> n': expected sum, avg, max, min or prod"},
    {"(n:) -> n", "at position 4, ') -> n': expected sum"},
    {"(n:max, n:min) -> ()", "'n' reduces by max already"},
    {"(n-k) -> n", "at position 3, '-k) -> n'"},
    {"(n ++k) -> n", "expected a dim"},
    {"(n, ++k) -> n", "expected a dim"},
    {"(n?\?) -> n", "at position 4, '?) -> n'"},
    {"(?n) -> n", "expected a dim, ',' or ')'"},
    {"([n) -> n", "at position 4, ') -> n': expected a dim or ']'"},
    {"(n]) -> n", "at position 3, ']) -> n'"},
    {"([n, k]) -> n", "at position 4, ', k]) -> n': expected a dim or ']'"},
    {"(+[n]) -> n", "a list can't be additive"},
    {"(n) -> +n", "at position 8, '+n'"},
    {"(n) -> [n]", "at position 8, '[n]'"},
    {"(n) -> n ;", "at its end: expected move, joint or multilinear"},
    {"(n) -> n ; linear", "at position 12, 'linear': expected move, joint or multilinear"},
    {"(n) -> n ; joint move", "at position 18, 'move': expected the end"},
    {"(n) -> n ; joint(1)", "at position 18, '1)': operands are numbered from 0 to 0"},
    {"(n) -> n ; joint()", "expected a number"},
    {"(n) -> n ; joint(0", "at its end: expected ',' or ')'"},
    {"(n) -> n ; joint(-1)", "expected a number"},
    {"(n) -> n ; ; joint", "at position 12"},
    {"(n\xc3\xa4) -> n", "at position 3"},
};

TEST(Notation, BadRulesAreRefusedWithPositionAndText) {
  for (const Bad& bad : bad_rules) {
    try {
      Notation::compile(bad.text);
      ADD_FAILURE() << "'" << bad.text << "' was taken";
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(bad.message), std::string::npos) << message;
      EXPECT_NE(message.find("\"" + bad.text + "\""), std::string::npos) << message;
    }
  }
}

struct Mismatch {
  std::string text;
  std::vector<TensorFacts> inputs;
  std::string message;
};

TEST(Notation, ShapesThatContradictTheRule) {
  const std::vector<Mismatch> mismatches{
      {"(n k, k m) -> n m", {tensor({2, 3}), tensor({4, 5})}, "'k' is 3 elsewhere, but 4 in operand 1"},
      {"(n k) -> n", {tensor({2})}, "operand 0 has 2 dims, the tensor has 1"},
      {"(n k) -> n", {tensor({2, 3, 4})}, "operand 0 has 2 dims, the tensor has 3"},
      {"(... n k) -> n", {tensor({2})}, "operand 0 has at least 2 dims, the tensor has 1"},
      {"(n, n) -> n", {tensor({2})}, "operand 1 is missing"},
      {"(n) -> n", {}, "operand 0 is missing"},
      {"(n) -> n", {tensor({2}), tensor({2})}, "it has 1 operands, but the call has 2"},
      {"(n 1) -> n", {tensor({2, 3})}, "a dim of size 3 where the rule has 1"},
      {"(..., ...) -> ...", {tensor({2}), tensor({3})}, "a batch dim of size 3, others have 2"},
      {"(..., ...) -> ...", {tensor({0}), tensor({3})}, "a batch dim of size 3, others have 0"},
      {"((a b), a) -> b", {tensor({7}), tensor({2})}, "size 7 in operand 0 is not made of"},
      {"((a b), a, b) -> b", {tensor({7}), tensor({2}), tensor({3})}, "product is 6"},
      {"((a b)) -> a b", {tensor({6})}, "don't tell the size of 'a', a part of a dim of size 6"},
      {"([n], [n]) -> n", {tensor({7})}, "only one operand may be a list"},
  };
  for (const Mismatch& mismatch : mismatches) {
    try {
      parse_rule(mismatch.text, mismatch.inputs);
      ADD_FAILURE() << mismatch.text << " was taken";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(mismatch.message), std::string::npos) << error.what();
    }
  }
}

TEST(Notation, ArgumentsOfOtherKinds) {
  const Notation rule = Notation::compile("(n, [n]) -> n");
  const std::vector<std::optional<TensorFacts>> list{tensor({3})};
  EXPECT_THROW(rule.apply({std::int64_t{3}, list}), Error);
  EXPECT_THROW(rule.apply({tensor({3}), tensor({3})}), Error);
  EXPECT_THROW(rule.apply({list, list}), Error);
  EXPECT_EQ(rule.apply({tensor({3}), std::vector<std::optional<TensorFacts>>{}}).inputs.size(), 1u);
}

TEST(Notation, ErrorsTellThePositionAsANumber) {
  const auto position = [](const char* text) -> std::size_t {
    try {
      Notation::compile(text);
    } catch (const NotationError& error) {
      return error.position();
    }
    return 1000;
  };
  EXPECT_EQ(position("(n k -> n"), 5u);
  EXPECT_EQ(position("(n"), 2u);
  EXPECT_EQ(position("(n k) -> n kk"), 11u);
}

}  // namespace
}  // namespace vescale::sharding
