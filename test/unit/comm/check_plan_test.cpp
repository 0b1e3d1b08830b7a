// Names in plans against the program.
#include "Comm/CheckPlan.h"

#include <gtest/gtest.h>

#include "decided.h"

namespace vescale::test {
namespace {

Builder program() {
  Builder b;
  b.module("Block");
  b.member("Block", "up", "torch::nn::Linear", b.linear(4, 4), "weight: tp=S(0)");
  b.constructor("Block");
  b.module("Model");
  b.member("Model", "blocks", "torch::nn::ModuleList", facts::none);
  b.program.classes.back().fields.back().type.elements = {module_type("Block")};
  b.scope = "Model::forward";
  const VarId x = b.parameter("x", tensor_type(), "dp=S(0)");
  b.function("Model::forward", {x}, {Builder::give(b.use(x))}, "Model");
  b.program.functions.back().annotations.push_back({facts::Annotation::Kind::Rule, "(n) -> n", {}});
  facts::Class custom;
  custom.name = "Gate";
  custom.bases = {"torch::autograd::Function"};
  b.program.classes.push_back(custom);
  return b;
}

std::vector<comm::Diagnostic> checked(const plan::Plan& plan) {
  std::vector<comm::Diagnostic> diagnostics;
  comm::check_plan(program().program, plan, diagnostics);
  return diagnostics;
}

TEST(CheckPlan, NamesOfParameters) {
  EXPECT_EQ(comm::parameter_names(program().program, "Model"),
            (std::vector<std::string>{"blocks.*.up.weight", "blocks.*.up.bias"}));
}

TEST(CheckPlan, PatternsThatMatchAreFine) {
  for (const char* pattern : {"blocks.*.up.weight", "blocks.0.up.weight", "**.weight", "blocks.**"}) {
    plan::Plan plan;
    plan.parameters = {{pattern, "tp=S(0)"}};
    EXPECT_TRUE(checked(plan).empty()) << pattern;
  }
}

TEST(CheckPlan, APatternThatMatchesNothing) {
  plan::Plan plan;
  plan.parameters = {{"blocks.*.upp.weight", "tp=S(0)"}};
  const auto found = checked(plan);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "VS2104");
  EXPECT_NE(found[0].message.find("did you mean \"blocks.*.up.weight\"?"), std::string::npos);
}

TEST(CheckPlan, AVariableThatIsNot) {
  plan::Plan plan;
  plan.values = {{"Model::forward.y", "tp=S(0)"}};
  const auto found = checked(plan);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "VS2105");
  EXPECT_NE(found[0].message.find("Model::forward.x"), std::string::npos);
}

TEST(CheckPlan, ThePlanWinsWithANote) {
  plan::Plan plan;
  plan.values = {{"Model::forward.x", "tp=S(0)"}};
  const auto found = checked(plan);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "VS2106");
  EXPECT_EQ(found[0].level, comm::Diagnostic::Level::Note);
}

TEST(CheckPlan, RulesOfFunctionsAndCustomFunctions) {
  plan::Plan plan;
  plan.rules = {{"Gate", "(n) -> n"}, {"Model::forward", "(n) -> n"}};
  EXPECT_TRUE(checked(plan).empty());
  plan.rules = {{"Gate", "(n) -> n"}, {"Model::forward", "(n!) -> n"}};
  const auto note = checked(plan);
  ASSERT_EQ(note.size(), 1u);
  EXPECT_EQ(note[0].id, "VS2106");
  EXPECT_EQ(note[0].level, comm::Diagnostic::Level::Note);
  plan.rules = {{"Gates", "(n) -> n"}, {"Block", "(n) -> n"}};
  const auto found = checked(plan);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].id, "VS2107");
  EXPECT_NE(found[0].message.find("did you mean \"Gate\"?"), std::string::npos);
  EXPECT_EQ(found[1].id, "VS2107");
}

}  // namespace
}  // namespace vescale::test
