#pragma once
/// A counter that threads wait for, with flags that interrupt every waiter. Costs no system call when nobody
/// sleeps.
#include <atomic>
#include <chrono>
#include <cstdint>

namespace vescale::comm {

using Deadline = std::chrono::steady_clock::time_point;

class WaitWord {
 public:
  static constexpr std::uint32_t stopped = 1;     ///< a rank failed
  static constexpr std::uint32_t rank_ended = 2;  ///< a rank's program returned
  static constexpr std::uint32_t step = 4;        ///< the counter is above the flags

  std::uint32_t load() const { return word_.load(std::memory_order_acquire); }
  static std::uint32_t count(std::uint32_t word) { return word / step; }

  /// Moves the counter on and wakes all.
  void advance() {
    word_.fetch_add(step);
    wake();
  }

  /// Sets a flag for good and wakes all.
  void flag(std::uint32_t bit) {
    word_.fetch_or(bit);
    wake();
  }

  /// Looks a few times, letting others run, whether the word is no longer `seen`. Returns the last value.
  std::uint32_t spin(std::uint32_t seen, bool more_ranks_than_cores) const;

  /// Sleeps until the word is no longer `seen` or the deadline has passed. Returns the last value.
  std::uint32_t sleep(std::uint32_t seen, Deadline deadline);

 private:
  void wake() {
    if (sleepers_.load() != 0) wake_sleepers();
  }
  void wake_sleepers();

  // Sequentially consistent: either the waker sees the sleeper or the sleeper sees the new word.
  std::atomic<std::uint32_t> word_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

}  // namespace vescale::comm
