#include "processes.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace vescale::launcher {
namespace {

constexpr int cannot_start_status = 127;

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

// What the ranks meet at: open before the first rank starts, so nobody else can take the port.
struct Listener {
  int socket = -1;
  std::uint16_t port = 0;
};

Listener listen_on_loopback() {
  Listener result{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (result.socket < 0 || bind(result.socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(result.socket, SOMAXCONN) != 0 ||
      getsockname(result.socket, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    fail("cannot open a port on 127.0.0.1");
  }
  result.port = ntohs(address.sin_port);
  return result;
}

// Descriptors that become the child's standard input, output and error; -1: the launcher's own.
struct Streams {
  int in = -1;
  int out = -1;
  int error = -1;
};

using Variables = std::vector<std::pair<std::string, std::string>>;

Variables variables_of(const Request& request, std::int64_t rank, const Listener& listener) {
  const std::string size = std::to_string(request.num_ranks);
  Variables variables{{"VESCALE_MESH", request.mesh},
                      {"VESCALE_BACKEND", request.backend},
                      {"VESCALE_LAUNCHER", "vescale-run"}};
  if (request.timeout) variables.emplace_back("VESCALE_TIMEOUT", std::to_string(*request.timeout));
  if (request.backend == "threads") return variables;
  if (request.log_dir) variables.emplace_back("VESCALE_OUTPUT", "all");
  variables.insert(variables.end(), {{"RANK", std::to_string(rank)},
                                     {"LOCAL_RANK", std::to_string(rank)},
                                     {"WORLD_SIZE", size},
                                     {"LOCAL_WORLD_SIZE", size},
                                     {"MASTER_ADDR", "127.0.0.1"},
                                     {"MASTER_PORT", std::to_string(listener.port)}});
  if (rank == 0) variables.emplace_back("VESCALE_LISTENING_SOCKET", std::to_string(listener.socket));
  return variables;
}

void replace(int descriptor, int by) {
  if (by >= 0) dup2(by, descriptor);
}

// Runs in the child between fork and exec.
[[noreturn]] void become(const Request& request, const Variables& variables, const Streams& streams,
                         pid_t launcher, pid_t group, int kept_socket) {
  // The child of a launcher that is killed dies with it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher) _exit(cannot_start_status);
  setpgid(0, group);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  replace(STDIN_FILENO, streams.in);
  replace(STDOUT_FILENO, streams.out);
  replace(STDERR_FILENO, streams.error);
  if (kept_socket >= 0) fcntl(kept_socket, F_SETFD, 0);
  // A launcher around this one does not count.
  for (const char* name :
       {"TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "TORCHELASTIC_USE_AGENT_STORE",
        "VESCALE_LISTENING_SOCKET", "VESCALE_OUTPUT", "RANK", "WORLD_SIZE"}) {
    unsetenv(name);
  }
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& word : request.command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const std::string message =
      "vescale-run: cannot start " + request.command[0] + ": " + std::strerror(errno) + "\n";
  static_cast<void>(!write(STDERR_FILENO, message.data(), message.size()));
  _exit(cannot_start_status);
}

// The read end stays here and is copied to the terminal and to the file; returns the write end.
int copy_to_file(Processes& processes, const std::string& path, int to_terminal) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int ends[2];
  if (file < 0) fail("cannot write " + path);
  if (pipe2(ends, O_CLOEXEC) != 0) fail("cannot make a pipe");
  processes.copied.push_back({ends[0], to_terminal, file, ""});
  return ends[1];
}

Streams streams_of(Processes& processes, const Request& request, std::int64_t rank, int null) {
  Streams streams;
  // The ranks are not in the terminal's foreground, so reading from it would stop them.
  if (rank > 0 || isatty(STDIN_FILENO) != 0) streams.in = null;
  if (rank > 0) streams.out = null;
  if (!request.log_dir) return streams;
  const std::string base = *request.log_dir + "/rank_" + std::to_string(rank);
  streams.out = copy_to_file(processes, base + ".out", rank == 0 ? STDOUT_FILENO : -1);
  streams.error = copy_to_file(processes, base + ".err", STDERR_FILENO);
  return streams;
}

}  // namespace

Processes start(const Request& request) {
  if (request.log_dir) std::filesystem::create_directories(*request.log_dir);
  const std::int64_t count = request.backend == "threads" ? 1 : request.num_ranks;
  const Listener listener = listen_on_loopback();
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) fail("cannot open /dev/null");
  const pid_t self = getpid();
  Processes processes;
  for (std::int64_t rank = 0; rank < count; ++rank) {
    const Streams streams = streams_of(processes, request, rank, null);
    const Variables variables = variables_of(request, rank, listener);
    const pid_t group = processes.children.empty() ? 0 : processes.group;
    const pid_t pid = fork();
    if (pid == 0) become(request, variables, streams, self, group, rank == 0 ? listener.socket : -1);
    if (pid < 0) {
      const int failure = errno;
      if (processes.group > 0) kill(-processes.group, SIGKILL);
      errno = failure;
      fail("cannot start rank " + std::to_string(rank));
    }
    if (processes.children.empty()) processes.group = pid;
    setpgid(pid, processes.group);  // the child does so too; whoever is first
    processes.children.push_back({rank, pid, std::nullopt});
    if (request.log_dir) {
      close(streams.out);
      close(streams.error);
    }
  }
  close(listener.socket);
  close(null);
  return processes;
}

}  // namespace vescale::launcher
