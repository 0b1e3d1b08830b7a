#include <gtest/gtest.h>

#include <vescale/error.h>
#include <vescale/sharding/placement.h>

namespace vescale {
namespace {

TEST(Placement, WrittenFormReadsBack) {
  const std::vector<Placement> all{Placement::invariant(),
                                   Placement::replicate(),
                                   Placement::shard(0),
                                   Placement::shard(7),
                                   Placement::interleaved(0, 3),
                                   Placement::interleaved(12, 1024),
                                   Placement::partial(),
                                   Placement::partial(ReduceOp::Avg),
                                   Placement::partial(ReduceOp::Max),
                                   Placement::partial(ReduceOp::Min),
                                   Placement::partial(ReduceOp::Prod)};
  for (const Placement& placement : all) EXPECT_EQ(Placement::parse(placement.to_string()), placement);
}

TEST(Placement, WrittenForms) {
  EXPECT_EQ(Placement::invariant().to_string(), "R");
  EXPECT_EQ(Placement::replicate().to_string(), "R+");
  EXPECT_EQ(Placement::shard(2).to_string(), "S(2)");
  EXPECT_EQ(Placement::interleaved(1, 3).to_string(), "S(1,3)");
  EXPECT_EQ(Placement::partial().to_string(), "P");
  EXPECT_EQ(Placement::partial(ReduceOp::Max).to_string(), "P(max)");
}

TEST(Placement, BlanksAndPlainSpellingsOfTheSame) {
  EXPECT_EQ(Placement::parse("  R "), Placement::invariant());
  EXPECT_EQ(Placement::parse(" S ( 1 ) "), Placement::shard(1));
  EXPECT_EQ(Placement::parse("S(1 , 3)"), Placement::interleaved(1, 3));
  EXPECT_EQ(Placement::parse("S(1,1)"), Placement::shard(1));
  EXPECT_EQ(Placement::parse("P(sum)"), Placement::partial());
}

TEST(Placement, GradientsOfTheTable) {
  EXPECT_EQ(Placement::invariant().gradient(), Placement::invariant());
  EXPECT_EQ(Placement::replicate().gradient(), Placement::partial());
  EXPECT_EQ(Placement::partial().gradient(), Placement::invariant());
  EXPECT_EQ(Placement::shard(3).gradient(), Placement::shard(3));
  EXPECT_EQ(Placement::interleaved(3, 2).gradient(), Placement::interleaved(3, 2));
}

TEST(Placement, OtherTextIsRefusedAndNamed) {
  for (const char* text : {"",        " ",        "r",      "RR",       "R-",
                           "R++",     "S",        "S()",    "S(",       "S)",
                           "S(-1)",   "S(x)",     "S(1,)",  "S(,3)",    "S(1,0)",
                           "S(1,-2)", "S(1,2,3)", "S(1.5)", "S(99999)", "S(99999999999999999999)",
                           "P()",     "P(mean)",  "P(SUM)", "P(sum",    "Q(1)",
                           "T",       "S(0) R",   "S(0))",  "dp=S(0)"}) {
    try {
      Placement::parse(text);
      ADD_FAILURE() << "'" << text << "' was taken";
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("'" + std::string(text) + "' is not a placement"), std::string::npos) << message;
      EXPECT_NE(message.find("write R, R+, S(dim)"), std::string::npos) << message;
    }
  }
}

}  // namespace
}  // namespace vescale
