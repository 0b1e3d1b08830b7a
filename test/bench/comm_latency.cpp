// Time of a collective on the threads backend: comm_latency [ranks...]. Prints one table.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include <ATen/ATen.h>

#include <vescale/mesh.h>
#include <vescale/rank_context.h>
#include <vescale/run.h>

namespace {

// Microseconds a call on rank 0, best of several rounds; the machine may be busy with other things.
double time_of(int calls, const std::function<void()>& call) {
  double best = 1e30;
  for (int round = 0; round < 5; ++round) {
    vs::mesh().world().barrier();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) call();
    const std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count() / calls);
  }
  return best;
}

void measure() {
  vs::Group& world = vs::mesh().world();
  const double barrier = time_of(2000, [&] { world.barrier(); });
  const at::Tensor small = at::zeros({4});
  const double all_reduce = time_of(2000, [&] { world.all_reduce(small); });
  const at::Tensor large = at::zeros({1 << 20});
  const double all_reduce_large = time_of(10, [&] { world.all_reduce(large); });
  const std::vector<std::int64_t> counts(static_cast<std::size_t>(world.size()), 4);
  const double all_gather = time_of(2000, [&] { world.all_gather(small, counts); });
  if (vs::rank() != 0) return;
  std::printf("%5lld %12.2f %22.2f %22.2f %24.0f\n", static_cast<long long>(world.size()), barrier,
              all_reduce, all_gather, all_reduce_large);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::int64_t> rank_counts{1, 2, 4, 8};
  if (argc > 1) rank_counts.clear();
  for (int i = 1; i < argc; ++i) rank_counts.push_back(std::atoll(argv[i]));
  std::printf(
      "ranks  barrier [us]  all_reduce 4 float [us]  all_gather 4 float [us]  all_reduce 4 MiB [us]\n");
  for (std::int64_t ranks : rank_counts) vs::run_ranks({{"x"}, {ranks}}, measure);
}
