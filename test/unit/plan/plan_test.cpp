// What plans and annotations say, and what is said of bad ones: one message that names the place and the way
// out.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <vescale/error.h>
#include "Plan/Annotation.h"
#include "Plan/Plan.h"

namespace vescale::plan {
namespace {

const std::vector<std::string> axes{"dp", "tp"};

TEST(Plan, ReadsParametersAndValuesInOrder) {
  const Plan plan = parse_plan(R"J({"mesh": ["dp", "tp"],
      "parameters": {"**.up.weight": "tp=S(0)", "*.down.weight": "dp = R , tp=S(1,3)"},
      "values": {"Mlp::forward.x": "dp=S(0)"},
      "rules": {"ns::distances": "(n d!, m d!) -> n m", "Gate": "(...) -> ..."}
})J",
                               "plan.json", {});
  EXPECT_EQ(plan.axes, axes);
  ASSERT_EQ(plan.parameters.size(), 2u);
  EXPECT_EQ(plan.parameters[0].pattern, "**.up.weight");
  EXPECT_EQ(plan.parameters[1].placements, "dp=R, tp=S(1,3)");
  ASSERT_EQ(plan.values.size(), 1u);
  EXPECT_EQ(plan.values[0].first, "Mlp::forward.x");
  ASSERT_NE(plan.rule_of("Gate"), nullptr);
  EXPECT_EQ(*plan.rule_of("ns::distances"), "(n d!, m d!) -> n m");
  EXPECT_EQ(plan.rule_of("distances"), nullptr);
}

TEST(Plan, TakesTheAxesOfTheSource) { EXPECT_EQ(parse_plan("{}", "p", axes).axes, axes); }

struct BadPlan {
  const char* text;
  std::vector<const char*> message;  ///< all of these are in it
};

class BadPlans : public ::testing::TestWithParam<BadPlan> {};

TEST_P(BadPlans, GetOneMessageWithThePlace) {
  try {
    parse_plan(GetParam().text, "plan.json", axes);
    FAIL() << "accepted: " << GetParam().text;
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.rfind("plan.json:", 0), 0u) << message;
    for (const char* part : GetParam().message) EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Texts, BadPlans,
    ::testing::Values(BadPlan{"", {"1:", "not JSON"}}, BadPlan{"{", {"not JSON"}},
                      BadPlan{"[]", {"JSON object"}}, BadPlan{"3", {"JSON object"}},
                      BadPlan{"{} {}", {"not JSON"}}, BadPlan{"{\"mesh\": [\"dp\",]}", {"not JSON"}},
                      BadPlan{"{\n\"mesh\": nope}", {"2:", "not JSON"}}, BadPlan{"{'mesh': 1}", {"not JSON"}},
                      BadPlan{R"J({"mesh": "dp"})J", {"\"mesh\"", "list"}},
                      BadPlan{R"J({"mesh": [1]})J", {"\"mesh\"", "string"}},
                      BadPlan{R"J({"mesh": ["dp", "dp"]})J", {"\"mesh\"", "twice"}},
                      BadPlan{R"J({"mesh": ["1a"]})J", {"1a"}}, BadPlan{R"J({"mesh": [""]})J", {"\"mesh\""}},
                      BadPlan{R"J({"mesh": ["tp", "dp"]})J", {"VESCALE_MESH"}},
                      BadPlan{R"J({"meshes": []})J", {"\"meshes\"", "did you mean \"mesh\""}},
                      BadPlan{R"J({"parameter": {}})J", {"did you mean \"parameters\""}},
                      BadPlan{R"J({"value": {}})J", {"did you mean \"values\""}},
                      BadPlan{R"J({"parameters": []})J", {"\"parameters\""}},
                      BadPlan{R"J({"parameters": {"w": 1}})J", {"parameters.\"w\"", "string"}},
                      BadPlan{R"J({"parameters": {"w": ""}})J", {"parameters.\"w\"", "empty"}},
                      BadPlan{R"J({"parameters": {"": "tp=S(0)"}
})J",
                              {"name is empty"}},
                      BadPlan{R"J({"parameters": {"w": "pp=S(0)"}
})J",
                              {"parameters.\"w\"", "'pp'", "dp, tp"}},
                      BadPlan{R"J({"parameters": {"w": "tp=S(0)", "w" : "tp=S(1)"}
})J",
                              {"\"w\"", "twice"}},
                      BadPlan{R"J({"parameters": {"w": "tp=S"}})J", {"parameters.\"w\"", "S(0)"}},
                      BadPlan{R"J({"parameters": {"w": "tp=S(-1)"}
})J",
                              {"parameters.\"w\""}},
                      BadPlan{R"J({"parameters": {"w": "tp=S(0"}})J", {"parameters.\"w\""}},
                      BadPlan{R"J({"parameters": {"w": "tp=Q"}})J", {"parameters.\"w\""}},
                      BadPlan{R"J({"parameters": {"w": "tp"}})J", {"has no '='"}},
                      BadPlan{R"J({"parameters": {"w": "tp=S(0), tp=R"}})J", {"'tp' is given twice"}},
                      BadPlan{R"J({"parameters": {"w": "tp=S(0),,dp=R"}})J", {"missing"}},
                      BadPlan{R"J({"parameters": {"w": "=S(0)"}
})J",
                              {"missing"}},
                      BadPlan{R"J({"values": {"x": "dp=S(0)"}
})J",
                              {"Class::function.variable"}},
                      BadPlan{R"J({"values": {"f.x": ["dp=S(0)"]
}
})J",
                              {"values.\"f.x\"", "string"}},
                      BadPlan{R"J({"values": {"f.x": "dp=P(median)"}
})J",
                              {"values.\"f.x\""}},
                      BadPlan{R"J({"stages": {}})J", {"\"stages\""}},
                      BadPlan{R"J({"rules": []})J", {"\"rules\"", "names"}},
                      BadPlan{R"J({"rules": {"f": 1}})J", {"rules.\"f\"", "string"}},
                      BadPlan{R"J({"rules": {"": "(n) -> n"}
})J",
                              {"name is empty"}},
                      BadPlan{R"J({"rules": {"f": "(n d -> n"}
})J",
                              {"rules.\"f\"", "at position 6"}},
                      BadPlan{R"J({"rules": {"f": ""}})J", {"rules.\"f\"", "expected '('"}}));

TEST(Annotation, SpeaksOfAValueOrOfParameters) {
  EXPECT_EQ(parse_place("dp=S(0), tp=R", axes).value, "dp=S(0), tp=R");
  EXPECT_EQ(parse_place("dp=S(0); b s d", axes).value, "dp=S(0)");
  const PlaceAnnotation parameters = parse_place(" weight: tp=S(0); bias: tp=S(0) ", axes);
  ASSERT_EQ(parameters.parameters.size(), 2u);
  EXPECT_EQ(parameters.parameters[1].pattern, "bias");
  EXPECT_EQ(parameters.parameters[1].placements, "tp=S(0)");
}

TEST(Annotation, RefusesWhatItCannotMean) {
  for (const char* text :
       {"", " ", "dp", "pp=S(0)", "weight:", ": tp=S(0)", "weight: pp=S(0)", "dp=S(0); tp=S(1)",
        "dp=S(0); weight: tp=S(0)", "dp=S(0", "dp=S(0))", "dp=S(x)", "b s d"}) {
    EXPECT_THROW(parse_place(text, axes), Error) << text;
  }
  for (const char* text : {"", "dp,", "dp,dp", "1", "d-p"}) EXPECT_THROW(parse_axes(text), Error) << text;
}

TEST(Glob, StarStaysInAComponentAndTwoCrossThem) {
  EXPECT_TRUE(matches_fqn("blocks.*.up.weight", "blocks.0.up.weight"));
  EXPECT_TRUE(matches_fqn("**.weight", "blocks.0.up.weight"));
  EXPECT_TRUE(matches_fqn("up.*", "up.bias"));
  EXPECT_TRUE(matches_fqn("**", "a.b.c"));
  EXPECT_FALSE(matches_fqn("blocks.*.weight", "blocks.0.up.weight"));
  EXPECT_FALSE(matches_fqn("up", "up.weight"));
  EXPECT_FALSE(matches_fqn("*", "a.b"));
}

}  // namespace
}  // namespace vescale::plan
