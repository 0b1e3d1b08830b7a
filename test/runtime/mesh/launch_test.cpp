// What launchers put into the environment, as this process understands it.
#include <gtest/gtest.h>

#include <map>

#include <vescale/error.h>

#include "mesh/launch.h"

namespace vescale {
namespace {

using Variables = std::map<std::string, std::string>;

std::optional<Launch> find(const Variables& variables) {
  return find_launch([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
  });
}

std::string refusal(const Variables& variables) {
  try {
    find(variables);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Launch, NothingWithoutALauncher) {
  EXPECT_FALSE(find({}).has_value());
  EXPECT_FALSE(find({{"MASTER_ADDR", "h"}, {"MASTER_PORT", "1"}}).has_value());
  EXPECT_FALSE(find({{"RANK", "0"}}).has_value());
}

TEST(Launch, Torchrun) {
  const Launch launch = *find({{"RANK", "3"},
                               {"WORLD_SIZE", "8"},
                               {"LOCAL_RANK", "1"},
                               {"LOCAL_WORLD_SIZE", "2"},
                               {"MASTER_ADDR", "node7"},
                               {"MASTER_PORT", "29400"},
                               {"TORCHELASTIC_RUN_ID", "a"},
                               {"TORCHELASTIC_RESTART_COUNT", "2"},
                               {"TORCHELASTIC_USE_AGENT_STORE", "True"}});
  EXPECT_EQ(launch.launcher, "torchrun");
  EXPECT_EQ(launch.rendezvous.rank, 3);
  EXPECT_EQ(launch.rendezvous.num_ranks, 8);
  EXPECT_EQ(launch.rendezvous.num_local_ranks, 2);
  EXPECT_EQ(launch.rendezvous.host, "node7");
  EXPECT_EQ(launch.rendezvous.port, 29400);
  EXPECT_EQ(launch.rendezvous.job, "a/2");
  EXPECT_TRUE(launch.rendezvous.server_runs_elsewhere);
  EXPECT_FALSE(launch.rendezvous.listening_socket.has_value());
}

TEST(Launch, ListeningSocketIsRankZeros) {
  Variables variables{{"RANK", "0"},
                      {"WORLD_SIZE", "2"},
                      {"MASTER_ADDR", "127.0.0.1"},
                      {"MASTER_PORT", "5"},
                      {"VESCALE_LISTENING_SOCKET", "7"}};
  EXPECT_EQ(find(variables)->rendezvous.listening_socket, 7);
  variables["RANK"] = "1";
  EXPECT_FALSE(find(variables)->rendezvous.listening_socket.has_value());
}

TEST(Launch, SlurmStep) {
  Variables variables{{"SLURM_PROCID", "5"},
                      {"SLURM_NTASKS", "6"},
                      {"SLURM_JOB_ID", "17"},
                      {"SLURM_JOB_NODELIST", "node[03-04]"}};
  EXPECT_FALSE(find(variables).has_value());  // a batch script is no task
  variables["SLURM_STEP_ID"] = "0";
  variables["SLURM_STEP_TASKS_PER_NODE"] = "3(x2)";
  const Launch launch = *find(variables);
  EXPECT_EQ(launch.rendezvous.rank, 5);
  EXPECT_EQ(launch.rendezvous.num_ranks, 6);
  EXPECT_EQ(launch.rendezvous.num_local_ranks, 3);
  EXPECT_EQ(launch.rendezvous.host, "node03");
  EXPECT_GE(launch.rendezvous.port, 20000);
  EXPECT_LT(launch.rendezvous.port, 30000);
  variables["SLURM_PROCID"] = "0";
  EXPECT_EQ(find(variables)->rendezvous.port, launch.rendezvous.port);
  variables["SLURM_STEP_NUM_TASKS"] = "4";
  EXPECT_EQ(find(variables)->rendezvous.num_ranks, 4);
  variables["MASTER_ADDR"] = "other";
  EXPECT_EQ(find(variables)->rendezvous.host, "other");
}

TEST(Launch, OpenMpi) {
  Variables variables{{"OMPI_COMM_WORLD_RANK", "1"},
                      {"OMPI_COMM_WORLD_SIZE", "2"},
                      {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                      {"PMIX_NAMESPACE", "prterun-1"}};
  EXPECT_EQ(find(variables)->launcher, "Open MPI");
  EXPECT_EQ(find(variables)->rendezvous.host, "127.0.0.1");
  variables["OMPI_COMM_WORLD_LOCAL_SIZE"] = "1";
  EXPECT_NE(refusal(variables).find("set MASTER_ADDR"), std::string::npos) << refusal(variables);
  variables["MASTER_ADDR"] = "a";
  variables.erase("PMIX_NAMESPACE");
  EXPECT_NE(refusal(variables).find("set MASTER_PORT"), std::string::npos) << refusal(variables);
  variables["MASTER_PORT"] = "77";
  EXPECT_EQ(find(variables)->rendezvous.port, 77);
}

TEST(Launch, SaysWhatIsWrong) {
  const auto torchrun = [](const char* rank, const char* size, const char* port) {
    return Variables{{"RANK", rank}, {"WORLD_SIZE", size}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", port}};
  };
  EXPECT_EQ(refusal(torchrun("2", "2", "1")), "RANK='2' is not a number from 0 to 1");
  EXPECT_EQ(refusal(torchrun("-1", "2", "1")), "RANK='-1' is not a number from 0 to 1");
  EXPECT_EQ(refusal(torchrun("0", "two", "1")), "WORLD_SIZE='two' is not a number from 1 to 16777216");
  EXPECT_EQ(refusal(torchrun("0", "2", "70000")), "MASTER_PORT='70000' is not a number from 1 to 65535");
}

TEST(Launch, FirstHost) {
  EXPECT_EQ(first_host("gpu1"), "gpu1");
  EXPECT_EQ(first_host("gpu1,gpu2"), "gpu1");
  EXPECT_EQ(first_host("node[03-05,9],gpu1"), "node03");
  EXPECT_EQ(first_host("node[7,9]"), "node7");
  EXPECT_EQ(first_host("a,node[7,9]"), "a");
}

}  // namespace
}  // namespace vescale
