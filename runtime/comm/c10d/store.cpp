#include "comm/c10d/store.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <future>
#include <thread>

namespace vescale::comm {
namespace {

constexpr std::chrono::milliseconds retry_delay{20};
constexpr std::chrono::milliseconds shortest_poll{2};
constexpr std::chrono::milliseconds longest_poll{100};

class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(other.release()) {}
  ~Socket() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  int get() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

struct AddressList {
  explicit AddressList(const std::string& host, std::uint16_t port) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    if (const int failure = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &first);
        failure != 0) {
      throw Error("cannot find the host '" + host + "' where the ranks meet: " + gai_strerror(failure) +
                  "; set MASTER_ADDR to an address of the machine of rank 0");
    }
  }
  ~AddressList() { freeaddrinfo(first); }
  AddressList(const AddressList&) = delete;
  AddressList& operator=(const AddressList&) = delete;

  addrinfo* first = nullptr;
};

std::string describe_address(const Rendezvous& rendezvous) {
  return rendezvous.host + ":" + std::to_string(rendezvous.port);
}

// A socket that listens on the given address alone.
Socket listen_at(const Rendezvous& rendezvous) {
  const AddressList addresses(rendezvous.host, rendezvous.port);
  int failure = 0;
  for (const addrinfo* address = addresses.first; address != nullptr; address = address->ai_next) {
    Socket socket_(socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int yes = 1;
    setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (socket_.get() >= 0 && bind(socket_.get(), address->ai_addr, address->ai_addrlen) == 0 &&
        listen(socket_.get(), SOMAXCONN) == 0) {
      return socket_;
    }
    failure = errno;
  }
  const std::string what = "rank 0 cannot listen at " + describe_address(rendezvous);
  if (failure == EADDRINUSE)
    throw Error(what + ": the port is taken; set MASTER_PORT to a free one on all ranks");
  throw Error(what + ": " + std::strerror(failure) +
              "; MASTER_ADDR must be an address of the machine of rank 0");
}

bool can_connect(const AddressList& addresses) {
  for (const addrinfo* address = addresses.first; address != nullptr; address = address->ai_next) {
    const Socket probe(socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (probe.get() >= 0 && connect(probe.get(), address->ai_addr, address->ai_addrlen) == 0) return true;
  }
  return false;
}

// The store's own attempts to connect fill standard error.
void wait_for_server(const Rendezvous& rendezvous, std::chrono::duration<double> timeout) {
  const AddressList addresses(rendezvous.host, rendezvous.port);
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (!can_connect(addresses)) {
    if (std::chrono::steady_clock::now() > deadline) {
      char seconds[32];
      std::snprintf(seconds, sizeof seconds, "%g", timeout.count());
      throw Error("rank " + std::to_string(rendezvous.rank) + " found nobody at " +
                  describe_address(rendezvous) + " within " + seconds +
                  " s: was rank 0 started, and are MASTER_ADDR and MASTER_PORT the same on all ranks?");
    }
    std::this_thread::sleep_for(retry_delay);
  }
}

c10::intrusive_ptr<c10d::TCPStore> connect_store(const Rendezvous& rendezvous,
                                                 std::chrono::duration<double> timeout) {
  c10d::TCPStoreOptions options;
  options.port = rendezvous.port;
  options.isServer = rendezvous.rank == 0 && !rendezvous.server_runs_elsewhere;
  options.waitWorkers = false;
  options.timeout = std::chrono::ceil<std::chrono::milliseconds>(timeout);
  if (options.isServer) {
    // A copy, which the store closes.
    Socket socket_ =
        rendezvous.listening_socket ? Socket(dup(*rendezvous.listening_socket)) : listen_at(rendezvous);
    if (socket_.get() < 0) throw Error("the launcher's listening socket is not open in rank 0");
    options.masterListenFd = socket_.release();
  } else {
    wait_for_server(rendezvous, timeout);
  }
  // Another program that listens there may never answer, and the store would wait for it for ever.
  std::packaged_task<c10::intrusive_ptr<c10d::TCPStore>()> connect(
      [host = rendezvous.host, options] { return c10::make_intrusive<c10d::TCPStore>(host, options); });
  std::future<c10::intrusive_ptr<c10d::TCPStore>> store = connect.get_future();
  std::thread(std::move(connect)).detach();
  std::string reason = "it does not answer";
  if (store.wait_for(timeout) == std::future_status::ready) {
    try {
      return store.get();
    } catch (const std::exception& error) {
      reason = error.what();
    }
  }
  throw Error(
      "what listens at " + describe_address(rendezvous) + " does not behave like rank 0 of this program (" +
      reason.substr(0, reason.find('\n')) +
      "): rank 0 hangs, or another program has the port; then set MASTER_PORT to a free one on all ranks");
}

}  // namespace

c10::intrusive_ptr<c10d::TCPStore> open_store(const Rendezvous& rendezvous,
                                              std::chrono::duration<double> timeout) {
  static const c10::intrusive_ptr<c10d::TCPStore> store = connect_store(rendezvous, timeout);
  return store;
}

bool wait_for_key(c10d::Store& store, const std::string& key,
                  std::chrono::steady_clock::time_point deadline) {
  std::chrono::milliseconds delay = shortest_poll;
  while (!store.check({key})) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(delay);
    delay = std::min(2 * delay, longest_poll);
  }
  return true;
}

std::string local_address_towards(const std::string& host) {
  const AddressList addresses(host, 9);
  for (const addrinfo* address = addresses.first; address != nullptr; address = address->ai_next) {
    const Socket probe(socket(address->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));  // sends nothing
    sockaddr_storage local{};
    socklen_t length = sizeof local;
    char name[NI_MAXHOST];
    if (probe.get() >= 0 && connect(probe.get(), address->ai_addr, address->ai_addrlen) == 0 &&
        getsockname(probe.get(), reinterpret_cast<sockaddr*>(&local), &length) == 0 &&
        getnameinfo(reinterpret_cast<sockaddr*>(&local), length, name, sizeof name, nullptr, 0,
                    NI_NUMERICHOST) == 0) {
      return name;
    }
  }
  throw Error("this machine has no route to '" + host + "', where the ranks meet");
}

}  // namespace vescale::comm
