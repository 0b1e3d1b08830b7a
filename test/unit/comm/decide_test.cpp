// What is decided for programs of a few lines: where communication is written, and what each line makes.
#include <gtest/gtest.h>

#include "decided.h"

namespace vescale::test {
namespace {

using Conversions = std::map<ExprId, std::string>;

// up is split by rows, down by columns.
void mlp_members(Builder& b) {
  b.module("Mlp");
  b.member("Mlp", "up", "torch::nn::Linear", b.linear(8, 32), "weight: tp=S(0); bias: tp=S(0)");
  b.member("Mlp", "down", "torch::nn::Linear", b.linear(32, 8), "weight: tp=S(1)");
  b.constructor("Mlp");
}

// The program of docs/annotations.md: the dims of x are named.
TEST(Decide, MlpReducesBeforeDropout) {
  Builder b;
  mlp_members(b);
  b.scope = "Mlp::forward";
  const VarId x = b.parameter("x", tensor_type(), "dp=S(0); b s d"), h = b.variable("h");
  const ExprId gelu = b.op("gelu", {b.run("up", "torch::nn::Linear", {b.use(x)})});
  const ExprId down = b.run("down", "torch::nn::Linear", {b.use(h)});
  const ExprId dropout = b.op("dropout", {down, b.number(), b.flag()});
  b.function("Mlp::forward", {x}, {Builder::let(h, gelu), Builder::give(dropout)}, "Mlp");
  const auto decisions = decided(b);
  EXPECT_EQ(conversions(decisions), (Conversions{{down, "tp P -> R"}}));
  EXPECT_EQ(comment_at(decisions, b.program.variables[static_cast<std::size_t>(x)].range), "x: dp=S(0)");
  EXPECT_EQ(comment_at(decisions, b.program.variables[static_cast<std::size_t>(h)].range), "dp=S(0) tp=S(2)");
  EXPECT_EQ(comment_at(decisions, Builder::at(dropout)), "dp=S(0)");
}

// Without them it could be a single row, whose only dim is that of the features.
TEST(Decide, AnUnknownRankIsLeftToRunTime) {
  Builder b;
  mlp_members(b);
  b.scope = "Mlp::forward";
  const VarId x = b.parameter("x", tensor_type(), "dp=S(0)");
  const ExprId up = b.run("up", "torch::nn::Linear", {b.use(x)});
  b.function("Mlp::forward", {x}, {Builder::give(b.op("gelu", {up}))}, "Mlp");
  const auto decisions = decided(b);
  EXPECT_EQ(conversions(decisions), Conversions{});
  EXPECT_EQ(ids(decisions).count("VS3005"), 2u);
}

// forward(x) { x = x.view({2, 8}) ...: the rank is known.
struct Mlp : Builder {
  ExprId down = facts::none;
  VarId x = facts::none, h = facts::none;
  explicit Mlp(bool dropout = true) {
    mlp_members(*this);
    scope = "Mlp::forward";
    x = parameter("x");
    h = variable("h");
    const ExprId flat = op("flatten", {use(x), integer(1)});
    const VarId rows = variable("rows", tensor_type(), "dp=S(0)");
    const ExprId gelu = op("gelu", {run("up", "torch::nn::Linear", {use(rows)})});
    down = run("down", "torch::nn::Linear", {use(h)});
    const ExprId result = dropout ? op("dropout", {down, number(), flag()}) : down;
    function("Mlp::forward", {x}, {let(rows, flat), let(h, gelu), give(result)}, "Mlp");
  }
  using Builder::run;
};

TEST(Decide, OneReductionOfTheMlp) {
  Mlp b;
  const auto decisions = decided(b);
  EXPECT_EQ(conversions(decisions), (Conversions{{b.down, "tp P -> R"}}));
  EXPECT_EQ(decisions.conversions[0].reason, "dropout is not linear, so it needs the reduced value");
  const auto& h = b.program.variables[static_cast<std::size_t>(b.h)];
  EXPECT_EQ(comment_at(decisions, h.range), "dp=S(0) tp=S(1)");
  EXPECT_GE(ids(decisions).count("VS3013"), 3u);  // gradients summed over dp
}

TEST(Decide, AnOpenSumMayLeaveAFunction) {
  Mlp b(false);
  EXPECT_EQ(conversions(decided(b)), Conversions{});
}

TEST(Decide, StrictRefusesWhatNobodyAskedFor) {
  Mlp b;
  const auto decisions = decided(b, true);
  ASSERT_EQ(ids(decisions).count("VS3008"), 1u);
  for (const auto& one : decisions.diagnostics) {
    if (one.id == "VS3008")
      EXPECT_NE(one.fixit.find("VESCALE_REDISTRIBUTE(..., \"tp=R\")"), std::string::npos);
  }
}

TEST(Decide, IsDeterministic) {
  Mlp a, b;
  const auto first = decided(a), second = decided(b);
  ASSERT_EQ(first.remarks.size(), second.remarks.size());
  for (std::size_t i = 0; i < first.remarks.size(); ++i)
    EXPECT_EQ(first.remarks[i].text, second.remarks[i].text);
  EXPECT_EQ(conversions(first), conversions(second));
}

// Values of known shape and float dtype: linear of a factory.
struct Values : Builder {
  ExprId made(const std::string& first = "randn") {
    return op("gelu", {op(first, {ints({integer(4), integer(8)})})});
  }
  /// P on tp: a product over a split dim.
  ExprId open_sum() { return op("mm", {split(1), split(0)}); }
  /// Split on tp.
  ExprId split(std::int64_t dim) {
    const ExprId value = op("randn", {ints({integer(8), integer(8)})});
    return place(value, "tp=S(" + std::to_string(dim) + ")");
  }
  ExprId whole() { return op("randn", {ints({integer(8), integer(8)})}); }
  ExprId place(ExprId value, const std::string& text) {
    const ExprId id = add(Expr::Kind::Redistribute, {value});
    program.exprs.back().text = text;
    return id;
  }
  Conversions result(std::vector<Stmt> body) {
    function("f", {}, std::move(body));
    decisions = decided(*this);
    return conversions(decisions);
  }
  comm::Decisions decisions;
};

TEST(Decide, WrapsTheOneUse) {
  Values b;
  const VarId x = b.variable("x");
  const ExprId sum = b.open_sum(), use = b.use(x);
  EXPECT_EQ(b.result({Builder::let(x, sum), Builder::give(b.op("relu", {use}))}),
            (Conversions{{use, "tp P -> R"}}));
}

TEST(Decide, OneValueIsConvertedOnce) {
  Values b;
  const VarId x = b.variable("x");
  const ExprId sum = b.open_sum();
  const ExprId a = b.op("relu", {b.use(x)}), c = b.op("tanh", {b.use(x)});
  EXPECT_EQ(b.result({Builder::let(x, sum), Builder::run(a), Builder::give(c)}),
            (Conversions{{sum, "tp P -> R"}}));
}

TEST(Decide, ASumNeededWholeIsReducedWhereItIsMade) {
  Values b;
  const VarId x = b.variable("x");
  const ExprId sum = b.open_sum();
  const ExprId relu = b.op("relu", {b.use(x)}), add = b.op("add", {b.use(x), b.open_sum()});
  const auto result = b.result({Builder::let(x, sum), Builder::run(relu), Builder::give(add)});
  EXPECT_EQ(result.count(sum), 1u);
  EXPECT_EQ(result.size(), 1u);
}

TEST(Decide, NotInALoopIfItDoesNotChangeThere) {
  Values b;
  const VarId x = b.variable("x");
  const ExprId sum = b.open_sum();
  const ExprId relu = b.op("relu", {b.use(x)});
  EXPECT_EQ(b.result({Builder::let(x, sum), Builder::loop({Builder::run(relu)})}),
            (Conversions{{sum, "tp P -> R"}}));
}

TEST(Decide, BranchesJoinInOnePlacement) {
  Values b;
  const VarId x = b.variable("x");
  const ExprId whole = b.whole(), sum = b.open_sum();
  const ExprId relu = b.op("relu", {b.use(x)});
  EXPECT_EQ(
      b.result({Builder::let(x, whole), Builder::branch(b.flag(), {b.set(x, sum)}), Builder::give(relu)}),
      (Conversions{{sum, "tp P -> R"}}));
}

TEST(Decide, BothBranchesKeepTheirPlacement) {
  Values b;
  const VarId x = b.variable("x");
  const ExprId one = b.split(0), other = b.op("neg", {b.split(0)}), none = facts::none;
  const ExprId relu = b.op("relu", {b.use(x)});
  const auto result =
      b.result({Builder::let(x, none), Builder::branch(b.flag(), {b.set(x, one)}, {b.set(x, other)}),
                Builder::give(relu)});
  EXPECT_EQ(result, Conversions{});
  EXPECT_EQ(comment_at(b.decisions, Builder::at(relu)), "tp=S(0)");
}

// h = zeros; loop { h = tanh(x + h) }: the state becomes what the loop makes of it, before the loop.
TEST(Decide, CarriedStateIsPlacedBeforeTheLoop) {
  Values b;
  const VarId x = b.variable("x"), h = b.variable("h");
  const ExprId input = b.split(0), zeros = b.op("zeros", {b.ints({b.integer(8), b.integer(8)})});
  const ExprId step = b.op("tanh", {b.op("add", {b.use(x), b.use(h)})});
  const ExprId last = b.op("relu", {b.use(h)});
  EXPECT_EQ(b.result({Builder::let(x, input), Builder::let(h, zeros), Builder::loop({b.set(h, step)}),
                      Builder::give(last)}),
            (Conversions{{zeros, "tp R -> S(0)"}}));
  EXPECT_EQ(comment_at(b.decisions, Builder::at(last)), "tp=S(0)");
}

TEST(Decide, RebindingIsFollowed) {
  Values b;
  const VarId x = b.variable("x");
  const ExprId split = b.split(1), flat = b.op("sum", {b.use(x), b.ints({b.integer(1)})}),
               relu = b.op("relu", {b.use(x)});
  const auto result = b.result({Builder::let(x, split), b.set(x, flat), Builder::give(relu)});
  ASSERT_EQ(result.size(), 1u);
  EXPECT_EQ(result.begin()->second, "tp P -> R");
}

TEST(Decide, TuplesAndBindings) {
  Values b;
  const VarId p = b.variable("p"), q = b.variable("q");
  const ExprId pair = b.construct("std::make_pair", {Type::Kind::Tuple, {}, {tensor_type(), tensor_type()}},
                                  {b.split(0), b.open_sum()});
  const ExprId a = b.op("relu", {b.use(p)}), use = b.use(q), c = b.op("relu", {use});
  EXPECT_EQ(b.result({Builder::let({p, q}, pair), Builder::run(a), Builder::give(c)}),
            (Conversions{{use, "tp P -> R"}}));
}

TEST(Decide, VectorsJoinTheirElements) {
  Values b;
  const VarId list = b.variable("list", {Type::Kind::TensorList, {}, {}});
  const ExprId empty = b.construct("std::vector", {Type::Kind::TensorList, {}, {}});
  const ExprId push = b.add(Expr::Kind::Assign, {b.use(list), b.split(0)}, "push_back", {});
  const ExprId first = b.add(Expr::Kind::Index, {b.use(list), b.integer(0)});
  const ExprId relu = b.op("relu", {first});
  EXPECT_EQ(b.result({Builder::let(list, empty), Builder::loop({Builder::run(push)}), Builder::give(relu)}),
            Conversions{});
  EXPECT_EQ(comment_at(b.decisions, Builder::at(relu)), "tp=S(0)");
}

TEST(Decide, LambdasSeeWhatTheyCapture) {
  Values b;
  const VarId x = b.variable("x"), f = b.variable("g", {Type::Kind::Function, {}, {}});
  const ExprId split = b.split(0), inside = b.op("relu", {b.use(x)});
  const auto lambda = b.function("f.lambda@1", {}, {Builder::give(inside)});
  b.program.functions[static_cast<std::size_t>(lambda)].captures = {x};
  const ExprId made = b.add(Expr::Kind::Lambda, {}, {}, {Type::Kind::Function, {}, {}});
  b.program.exprs[static_cast<std::size_t>(made)].function = lambda;
  const ExprId called = b.add(Expr::Kind::CallValue, {b.use(f)});
  b.result({Builder::let(x, split), Builder::let(f, made), Builder::give(called)});
  EXPECT_EQ(comment_at(b.decisions, Builder::at(called)), "tp=S(0)");
}

TEST(Decide, RecursionSettles) {
  Values b;
  b.scope = "again";
  const VarId x = b.parameter("x");
  const auto self = b.function("again", {x}, {});
  const ExprId base = b.use(x), deeper = b.call(self, {b.op("neg", {b.use(x)})});
  b.program.functions[static_cast<std::size_t>(self)].body =
      Builder::block({Builder::branch(b.flag(), {Builder::give(base)}), Builder::give(deeper)});
  const ExprId called = b.call(self, {b.split(0)});
  b.result({Builder::give(called)});
  EXPECT_EQ(comment_at(b.decisions, Builder::at(called)), "tp=S(0)");
}

// Three layers read x: the caller converts what it passes.
TEST(Decide, CallersConvertWhatAllUsesNeed) {
  Values b;
  b.scope = "g";
  const VarId x = b.parameter("x");
  const ExprId a = b.op("relu", {b.use(x)}), c = b.op("tanh", {b.use(x)});
  const auto g = b.function("g", {x}, {Builder::run(a), Builder::give(c)});
  const ExprId sum = b.open_sum();
  EXPECT_EQ(b.result({Builder::give(b.call(g, {sum}))}), (Conversions{{sum, "tp P -> R"}}));
}

// Called with a whole and with an open value: the call is right for both, since it leaves a whole one alone.
TEST(Decide, OneTextServesAllContexts) {
  Values b;
  b.scope = "g";
  const VarId x = b.parameter("x");
  const ExprId use = b.use(x), relu = b.op("relu", {use});
  const auto g = b.function("g", {x}, {Builder::give(relu)});
  EXPECT_EQ(b.result({Builder::run(b.call(g, {b.open_sum()})), Builder::give(b.call(g, {b.whole()}))}),
            (Conversions{{use, "tp P -> R"}}));
}

// With a split value it would not be, so it is left to run time.
TEST(Decide, ContextsThatDisagreeAreLeftToRunTime) {
  Values b;
  b.scope = "g";
  const VarId x = b.parameter("x");
  const ExprId relu = b.op("relu", {b.use(x)});
  const auto g = b.function("g", {x}, {Builder::give(relu)});
  EXPECT_EQ(b.result({Builder::run(b.call(g, {b.open_sum()})), Builder::give(b.call(g, {b.split(0)}))}),
            Conversions{});
  EXPECT_EQ(ids(b.decisions).count("VS3006"), 1u);
}

TEST(Decide, HostReadsAreRemarked) {
  Values b;
  const VarId x = b.variable("x");
  const ExprId item = b.add(Expr::Kind::Item, {b.use(x)}, "item", {Type::Kind::Float, {}, {}});
  const ExprId condition = b.add(Expr::Kind::Arithmetic, {item, b.number()}, "<", {Type::Kind::Bool, {}, {}});
  b.result({Builder::let(x, b.open_sum()), Builder::branch(condition, {Builder::run(b.use(x))})});
  EXPECT_EQ(ids(b.decisions), (std::multiset<std::string>{"VS3011", "VS3015"}));
}

TEST(Decide, BackwardReducesAnOpenLossUnlessItIsASum) {
  for (const bool sum : {true, false}) {
    Values b;
    const ExprId loss = sum ? b.op("sum", {b.split(0)}) : b.place(b.op("sum", {b.whole()}), "tp=P(max)");
    b.result({Builder::run(b.add(Expr::Kind::Backward, {loss}, "backward", {}))});
    EXPECT_EQ(ids(b.decisions), sum ? std::multiset<std::string>{} : std::multiset<std::string>{"VS3012"});
  }
}

// Not all_reduce and then a slice.
TEST(Decide, ASumOfWhichRanksKeepPiecesIsScattered) {
  Values b;
  const ExprId sum = b.open_sum();
  const ExprId dropout = b.op("dropout", {sum, b.number(), b.flag()});
  EXPECT_EQ(b.result({Builder::give(b.op("add", {b.split(1), dropout}))}),
            (Conversions{{sum, "tp P -> S(1)"}}));
  EXPECT_EQ(b.decisions.conversions.front().movement.forward, sharding::Movement::ReduceScatter);
}

// A softmax over the split dim needs the whole sum.
TEST(Decide, ASumThatIsNeededWholeInBetweenIsReduced) {
  Values b;
  const ExprId sum = b.open_sum();
  const ExprId softmax = b.op("softmax", {sum, b.integer(1)});
  EXPECT_EQ(b.result({Builder::give(b.op("add", {b.split(1), softmax}))}),
            (Conversions{{sum, "tp P -> R"}, {softmax, "tp R -> S(1)"}}));
}

// As positions meet a batch: rows [8, 8] and a value [4, 8, 8] that is split along its first dim.
TEST(Decide, AnEmbeddingThatMeetsASplitValueIsLookedUpByConvertedIndices) {
  Values b;
  const facts::Type table{Type::Kind::Module, "torch::nn::Embedding", {}};
  const ExprId batch = b.op("randn", {b.ints({b.integer(4), b.integer(8), b.integer(8)})});
  const ExprId indices = b.op("arange", {b.integer(8)});
  const ExprId rows_of_table = b.integer(8);
  const ExprId module =
      b.add(Expr::Kind::Construct, {rows_of_table, b.integer(8)}, "torch::nn::Embedding", table);
  const ExprId rows = b.add(Expr::Kind::ModuleCall, {module, indices}, {}, tensor_type());
  EXPECT_EQ(b.result({Builder::give(b.op("add", {b.place(batch, "tp=S(0)"), rows}))}),
            (Conversions{{indices, "tp R -> R+"}}));
  ASSERT_EQ(b.decisions.conversions.size(), 1u);
  EXPECT_EQ(b.decisions.conversions.front().movement.backward, sharding::Movement::None);
}

TEST(Decide, UnknownFunctionsOfSplitTensorsAreErrors) {
  Values b;
  b.result({Builder::run(b.add(Expr::Kind::Unknown, {b.split(0)}, "their_kernel", {}))});
  ASSERT_EQ(b.decisions.diagnostics.size(), 1u);
  EXPECT_EQ(b.decisions.diagnostics[0].id, "VS3001");
  EXPECT_NE(b.decisions.diagnostics[0].fixit.find(".full()"), std::string::npos);
}

TEST(Decide, UnknownFunctionsOfWholeTensorsAreFine) {
  Values b;
  b.result({Builder::run(b.add(Expr::Kind::Unknown, {b.whole()}, "their_kernel", {}))});
  EXPECT_TRUE(b.decisions.diagnostics.empty());
}

TEST(Decide, UserRules) {
  Values b;
  b.scope = "pairs";
  const VarId x = b.parameter("x"), y = b.parameter("y");
  const auto pairs = b.function("pairs", {x, y}, {});
  b.program.functions[static_cast<std::size_t>(pairs)].annotations.push_back(
      {facts::Annotation::Kind::Rule, "(n d, m d) -> n m", {}});
  const ExprId called = b.call(pairs, {b.split(0), b.whole()});
  b.result({Builder::give(called)});
  EXPECT_EQ(comment_at(b.decisions, Builder::at(called)), "tp=S(0)");
}

// A call of a function with this rule, returned.
struct Ruled : Values {
  facts::FunctionId function_id = facts::none;
  explicit Ruled(const std::string& rule, std::size_t tensors, Type result = tensor_type())
      : result_(std::move(result)) {
    scope = "ruled";
    std::vector<VarId> parameters;
    for (std::size_t i = 0; i < tensors; ++i) parameters.push_back(parameter("x" + std::to_string(i)));
    function_id = function("ruled", parameters, {});
    if (!rule.empty())
      program.functions.back().annotations.push_back({facts::Annotation::Kind::Rule, rule, {}});
    program.functions.back().host = true;
  }
  ExprId ruled(std::vector<ExprId> arguments) {
    return call(function_id, std::move(arguments), false, result_);
  }

 private:
  Type result_;
};

TEST(Decide, ARuleMakesWholeWhatItDoesNotShard) {
  Ruled b("(n! d) -> n d", 1);
  const ExprId x = b.split(0);
  const auto result = b.result({Builder::give(b.ruled({x}))});
  EXPECT_EQ(result, (Conversions{{x, "tp S(0) -> R"}}));
  EXPECT_EQ(b.decisions.conversions[0].reason, "the rule (n! d) -> n d");
}

TEST(Decide, EachResultOfARuleHasItsPlacement) {
  Ruled b("(n k) -> (n, k)", 1, {Type::Kind::Tuple, {}, {tensor_type(), tensor_type()}});
  const VarId rows = b.variable("rows"), columns = b.variable("columns");
  const ExprId use = b.use(columns), relu = b.op("relu", {use});
  const auto result = b.result({Builder::let({rows, columns}, b.ruled({b.split(0)})),
                                Builder::run(b.op("relu", {b.use(rows)})), Builder::give(relu)});
  EXPECT_EQ(result, (Conversions{{use, "tp P -> R"}}));
}

TEST(Decide, ARuleThatDoesNotFitIsAnError) {
  Ruled b("(n d e) -> n", 1);
  b.result({Builder::give(b.ruled({b.split(0)}))});
  EXPECT_EQ(ids(b.decisions).count("VS2103"), 1u);
}

TEST(Decide, SizesThatRunTimeTellsMayBeEqual) {
  Ruled b("(n d, n d) -> n d", 2);
  const auto rows = [&] {
    return b.op("randn",
                {b.ints({b.add(Expr::Kind::Unknown, {}, "std::stol", integer_type()), b.integer(8)})});
  };
  const ExprId called = b.ruled({b.place(rows(), "tp=S(0)"), b.place(rows(), "tp=S(0)")});
  b.result({Builder::give(called)});
  EXPECT_EQ(ids(b.decisions).count("VS2103"), 0u);
  EXPECT_EQ(comment_at(b.decisions, Builder::at(called)), "tp=S(0)");
}

TEST(Decide, ThePlansRuleWins) {
  Ruled b("(n! d) -> n d", 1);
  b.scope = "f";
  const ExprId called = b.ruled({b.split(0)});
  b.function("f", {}, {Builder::give(called)});
  plan::Plan plan;
  plan.rules = {{"ruled", "(n d) -> n d"}};
  const auto decisions = decided(b, false, plan);
  EXPECT_EQ(conversions(decisions), Conversions{});
  EXPECT_EQ(comment_at(decisions, Builder::at(called)), "tp=S(0)");
}

TEST(Decide, CustomFunctionsNeedARule) {
  for (const bool ruled : {false, true}) {
    Values b;
    facts::Class custom;
    custom.name = "Gate";
    if (ruled) custom.annotations.push_back({facts::Annotation::Kind::Rule, "(n d) -> n d", {}});
    b.program.classes.push_back(custom);
    const ExprId called =
        b.add(Expr::Kind::TorchFunction, {b.split(0)}, "torch::autograd::Function<Gate>::apply");
    b.program.exprs.back().text = "Gate";
    b.result({Builder::give(called)});
    EXPECT_EQ(ids(b.decisions).count("VS3003"), ruled ? 0u : 1u);
    EXPECT_EQ(comment_at(b.decisions, Builder::at(called)), ruled ? "tp=S(0)" : "");
  }
}

TEST(Decide, SizesAreComputedThroughViews) {
  Values b;
  b.scope = "heads";
  const VarId x = b.parameter("x"), n = b.parameter("n", integer_type());
  const auto size = [&](std::int64_t dim) {
    return b.add(Expr::Kind::Size, {b.use(x), b.integer(dim)}, "size", integer_type());
  };
  const ExprId last = b.add(Expr::Kind::Arithmetic, {size(1), b.use(n)}, "/", integer_type());
  const ExprId view = b.op("view", {b.use(x), b.ints({size(0), b.use(n), last})});
  const auto heads = b.function("heads", {x, n}, {Builder::give(view)});
  const ExprId count = b.add(Expr::Kind::Unknown, {}, "std::stol", integer_type());
  const ExprId wide =
      b.op("randn", {b.ints({b.integer(4), b.add(Expr::Kind::Unknown, {}, "std::stol", integer_type())})});
  const ExprId called = b.call(heads, {b.place(wide, "tp=S(1)"), count});
  b.result({Builder::give(called)});
  EXPECT_EQ(comment_at(b.decisions, Builder::at(called)), "tp=S(1)");
}

TEST(Decide, InPlaceKeepsSelf) {
  Values b;
  const VarId x = b.variable("x");
  const ExprId other = b.open_sum();
  const ExprId add = b.op("add_", {b.use(x), other});
  const auto result = b.result({Builder::let(x, b.whole()), Builder::run(add)});
  EXPECT_EQ(result, (Conversions{{other, "tp P -> R"}}));
}

// auto& x = sum; relu(x); tanh(x): x stays a reference.
TEST(Decide, ReferencesStayBound) {
  Values b;
  const VarId x = b.variable("x");
  b.program.variables.back().by_reference = true;
  const ExprId sum = b.open_sum(), first = b.use(x), second = b.use(x);
  EXPECT_EQ(b.result({Builder::let(x, sum), Builder::run(b.op("relu", {first})),
                      Builder::give(b.op("tanh", {second}))}),
            (Conversions{{first, "tp P -> R"}, {second, "tp P -> R"}}));
}

TEST(Decide, ArgumentsByReferenceStayBound) {
  Values b;
  b.scope = "g";
  const VarId y = b.parameter("y");
  b.program.variables.back().by_reference = true;
  const ExprId first = b.use(y), second = b.use(y);
  const auto g =
      b.function("g", {y}, {Builder::run(b.op("relu", {first})), Builder::give(b.op("tanh", {second}))});
  b.scope = "f";
  const VarId x = b.variable("x");
  const ExprId sum = b.open_sum();
  EXPECT_EQ(b.result({Builder::let(x, sum), Builder::give(b.call(g, {b.use(x)}))}),
            (Conversions{{first, "tp P -> R"}, {second, "tp P -> R"}}));
}

TEST(Decide, BatchesOfADataLoaderAreWhole) {
  for (const bool known : {true, false}) {
    Values b;
    const VarId batch =
        b.variable("batch", {Type::Kind::Other, known ? "torch::data::Example" : "Theirs", {}});
    const ExprId data = b.add(Expr::Kind::Member, {b.use(batch)}, "data");
    const ExprId sum = b.op("sum", {b.place(data, "dp=S(0)")});
    b.result({Builder::give(sum)});
    EXPECT_EQ(comment_at(b.decisions, Builder::at(sum)), known ? "dp=P" : "") << known;
  }
}

TEST(Decide, OpsWithoutRuleAreLeftToRunTimeWithAWarning) {
  Values b;
  const ExprId result = b.op("erfinv_of_mine", {b.split(0)});
  EXPECT_EQ(b.result({Builder::give(result)}), Conversions{});
  EXPECT_EQ(ids(b.decisions).count("VS3004"), 1u);
  EXPECT_EQ(comment_at(b.decisions, Builder::at(result)), "");
}

// head->weight = token->weight
TEST(Decide, ReplacedParametersAreNotGuessed) {
  Builder b;
  mlp_members(b);
  b.scope = "Mlp::forward";
  const VarId x = b.parameter("x", tensor_type(), "dp=S(0); b d");
  const ExprId target =
      b.add(Expr::Kind::Member, {b.field("up", module_type("torch::nn::Linear"))}, "weight");
  const ExprId tie =
      b.add(Expr::Kind::Assign, {target, b.op("randn", {b.ints({b.integer(32), b.integer(8)})})});
  const ExprId up = b.run("up", "torch::nn::Linear", {b.use(x)});
  b.function("Mlp::tie", {}, {Builder::run(tie)}, "Mlp");
  b.function("Mlp::forward", {x}, {Builder::give(b.op("gelu", {up}))}, "Mlp");
  EXPECT_EQ(comment_at(decided(b), Builder::at(up)), "");
}

TEST(Decide, ParametersUsedByNameAreWhereTheyArePlaced) {
  Builder b;
  mlp_members(b);
  b.scope = "Mlp::forward";
  const ExprId weight =
      b.add(Expr::Kind::Member, {b.field("up", module_type("torch::nn::Linear"))}, "weight");
  const ExprId result = b.op("neg", {weight});
  b.function("Mlp::forward", {}, {Builder::give(result)}, "Mlp");
  EXPECT_EQ(comment_at(decided(b), Builder::at(result)), "tp=S(0)");
}

// Two blocks of Megatron's kind: two reductions forward and two views of the input each.
TEST(Decide, TransformerBlock) {
  Builder b;
  b.module("Block");
  const auto norm = [&] {
    return b.construct("torch::nn::LayerNorm", module_type("torch::nn::LayerNorm"),
                       {b.ints({b.integer(32)})});
  };
  b.member("Block", "norm1", "torch::nn::LayerNorm", norm());
  for (const char* name : {"query", "key", "value"})
    b.member("Block", name, "torch::nn::Linear", b.linear(32, 32), "weight: tp=S(0); bias: tp=S(0)");
  b.member("Block", "out", "torch::nn::Linear", b.linear(32, 32), "weight: tp=S(1)");
  b.member("Block", "norm2", "torch::nn::LayerNorm", norm());
  b.member("Block", "up", "torch::nn::Linear", b.linear(32, 128), "weight: tp=S(0); bias: tp=S(0)");
  b.member("Block", "down", "torch::nn::Linear", b.linear(128, 32), "weight: tp=S(1)");
  b.constructor("Block");
  b.scope = "Block::forward";
  const VarId x = b.parameter("x", tensor_type(), "dp=S(0); b s d"), h = b.variable("h");
  const ExprId normed = b.run("norm1", "torch::nn::LayerNorm", {b.use(x)});
  const auto heads = [&](const char* name) {
    const ExprId y = b.run(name, "torch::nn::Linear", {b.use(h)});
    const ExprId split = b.op("unflatten", {y, b.integer(2), b.ints({b.integer(4), b.integer(8)})});
    return b.op("transpose", {split, b.integer(1), b.integer(2)});
  };
  const ExprId q = heads("query"), k = heads("key"), v = heads("value");
  const ExprId scores = b.op("matmul", {q, b.op("transpose", {k, b.integer(2), b.integer(3)})});
  const ExprId mixed = b.op("matmul", {b.op("softmax", {scores, b.integer(-1)}), v});
  const ExprId joined =
      b.op("flatten", {b.op("transpose", {mixed, b.integer(1), b.integer(2)}), b.integer(2)});
  const ExprId out = b.run("out", "torch::nn::Linear", {joined});
  const Stmt attend = b.set(x, b.op("add", {b.use(x), b.op("dropout", {out, b.number(), b.flag()})}));
  const ExprId normed2 = b.run("norm2", "torch::nn::LayerNorm", {b.use(x)});
  const ExprId down =
      b.run("down", "torch::nn::Linear", {b.op("gelu", {b.run("up", "torch::nn::Linear", {normed2})})});
  const Stmt feed = b.set(x, b.op("add", {b.use(x), b.op("dropout", {down, b.number(), b.flag()})}));
  b.function("Block::forward", {x}, {Builder::let(h, normed), attend, feed, Builder::give(b.use(x))},
             "Block");
  EXPECT_EQ(conversions(decided(b)),
            (Conversions{
                {normed, "tp R -> R+"}, {out, "tp P -> R"}, {normed2, "tp R -> R+"}, {down, "tp P -> R"}}));
}

TEST(Decide, BytesAreOfOneRank) {
  Values b;
  const ExprId sum = b.open_sum();
  b.result({Builder::give(b.op("relu", {sum}))});
  ASSERT_EQ(b.decisions.conversions.size(), 1u);
  // 8 x 8 floats, 2 (p-1)/p of them.
  EXPECT_EQ(b.decisions.conversions[0].bytes_forward, 256);
  EXPECT_EQ(b.decisions.conversions[0].bytes_backward, 0);
}

}  // namespace
}  // namespace vescale::test
