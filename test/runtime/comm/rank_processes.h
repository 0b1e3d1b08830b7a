#pragma once
/// Tests that run on threads by themselves, and on processes where vescale-run starts them: then each process
/// runs the cases for as many ranks as there are processes.
#include <cstdint>
#include <cstdlib>
#include <string>

namespace vescale {

inline bool ranks_are_processes() {
  const char* backend = std::getenv("VESCALE_BACKEND");
  return backend != nullptr && std::string(backend) == "gloo";
}

inline bool can_run(std::int64_t ranks) {
  if (!ranks_are_processes()) return true;
  const char* size = std::getenv("WORLD_SIZE");
  return size != nullptr && std::stoll(size) == ranks;
}

}  // namespace vescale
