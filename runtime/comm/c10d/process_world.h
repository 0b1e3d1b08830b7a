#pragma once
/// One process a rank: the connections among them, and what became of each.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "comm/c10d/join.h"
#include "comm/rank_world.h"

namespace vescale::comm {

/// A message to or from another rank that is under way.
struct Transfer {
  std::int64_t peer = 0;  ///< rank in the mesh
  c10::intrusive_ptr<c10d::Work> work;
};

/// All groups share the connections of one process group that spans the mesh, each under tags of its own, so
/// that making a group waits for nobody.
///
/// The ranks share keys in the store:
///   failure          the first failure, as "rank\nmessage"
///   ended/R          rank R's program has returned or failed
///   asked/R, wake/R/I, answer/R/I   how a rank's watching thread is made to look at `failure`, and to say
///   where its
///                    rank waits
class ProcessWorld : public RankWorld, public std::enable_shared_from_this<ProcessWorld> {
 public:
  ProcessWorld(const Rendezvous& rendezvous, MeshShape shape, std::chrono::duration<double> timeout);
  ~ProcessWorld() override;

  std::unique_ptr<Backend> make_backend(std::int64_t rank) override;
  void fail(std::int64_t rank, std::exception_ptr error) override;
  void end(std::int64_t rank) override;
  std::pair<std::int64_t, std::exception_ptr> first_failure() const override;

  std::int64_t rank() const { return rank_; }
  std::int64_t num_ranks() const { return num_ranks_; }
  const MeshShape& shape() const { return shape_; }

  /// Begins to send `bytes` bytes, which must stay until the transfer has been waited for.
  Transfer send(std::int64_t peer, const void* data, std::int64_t bytes, int tag);
  Transfer receive(std::int64_t peer, void* data, std::int64_t bytes, int tag);
  /// Waits for all, at most the time-out; throws Error that says why one cannot complete.
  void wait(const std::vector<Transfer>& transfers, const CollectiveCall& call, const Group& group);
  /// Keeps `data` until it is sent. Waits only if very much is under way to `peer`.
  void send_later(std::int64_t peer, at::Tensor data, int tag, const CollectiveCall& call,
                  const Group& group);

 private:
  struct Waiting {
    const std::vector<Transfer>* transfers = nullptr;
    CollectiveCall call;
    const Group* group = nullptr;
  };
  struct Outgoing {
    Transfer transfer;
    at::Tensor data;
  };

  /// Whether calls to the store return. If not, this world is never destroyed, as its threads are stuck in
  /// them.
  bool store_answers();
  void meet(std::chrono::duration<double> timeout);
  void connect(const std::string& host);
  void watch();
  void stop_watching();
  std::string answer() const;
  /// Makes the watcher of `rank` look; returns the key of its answer.
  std::string wake(std::int64_t rank);
  /// What each rank does, as its watcher says; empty for this rank.
  std::vector<std::string> ask_all();
  bool look_for_failure(c10d::Store& store);
  bool is_alive(std::int64_t rank);
  void note_failure(std::int64_t rank, const std::string& message);
  void flush();
  void leave();
  void leave_failed();
  void wait_for_others_to_end();

  [[noreturn]] void fail_stopped(const CollectiveCall& call, const Group& group);
  [[noreturn]] void fail_lost(std::int64_t peer, const CollectiveCall& call, const Group& group);
  [[noreturn]] void fail_timeout(const std::vector<std::int64_t>& missing, const CollectiveCall& call,
                                 const Group& group);
  [[noreturn]] void fail_here(const std::string& message);

  const std::int64_t rank_;
  const std::int64_t num_ranks_;
  const MeshShape shape_;
  const std::chrono::duration<double> timeout_;
  const bool has_server_;
  c10::intrusive_ptr<c10d::Store> store_;
  c10::intrusive_ptr<c10d::Store> watch_store_;  ///< a connection of its own, as a wait occupies one
  c10::intrusive_ptr<c10d::Backend> connections_;
  std::vector<std::deque<Outgoing>> outgoing_;  ///< per peer

  mutable std::mutex mutex_;
  Waiting waiting_;
  std::int64_t failed_rank_ = -1;
  std::exception_ptr failure_;
  std::string failure_message_;
  std::atomic<bool> stopped_{false};
  std::atomic<bool> leaving_{false};
  bool unreachable_ = false;
  std::shared_ptr<ProcessWorld> self_;  ///< set for good where threads of this world cannot end
  std::thread watcher_;
};

}  // namespace vescale::comm
