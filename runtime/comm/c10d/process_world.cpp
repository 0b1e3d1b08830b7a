#include "comm/c10d/process_world.h"

#include <algorithm>
#include <cstdio>
#include <future>

#include <ATen/ops/from_blob.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "comm/agreement.h"
#include "comm/c10d/process_group.h"
#include "comm/c10d/store.h"
#include "comm/c10d/warnings.h"

namespace vescale::comm {
namespace {

// Under way to one rank, before a send waits for the oldest.
constexpr std::size_t max_outgoing = 256;
// For the start's own time-outs, which say more, to come first.
constexpr std::chrono::duration<double> start_margin{2};

std::string key(const char* name, std::int64_t rank) {
  return std::string(name) + "/" + std::to_string(rank);
}

std::chrono::milliseconds milliseconds(std::chrono::duration<double> time) {
  return std::max(std::chrono::ceil<std::chrono::milliseconds>(time), std::chrono::milliseconds(1));
}

// Worlds of this process: each has its own keys in the store.
std::int64_t next_generation() {
  static std::atomic<std::int64_t> next{0};
  return next.fetch_add(1);
}

at::Tensor bytes_at(const void* data, std::int64_t bytes) {
  return at::from_blob(const_cast<void*>(data), {bytes}, at::kByte);
}

// A connection that is closed by now is found when the transfer is waited for.
template <class Start>
Transfer begin(std::int64_t peer, Start start) {
  try {
    return {peer, start()};
  } catch (const std::exception&) {
    return {peer, nullptr};
  }
}

bool wait_until(const Transfer& transfer, std::chrono::steady_clock::time_point deadline) {
  if (transfer.work == nullptr) throw Error("the connection is closed");
  return transfer.work->wait(milliseconds(deadline - std::chrono::steady_clock::now()));
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.rfind("127.", 0) == 0;
}

}  // namespace

std::shared_ptr<RankWorld> join_processes(const Rendezvous& rendezvous, const MeshShape& shape,
                                          std::chrono::duration<double> timeout) {
  // What is stopped, but not gone, may keep the store's calls from returning.
  std::packaged_task<std::shared_ptr<RankWorld>()> join(
      [=] { return std::make_shared<ProcessWorld>(rendezvous, shape, timeout); });
  std::future<std::shared_ptr<RankWorld>> world = join.get_future();
  std::thread(std::move(join)).detach();
  if (world.wait_for(timeout + start_margin) == std::future_status::ready) return world.get();
  throw Error("start timed out; rank 0 does not answer at " + rendezvous.host + ":" +
              std::to_string(rendezvous.port));
}

ProcessWorld::ProcessWorld(const Rendezvous& rendezvous, MeshShape shape,
                           std::chrono::duration<double> timeout)
    : rank_(rendezvous.rank),
      num_ranks_(rendezvous.num_ranks),
      shape_(std::move(shape)),
      timeout_(timeout),
      has_server_(rendezvous.rank == 0 && !rendezvous.server_runs_elsewhere),
      outgoing_(static_cast<std::size_t>(num_ranks_)) {
  log_errors_only();
  const c10::intrusive_ptr<c10d::TCPStore> shared = open_store(rendezvous, timeout);
  const std::string prefix = "vescale/" + rendezvous.job + "/" + std::to_string(next_generation());
  store_ = c10::make_intrusive<c10d::PrefixStore>(prefix, shared);
  watch_store_ = c10::make_intrusive<c10d::PrefixStore>(prefix, shared->clone());
  meet(timeout);
  connect(rendezvous.host);
  watcher_ = std::thread([this] { watch(); });
}

ProcessWorld::~ProcessWorld() {
  stop_watching();
  if (stopped_) leave_failed();
}

// Every rank leaves its mesh in the store, then waits for the others'.
void ProcessWorld::meet(std::chrono::duration<double> timeout) {
  const auto deadline = std::chrono::steady_clock::now() + milliseconds(timeout);
  if (store_->add(key("joined", rank_), 1) > 1) {
    throw Error("rank " + std::to_string(rank_) +
                " has joined twice: another program uses the same MASTER_ADDR and MASTER_PORT, or two "
                "processes were started with the same rank");
  }
  store_->set(key("mesh", rank_), shape_.to_string());
  std::vector<std::int64_t> missing;
  for (std::int64_t rank = 0; rank < num_ranks_; ++rank) {
    if (!wait_for_key(*store_, key("mesh", rank), deadline)) {
      missing.push_back(rank);
      continue;
    }
    const std::string mesh = store_->get_to_str(key("mesh", rank));
    if (mesh != shape_.to_string()) {
      throw Error("rank " + std::to_string(rank_) + " was started for the mesh " + shape_.to_string() +
                  ", rank " + std::to_string(rank) + " for " + mesh + "; give all ranks the same --mesh");
    }
  }
  if (missing.empty()) return;
  std::string list;
  for (std::int64_t rank : missing) list += (list.empty() ? " " : ", ") + std::to_string(rank);
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", timeout.count());
  throw Error("start timed out after " + std::string(seconds) + " s; rank(s)" + list + " of " +
              std::to_string(num_ranks_) + " did not come");
}

void ProcessWorld::connect(const std::string& host) {
  auto options = c10::make_intrusive<c10d::ProcessGroupGloo::Options>(milliseconds(timeout_));
  options->threads = 1;
  const std::string address = is_loopback(host) ? host : local_address_towards(host);
  options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname(address));
  try {
    connections_ = c10::make_intrusive<c10d::ProcessGroupGloo>(
        c10::make_intrusive<c10d::PrefixStore>("gloo", store_), static_cast<int>(rank_),
        static_cast<int>(num_ranks_), options);
  } catch (const std::exception& error) {
    throw Error("rank " + std::to_string(rank_) + " cannot connect with the other ranks from " + address +
                ": " + error.what());
  }
}

std::unique_ptr<Backend> ProcessWorld::make_backend(std::int64_t rank) {
  return std::make_unique<ProcessBackend>(shared_from_this());
}

Transfer ProcessWorld::send(std::int64_t peer, const void* data, std::int64_t bytes, int tag) {
  std::vector<at::Tensor> tensors{bytes_at(data, bytes)};
  return begin(peer, [&] { return connections_->send(tensors, static_cast<int>(peer), tag); });
}

Transfer ProcessWorld::receive(std::int64_t peer, void* data, std::int64_t bytes, int tag) {
  std::vector<at::Tensor> tensors{bytes_at(data, bytes)};
  return begin(peer, [&] { return connections_->recv(tensors, static_cast<int>(peer), tag); });
}

void ProcessWorld::send_later(std::int64_t peer, at::Tensor data, int tag, const CollectiveCall& call,
                              const Group& group) {
  std::deque<Outgoing>& queue = outgoing_[static_cast<std::size_t>(peer)];
  if (queue.size() >= max_outgoing) {
    wait({queue.front().transfer}, call, group);
    queue.pop_front();
  }
  Transfer transfer = send(peer, data.const_data_ptr(), static_cast<std::int64_t>(data.nbytes()), tag);
  queue.push_back({std::move(transfer), std::move(data)});
}

// What was sent must have left before this rank's connections close.
void ProcessWorld::flush() {
  const auto deadline = std::chrono::steady_clock::now() + milliseconds(timeout_);
  for (std::deque<Outgoing>& queue : outgoing_) {
    for (const Outgoing& message : queue) {
      if (stopped_) return;
      try {
        wait_until(message.transfer, deadline);
      } catch (const std::exception&) {
        break;  // nobody receives it any more
      }
    }
  }
}

void ProcessWorld::wait(const std::vector<Transfer>& transfers, const CollectiveCall& call,
                        const Group& group) {
  {
    const std::lock_guard lock(mutex_);
    waiting_ = {&transfers, call, &group};
  }
  const auto deadline = std::chrono::steady_clock::now() + milliseconds(timeout_);
  std::vector<std::int64_t> missing;
  bool lost = false;
  for (const Transfer& transfer : transfers) {
    if (stopped_) break;
    try {
      if (!wait_until(transfer, deadline)) break;
    } catch (const std::exception&) {
      lost = std::chrono::steady_clock::now() < deadline;
      if (std::find(missing.begin(), missing.end(), transfer.peer) == missing.end())
        missing.push_back(transfer.peer);
      if (lost) break;
    }
  }
  if (stopped_ || !missing.empty()) {
    // While the others are asked, this rank may be asked too: it still waits.
    if (!stopped_ && !lost) fail_timeout(missing, call, group);
    if (!stopped_) fail_lost(missing.front(), call, group);
    fail_stopped(call, group);
  }
  const std::lock_guard lock(mutex_);
  waiting_ = {};
}

}  // namespace vescale::comm
