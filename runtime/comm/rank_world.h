#pragma once
/// What the ranks of a program have in common, whichever way they are connected.
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include "comm/backend.h"

namespace vescale::comm {

class RankWorld {
 public:
  virtual ~RankWorld() = default;
  /// Of `rank`, which runs in this process. It keeps the world alive.
  virtual std::unique_ptr<Backend> make_backend(std::int64_t rank) = 0;
  /// Notes that `rank` failed with `error` and stops all waits. Only the first failure is kept.
  virtual void fail(std::int64_t rank, std::exception_ptr error) = 0;
  /// Notes that the program of `rank` returned; whoever waits for it fails.
  virtual void end(std::int64_t rank) = 0;
  /// The rank that failed first and what it threw; (-1, null) while none has.
  virtual std::pair<std::int64_t, std::exception_ptr> first_failure() const = 0;
};

}  // namespace vescale::comm
