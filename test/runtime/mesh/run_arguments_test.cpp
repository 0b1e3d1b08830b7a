#include <gtest/gtest.h>

#include "mesh/run_arguments.h"

namespace vescale {
namespace {

using Words = std::vector<std::string>;

RunArguments parse(const Words& words, const Words& axes = {}, std::optional<std::string> mesh = {},
                   std::optional<std::string> timeout = {}) {
  return parse_run_arguments(words, axes, std::move(mesh), std::move(timeout));
}

TEST(RunArguments, TakesItsOwnOnly) {
  const RunArguments result = parse({"prog", "-v", "--mesh", "dp=2", "--meshes=3", "--timeout=7.5", "file"});
  EXPECT_EQ(result.rest, (Words{"prog", "-v", "--meshes=3", "file"}));
  EXPECT_EQ(result.shape.to_string(), "dp=2");
  EXPECT_EQ(result.timeout.count(), 7.5);
}

TEST(RunArguments, StopsAtTwoDashes) {
  const RunArguments result = parse({"prog", "--", "--mesh", "dp=2", "--timeout=x"});
  EXPECT_EQ(result.rest, (Words{"prog", "--", "--mesh", "dp=2", "--timeout=x"}));
  EXPECT_EQ(result.shape.num_ranks(), 1);
  EXPECT_EQ(result.timeout.count(), 1800);
}

TEST(RunArguments, NameOfTheProgramIsNoOption) {
  EXPECT_EQ(parse({"--mesh"}).rest, (Words{"--mesh"}));
  EXPECT_EQ(parse({}).rest, Words{});
}

TEST(RunArguments, CommandLineBeforeEnvironmentAndLastBeforeFirst) {
  EXPECT_EQ(parse({"p"}, {}, "dp=3", "5").shape.to_string(), "dp=3");
  EXPECT_EQ(parse({"p"}, {}, "dp=3", "5").timeout.count(), 5);
  EXPECT_EQ(parse({"p", "--mesh=dp=2", "--timeout", "6"}, {}, "bad", "bad").shape.to_string(), "dp=2");
  EXPECT_EQ(parse({"p", "--mesh=dp=2", "--mesh=dp=4"}).shape.to_string(), "dp=4");
}

TEST(RunArguments, DeclaredAxesDecideTheOrder) {
  EXPECT_EQ(parse({"p"}, {"dp", "tp"}).shape.to_string(), "dp=1,tp=1");
  EXPECT_EQ(parse({"p", "--mesh=tp=2"}, {"dp", "tp"}).shape.to_string(), "dp=1,tp=2");
  EXPECT_EQ(parse({"p", "--mesh=tp=2,dp=3"}, {"dp", "tp"}).shape.to_string(), "dp=3,tp=2");
}

TEST(RunArguments, Backend) {
  EXPECT_FALSE(parse({"p"}).backend.has_value());
  EXPECT_EQ(parse({"p", "--backend=gloo", "x"}).backend, "gloo");
  EXPECT_EQ(parse({"p", "--backend=gloo", "x"}).rest, (Words{"p", "x"}));
  EXPECT_EQ(parse_run_arguments({"p"}, {}, {}, {}, "gloo").backend, "gloo");
  EXPECT_EQ(parse_run_arguments({"p", "--backend", "threads"}, {}, {}, {}, "bad").backend, "threads");
  EXPECT_THROW(parse_run_arguments({"p"}, {}, {}, {}, "bad"), Error);
}

struct Malformed {
  Words words;
  std::optional<std::string> mesh;
  std::optional<std::string> timeout;
  const char* message;
};

TEST(RunArguments, SaysWhatIsWrong) {
  const std::vector<Malformed> cases{
      {{"p", "--mesh"}, {}, {}, "--mesh needs a value"},
      {{"p", "--timeout"}, {}, {}, "--timeout needs a value"},
      {{"p", "--mesh="}, {}, {}, "--mesh: mesh \"\": it is empty (expected e.g. dp=2,tp=4)"},
      {{"p", "--mesh", "dp"}, {}, {}, "--mesh: mesh \"dp\": 'dp' has no size (expected e.g. dp=2,tp=4)"},
      {{"p"},
       "dp=0",
       {},
       "VESCALE_MESH: mesh \"dp=0\": mesh axis 'dp' has size 0; a size is at least 1 (expected e.g. "
       "dp=2,tp=4)"},
      {{"p"}, "", {}, "VESCALE_MESH: mesh \"\": it is empty (expected e.g. dp=2,tp=4)"},
      {{"p", "--mesh=pp=2"}, {}, {}, "mesh \"pp=2\": the program has no axis 'pp'; its axes are dp, tp"},
      {{"p", "--backend=mpi"}, {}, {}, "--backend: 'mpi' is no backend; there are threads and gloo"},
      {{"p", "--timeout=0"}, {}, {}, "--timeout: '0' is not a time in seconds between 0 and 1e9"},
      {{"p", "--timeout=-1"}, {}, {}, "--timeout: '-1' is not a time in seconds between 0 and 1e9"},
      {{"p", "--timeout=5s"}, {}, {}, "--timeout: '5s' is not a time in seconds between 0 and 1e9"},
      {{"p", "--timeout=nan"}, {}, {}, "--timeout: 'nan' is not a time in seconds between 0 and 1e9"},
      {{"p", "--timeout=inf"}, {}, {}, "--timeout: 'inf' is not a time in seconds between 0 and 1e9"},
      {{"p", "--timeout="}, {}, {}, "--timeout: '' is not a time in seconds between 0 and 1e9"},
      {{"p"}, {}, "soon", "VESCALE_TIMEOUT: 'soon' is not a time in seconds between 0 and 1e9"},
  };
  for (const Malformed& bad : cases) {
    try {
      parse(bad.words, {"dp", "tp"}, bad.mesh, bad.timeout);
      ADD_FAILURE() << bad.message;
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), bad.message);
    }
  }
}

}  // namespace
}  // namespace vescale
