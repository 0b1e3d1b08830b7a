#include "comm/wait_word.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>

namespace vescale::comm {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t) &&
                  std::atomic<std::uint32_t>::is_always_lock_free,
              "a futex is a plain 32-bit word");

void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

std::uint32_t WaitWord::spin(std::uint32_t seen, bool more_ranks_than_cores) const {
  // With a core for each rank the others are a moment away; without one, only giving up the core lets them
  // come.
  const int pauses = more_ranks_than_cores ? 0 : 2000;
  const int yields = more_ranks_than_cores ? 20 : 5;
  for (int i = 0; i < pauses; ++i) {
    if (const std::uint32_t now = load(); now != seen) return now;
    pause_cpu();
  }
  for (int i = 0; i < yields; ++i) {
    if (const std::uint32_t now = load(); now != seen) return now;
    sched_yield();
  }
  return load();
}

std::uint32_t WaitWord::sleep(std::uint32_t seen, Deadline deadline) {
  sleepers_.fetch_add(1);
  std::uint32_t now = word_.load();
  while (now == seen) {
    const auto left =
        std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) break;
    // At most an hour a time keeps far deadlines clear of the range of time_t arithmetic.
    const long long wait = std::min<long long>(left.count(), 3'600'000'000'000LL);
    timespec timeout{static_cast<time_t>(wait / 1'000'000'000LL), static_cast<long>(wait % 1'000'000'000LL)};
    syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, seen, &timeout, nullptr, 0);
    now = word_.load();
  }
  sleepers_.fetch_sub(1);
  return now;
}

void WaitWord::wake_sleepers() {
  syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace vescale::comm
