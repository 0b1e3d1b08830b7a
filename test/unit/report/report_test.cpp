// Reports of decisions: lines, bytes, memory of parameters.
#include "Report/Report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "decided.h"

namespace vescale::test {
namespace {

// relu(down(gelu(up(x)))) of known sizes.
struct Network : Builder {
  ExprId down = facts::none;
  Network() {
    module("Mlp");
    member("Mlp", "up", "torch::nn::Linear", linear(8, 32), "weight: tp=S(0); bias: tp=S(0)");
    member("Mlp", "down", "torch::nn::Linear", linear(32, 8), "weight: tp=S(1)");
    constructor("Mlp");
    scope = "Mlp::forward";
    const ExprId x = op("randn", {ints({integer(4), integer(8)})});
    down = run("down", "torch::nn::Linear", {op("gelu", {run("up", "torch::nn::Linear", {x})})});
    function("Mlp::forward", {}, {give(op("relu", {down}))}, "Mlp");
  }
  using Builder::run;
};

TEST(Report, LinesHaveTheirCollectives) {
  const Network b;
  const auto report = nlohmann::json::parse(report::json(decided(b), b.program));
  EXPECT_EQ(report["axes"], (std::vector<std::string>{"dp", "tp"}));
  bool found = false;
  for (const auto& line : report["lines"]) {
    if (line["communication"].empty()) continue;
    found = true;
    EXPECT_EQ(line["file"], "test.cpp");
    EXPECT_EQ(line["line"], b.down + 1);
    EXPECT_EQ(line["communication"][0]["collective"], "all_reduce");
    EXPECT_EQ(line["communication"][0]["axis"], "tp");
    EXPECT_EQ(line["communication"][0]["pass"], "forward");
    EXPECT_EQ(line["communication"][0]["bytes"], 4 * 8 * 4);
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(report["totals"]["tp"]["bytes_forward"], 4 * 8 * 4);
  EXPECT_EQ(report["totals"]["dp"]["bytes_forward"], 0);
}

TEST(Report, ParametersHaveTheirMemory) {
  const Network b;
  const auto report = nlohmann::json::parse(report::json(decided(b), b.program));
  std::map<std::string, std::pair<double, double>> bytes;
  for (const auto& one : report["parameters"]) bytes[one["fqn"]] = {one["bytes"], one["bytes_per_rank"]};
  EXPECT_EQ(bytes["up.weight"], std::make_pair(1024.0, 512.0));
  EXPECT_EQ(bytes["up.bias"], std::make_pair(128.0, 64.0));
  EXPECT_EQ(bytes["down.weight"], std::make_pair(1024.0, 512.0));
  EXPECT_EQ(bytes["down.bias"], std::make_pair(32.0, 32.0));
}

TEST(Report, Summary) {
  const Network b;
  EXPECT_EQ(
      report::summary(decided(b)),
      "all_reduce over tp, forward: 1 place, 128 bytes a rank\nparameters: 2208 bytes, 1120 on a rank\n");
}

TEST(Report, TheSameDecisionsGiveTheSameText) {
  const Network a, b;
  EXPECT_EQ(report::json(decided(a), a.program), report::json(decided(b), b.program));
}

}  // namespace
}  // namespace vescale::test
