// vescale::run as a user meets it: exit status, standard output, standard error of a program.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

namespace {

struct Output {
  int status = -1;
  std::string out;
  std::string error;
};

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Output run(const std::string& arguments, const std::string& environment = "") {
  const std::string base = testing::TempDir() + "vescale_run_" + std::to_string(getpid());
  const std::string command = "env -u VESCALE_MESH -u VESCALE_TIMEOUT " + environment +
                              " " VESCALE_RUN_PROGRAM " " + arguments + " >" + base + ".out 2>" + base +
                              ".err";
  const int status = std::system(command.c_str());
  Output result{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(base + ".out"),
                read_file(base + ".err")};
  std::remove((base + ".out").c_str());
  std::remove((base + ".err").c_str());
  return result;
}

std::string expected_print() {
  std::ostringstream text;
  for (int line = 0; line < 20; ++line) {
    text << "cout 0 " << line << "\nprintf 0 " << line << "\nputs\nendl\ncfputs\nfwrite\npwrite\n"
         << std::string(5000, 'x') << '\n';
    const std::string number = std::to_string(line);
    text << std::string(std::max<std::size_t>(number.size(), static_cast<std::size_t>(line)) - number.size(),
                        ' ')
         << number << '\n';
  }
  return text.str();
}

TEST(Run, ShowsRankZeroInOrder) {
  for (const char* mesh : {"", "--mesh dp=2", "--mesh=tp=4", "--mesh dp=2,tp=2"}) {
    const Output output = run(std::string("print ") + mesh);
    EXPECT_EQ(output.status, 0) << output.error;
    EXPECT_EQ(output.out, expected_print()) << mesh;
    EXPECT_EQ(output.error, "");
  }
}

TEST(Run, SurvivesSyncWithStdio) {
  std::string expected;
  for (int line = 0; line < 5; ++line) {
    expected += "cout " + std::to_string(line) + "\nprintf " + std::to_string(line) + "\n";
  }
  EXPECT_EQ(run("sync --mesh tp=3").out, expected + "after cout\nafter printf\n");
}

TEST(Run, GivesEachRankItsArguments) {
  const Output output = run("arguments --mesh tp=2 --timeout 30 x y");
  EXPECT_EQ(output.status, 0) << output.error;
  EXPECT_EQ(output.out, "aaaaaaaaa\na\na\n1 dp=1,tp=2\n");
  EXPECT_EQ(run("arguments", "VESCALE_MESH=dp=3").out, "aaaaaaaaa\n1 dp=3,tp=1\n");
}

TEST(Run, ShowsStandardErrorOfAll) {
  const Output output = run("stderr --mesh tp=3");
  EXPECT_EQ(std::count(output.error.begin(), output.error.end(), '\n'), 3);
}

TEST(Run, ReportsTheFirstException) {
  const Output output = run("throw --mesh dp=2,tp=2");
  EXPECT_EQ(output.status, 1);
  EXPECT_EQ(output.error, "vescale: rank 1 (dp=0, tp=1) failed: cannot open data.bin\n");
}

TEST(Run, ReportsLibTorchErrorsWithoutBacktrace) {
  const Output output = run("torch --mesh tp=2");
  EXPECT_EQ(output.status, 1);
  EXPECT_EQ(
      output.error,
      "vescale: rank 1 (dp=0, tp=1) failed: The size of tensor a (2) must match the size of tensor b (3) at "
      "non-singleton dimension 0\n");
}

TEST(Run, ReturnsTheFirstStatus) {
  const Output output = run("status --mesh tp=2");
  EXPECT_EQ(output.status, 7);
  EXPECT_EQ(output.error, "vescale: rank 1 (dp=0, tp=1) returned 7\n");
}

TEST(Run, ExitEndsARank) {
  const Output good = run("exit --mesh tp=3");
  EXPECT_EQ(good.status, 0);
  EXPECT_EQ(good.out, "bye\n");
  EXPECT_EQ(good.error, "");
  EXPECT_EQ(run("exit 5 --mesh tp=3").status, 5);
  EXPECT_EQ(run("exit 5").status, 5);
}

TEST(Run, TimesOut) {
  for (const auto& [arguments, environment] : {std::pair("timeout --mesh tp=2 --timeout 0.2", ""),
                                               std::pair("timeout --mesh tp=2", "VESCALE_TIMEOUT=0.2")}) {
    const Output output = run(arguments, environment);
    EXPECT_EQ(output.status, 1);
    EXPECT_EQ(output.error.substr(0, output.error.find('\n')),
              "vescale: rank 0 (dp=0, tp=0) failed: barrier over 'dp,tp' timed out after 0.2 s; missing: "
              "rank 1 is not "
              "in any collective");
  }
}

TEST(Run, DoesNotWaitForAStuckRank) {
  const Output output = run("stuck --mesh tp=2 --timeout 0.5");
  EXPECT_EQ(output.status, 1);
  EXPECT_EQ(output.error,
            "vescale: rank 1 (dp=0, tp=1) failed: first\n"
            "vescale: another rank did not stop within 0.5 s; ending the process\n");
}

TEST(Run, RefusesBadOptions) {
  const Output output = run("print --mesh pp=2");
  EXPECT_EQ(output.status, 2);
  EXPECT_EQ(output.out, "");
  EXPECT_EQ(output.error, "vescale: mesh \"pp=2\": the program has no axis 'pp'; its axes are dp, tp\n");
  EXPECT_EQ(run("print --mesh tp=5000").error,
            "vescale: the mesh dp=1,tp=5000 has 5000 ranks; as threads of one process at most 1024 run\n");
  EXPECT_EQ(run("print --timeout never").status, 2);
  EXPECT_EQ(run("print", "VESCALE_MESH=4").status, 2);
}

}  // namespace
