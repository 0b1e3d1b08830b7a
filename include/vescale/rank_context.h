#pragma once
/// What belongs to one rank: the only state that a thread finds without being handed it.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <vescale/comm.h>

namespace vescale {

class Mesh;
class RankContext;

namespace detail {
// initial-exec and __thread: one load relative to the thread pointer, no call, no guard.
extern __thread RankContext* current_rank_context __attribute__((tls_model("initial-exec")));
std::size_t next_slot_id();
}  // namespace detail

class RankContext {
 public:
  explicit RankContext(std::shared_ptr<Mesh> mesh);
  /// Destroys the slots, the last made first, while the mesh still works.
  ~RankContext();
  RankContext(const RankContext&) = delete;
  RankContext& operator=(const RankContext&) = delete;

  /// The calling thread's context. A thread outside vescale::run gets one of its own at first use: one rank,
  /// a mesh without axes. While ranks run, a thread that is none of them and has no Scope throws Error.
  static RankContext& current() {
    RankContext* context = detail::current_rank_context;
    return context != nullptr ? *context : make_default();
  }

  Mesh& mesh() const { return *mesh_; }
  const std::shared_ptr<Mesh>& shared_mesh() const { return mesh_; }
  std::int64_t rank() const { return rank_; }
  CommStats& comm_stats() { return comm_stats_; }
  /// The place that messages name; see CallSiteScope.
  CallSite& call_site() { return call_site_; }

  /// This rank's one T, made by T() at first use: caches, generators and the like of other modules.
  template <class T>
  T& slot() {
    static const std::size_t id = detail::next_slot_id();
    if (id < slots_.size() && slots_[id] != nullptr) return *static_cast<T*>(slots_[id]);
    T* object = new T();
    add_slot(id, object, [](void* erased) { delete static_cast<T*>(erased); });
    return *object;
  }

  /// Makes `context` the calling thread's: for a helper thread that works for a rank while the rank waits for
  /// it. Random ops of LibTorch itself then draw from the rank's generator (random/generator.h) too.
  class Scope {
   public:
    explicit Scope(RankContext& context);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    RankContext* previous_;
    bool previous_draws_;
  };

 private:
  struct OwnedSlot {
    std::size_t id;
    void* object;
    void (*destroy)(void*);
  };

  static RankContext& make_default();
  void add_slot(std::size_t id, void* object, void (*destroy)(void*));

  std::shared_ptr<Mesh> mesh_;
  std::int64_t rank_;
  CommStats comm_stats_;
  CallSite call_site_;
  std::vector<void*> slots_;  // by id
  std::vector<OwnedSlot> owned_slots_;
};

/// Names the place of all communication until it goes out of scope.
class CallSiteScope {
 public:
  explicit CallSiteScope(CallSite site) : site_(RankContext::current().call_site()), previous_(site_) {
    site_ = site;
  }
  ~CallSiteScope() { site_ = previous_; }
  CallSiteScope(const CallSiteScope&) = delete;
  CallSiteScope& operator=(const CallSiteScope&) = delete;

 private:
  CallSite& site_;
  CallSite previous_;
};

/// Of the calling thread's rank.
inline Mesh& mesh() { return RankContext::current().mesh(); }
inline std::int64_t rank() { return RankContext::current().rank(); }
inline CommStats& comm_stats() { return RankContext::current().comm_stats(); }

}  // namespace vescale
