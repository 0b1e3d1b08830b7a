// A program in which one rank goes wrong at a given point: fault_program HOW RANK POINT. Points are counted
// from 0 at each collective; -1 is before the ranks have met. Each of three steps calls every collective,
// over several groups.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <ATen/ATen.h>

#include <vescale/mesh.h>
#include <vescale/rank_context.h>
#include <vescale/run.h>

namespace {

std::string how;
std::int64_t bad_rank = -1;
int bad_point = 0;
int point = -1;

struct EarlyReturn {};

// Returns whether this rank shall call something else now.
bool reach_point() {
  ++point;
  if (point != bad_point || vs::rank() != bad_rank) return false;
  if (how == "kill") kill(getpid(), SIGKILL);
  if (how == "stop") kill(getpid(), SIGSTOP);
  if (how == "crash") abort();
  if (how == "throw") throw std::runtime_error("thrown at point " + std::to_string(point));
  if (how == "exit") vs::exit(7);
  if (how == "return") throw EarlyReturn{};
  return how == "diverge";
}

void all_reduce(vs::Group& group, std::int64_t count) {
  const vs::CallSiteScope site({"all_reduce", "step.cpp", point + 1});
  const at::Tensor tensor = at::ones({reach_point() ? count + 1 : count});
  group.all_reduce(tensor);
}

void all_gather(vs::Group& group, std::int64_t count) {
  const at::Tensor tensor = at::ones({count});
  if (reach_point()) return group.barrier();
  group.all_gather(tensor, std::vector<std::int64_t>(group.ranks().size(), count));
}

void reduce_scatter(vs::Group& group, std::int64_t count) {
  const at::Tensor tensor = at::ones({count * group.size()});
  const vs::ReduceOp op = reach_point() ? vs::ReduceOp::Max : vs::ReduceOp::Sum;
  group.reduce_scatter(tensor, std::vector<std::int64_t>(group.ranks().size(), count), op);
}

void broadcast(vs::Group& group, std::int64_t count) {
  const at::Tensor tensor = at::ones({count});
  group.broadcast(tensor, reach_point() ? 1 : 0);
}

void all_to_all(vs::Group& group, std::int64_t count) {
  const std::vector<std::int64_t> counts(group.ranks().size(), reach_point() ? count + 1 : count);
  group.all_to_all(at::ones({counts[0] * group.size()}), counts, counts);
}

void ring(vs::Group& group, std::int64_t count) {
  reach_point();
  group.send(at::ones({count}), (group.rank() + 1) % group.size());
  group.recv(at::ones({count}), (group.rank() + group.size() - 1) % group.size());
}

void step() {
  vs::Group& dp = vs::mesh().group(0);
  vs::Group& tp = vs::mesh().group(1);
  vs::Group& world = vs::mesh().world();
  all_reduce(tp, 8);  // forward
  all_gather(tp, 30000);
  ring(world, 100);
  all_reduce(tp, 40000);  // backward
  reduce_scatter(dp, 30000);
  all_to_all(tp, 5000);
  all_reduce(world, 1);  // step
  broadcast(world, 70000);
}

int main_of_rank(int, char**) {
  if (vs::rank() == 0) std::printf("port %s\n", std::getenv("MASTER_PORT"));
  std::fflush(stdout);
  try {
    for (int i = 0; i < 3; ++i) step();
    vs::mesh().world().barrier();
  } catch (const EarlyReturn&) {
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  how = argv[1];
  bad_rank = std::atoll(argv[2]);
  bad_point = std::atoi(argv[3]);
  const char* rank = std::getenv("RANK");
  if (bad_point < 0 && rank != nullptr && std::atoll(rank) == bad_rank) {
    if (how == "kill") kill(getpid(), SIGKILL);
    if (how == "stop") kill(getpid(), SIGSTOP);
    if (how == "exit") return 7;
  }
  return vs::run(argc, argv, main_of_rank, {"dp", "tp"});
}
