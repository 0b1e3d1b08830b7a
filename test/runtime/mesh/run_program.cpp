// A program for run_test: its first argument says what it does.
#include <cstdio>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>

#include <ATen/ATen.h>

#include <vescale/mesh.h>
#include <vescale/rank_context.h>
#include <vescale/run.h>

namespace {

void print_all_ways() {
  const int rank = static_cast<int>(vs::rank());
  for (int line = 0; line < 20; ++line) {
    std::cout << "cout " << rank << ' ' << line << '\n';
    std::printf("printf %d %d\n", rank, line);
    std::puts("puts");
    std::cout << "endl" << std::endl;
    std::putchar('c');
    std::fputs("fputs\n", stdout);
    std::fwrite("fwrite\n", 1, 7, stdout);
    std::cout.put('p').write("write\n", 6);
    std::fprintf(stdout, "%s\n", std::string(5000, 'x').c_str());
    vs::cout() << std::setw(line) << line << '\n';
    std::fflush(stdout);
    std::fflush(nullptr);
  }
}

int main_of_rank(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const std::int64_t rank = vs::rank();
  if (what == "print") print_all_ways();
  if (what == "sync") {
    std::ios::sync_with_stdio(false);
    for (int line = 0; line < 5; ++line) {
      std::cout << "cout " << line << '\n';
      std::printf("printf %d\n", line);
    }
  }
  if (what == "arguments") {
    for (int i = 1; i < argc; ++i) {
      std::memset(argv[i], 'a' + static_cast<int>(rank), std::strlen(argv[i]));  // would be seen if shared
      vs::mesh().world().barrier();
      std::cout << argv[i] << '\n';
    }
    std::cout << (argv[argc] == nullptr) << ' ' << vs::mesh().shape().to_string() << '\n';
  }
  if (what == "stderr") std::fprintf(stderr, "rank %d\n", static_cast<int>(rank));
  if (what == "throw" && rank == 1) throw std::runtime_error("cannot open data.bin");
  if (what == "torch" && rank == 1) at::ones({2}).add(at::ones({3}));
  if (what == "status" && rank == 1) return 7;
  if (what == "exit") {
    if (rank == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));  // others are done long before
    vs::mesh().group(0).barrier();
    vs::cout() << "bye\n";
    vs::exit(argc > 2 ? std::stoi(argv[2]) : 0);
  }
  if (what == "stuck") {
    if (rank == 1) throw std::runtime_error("first");
    std::this_thread::sleep_for(std::chrono::seconds(60));
  }
  if (what == "timeout" && rank == 1) std::this_thread::sleep_for(std::chrono::seconds(1));
  vs::mesh().world().barrier();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int status = vs::run(argc, argv, main_of_rank, {"dp", "tp"});
  if (argc > 1 && std::strcmp(argv[1], "sync") == 0) {
    std::cout << "after cout\n";
    std::printf("after printf\n");
  }
  return status;
}
