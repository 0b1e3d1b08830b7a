#include "supervise.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

namespace vescale::launcher {
namespace {

using Clock = std::chrono::steady_clock;

// What a rank returns that had to stop because another one failed, see vescale/run.h.
constexpr int stopped_status = 3;

sigset_t handled_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) sigaddset(&set, signal);
  return set;
}

int exit_status(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

void write_all(int descriptor, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = write(descriptor, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody reads any more
    data += written;
    size -= static_cast<std::size_t>(written);
  }
}

// A rank that stops because another failed: said in its file, the terminal shows the failure itself.
bool is_stop_notice(const std::string& line) {
  return line.rfind("vescale: rank ", 0) == 0 && line.find(" stopped because rank ") != std::string::npos;
}

void show(Copied& copied, const char* data, std::size_t size) {
  if (copied.to_terminal < 0) return;
  copied.line.append(data, size);
  for (std::size_t end; (end = copied.line.find('\n')) != std::string::npos; copied.line.erase(0, end + 1)) {
    const std::string line = copied.line.substr(0, end + 1);
    if (!is_stop_notice(line)) write_all(copied.to_terminal, line.data(), line.size());
  }
}

class Supervisor {
 public:
  Supervisor(Processes& processes, double grace_seconds)
      : processes_(processes), grace_(static_cast<std::int64_t>(1000 * grace_seconds)) {
    const sigset_t set = handled_signals();
    signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~Supervisor() { close(signals_); }
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  int run() {
    while (still_running()) {
      wait_for_events();
      read_signals();
      reap();
      if (deadline_ && Clock::now() >= *deadline_) {
        kill(-processes_.group, SIGKILL);
        killed_ = true;
        deadline_.reset();
      }
    }
    kill(-processes_.group, SIGKILL);  // what the ranks themselves have started
    for (Copied& copied : processes_.copied) drain(copied);
    if (result_ == 0 && stopped_) return stopped_status;
    return ending_signal_ != 0 ? 128 + ending_signal_ : result_;
  }

 private:
  bool still_running() const {
    return std::any_of(processes_.children.begin(), processes_.children.end(),
                       [](const Child& child) { return !child.status; });
  }

  void wait_for_events() {
    std::vector<pollfd> watched{{signals_, POLLIN, 0}};
    for (const Copied& copied : processes_.copied) watched.push_back({copied.from, POLLIN, 0});
    int timeout = -1;
    if (deadline_) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline_ - Clock::now());
      timeout = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
    }
    poll(watched.data(), watched.size(), timeout);
    for (std::size_t index = 1; index < watched.size(); ++index) {
      if (watched[index].revents != 0) copy_some(processes_.copied[index - 1]);
    }
  }

  // False at the end.
  static bool copy_some(Copied& copied) {
    if (copied.from < 0) return false;
    char buffer[4096];
    const ssize_t size = read(copied.from, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) return true;
    if (size <= 0) {
      if (copied.to_terminal >= 0) write_all(copied.to_terminal, copied.line.data(), copied.line.size());
      close(copied.from);
      close(copied.to_file);
      copied.from = -1;  // poll ignores it
      return false;
    }
    show(copied, buffer, static_cast<std::size_t>(size));
    write_all(copied.to_file, buffer, static_cast<std::size_t>(size));
    return true;
  }

  static void drain(Copied& copied) {
    while (copy_some(copied)) {
    }
  }

  void read_signals() {
    signalfd_siginfo info;
    while (read(signals_, &info, sizeof info) == sizeof info) {
      const int signal = static_cast<int>(info.ssi_signo);
      if (signal == SIGCHLD) continue;
      // Who asks twice does not want to wait.
      kill(-processes_.group, ending_signal_ != 0 && ends_programs(signal) ? SIGKILL : signal);
      if (!ends_programs(signal)) continue;
      ending_signal_ = signal;
      start_grace();
    }
  }

  static bool ends_programs(int signal) { return signal != SIGUSR1 && signal != SIGUSR2; }

  void start_grace() {
    if (!deadline_) deadline_ = Clock::now() + grace_;
  }

  void reap() {
    for (Child& child : processes_.children) {
      int status = 0;
      if (child.status || waitpid(child.pid, &status, WNOHANG) != child.pid) continue;
      child.status = status;
      if (exit_status(status) != 0) note_failure(child);
    }
  }

  void note_failure(const Child& child) {
    const int status = exit_status(*child.status);
    if (!killed_) start_grace();
    const bool killed_here = killed_ && WIFSIGNALED(*child.status) && WTERMSIG(*child.status) == SIGKILL;
    if (status == stopped_status || killed_here) {
      stopped_ = true;
      return;
    }
    if (result_ != 0) return;
    result_ = status;
    if (!WIFSIGNALED(*child.status) || ending_signal_ != 0)
      return;  // the rank has said itself what was wrong
    std::fprintf(stderr, "vescale-run: rank %lld was killed by signal %d (%s)\n",
                 static_cast<long long>(child.rank), WTERMSIG(*child.status),
                 strsignal(WTERMSIG(*child.status)));
  }

  Processes& processes_;
  const std::chrono::milliseconds grace_;
  int signals_ = -1;
  std::optional<Clock::time_point> deadline_;  ///< when what still runs is killed
  int ending_signal_ = 0;
  int result_ = 0;
  bool stopped_ = false;
  bool killed_ = false;  ///< the grace is over
};

}  // namespace

void block_signals() {
  const sigset_t set = handled_signals();
  sigprocmask(SIG_BLOCK, &set, nullptr);
}

int supervise(Processes& processes, double grace_seconds) {
  return Supervisor(processes, grace_seconds).run();
}

}  // namespace vescale::launcher
