#include <vescale/rank_context.h>

#include <atomic>

#include <vescale/mesh.h>

#include "comm/thread_group.h"
#include "mesh/rank_threads.h"

namespace vescale {
namespace detail {

__thread RankContext* current_rank_context = nullptr;

std::size_t next_slot_id() {
  static std::atomic<std::size_t> next{0};
  return next.fetch_add(1);
}

}  // namespace detail

RankContext::RankContext(std::shared_ptr<Mesh> mesh) : mesh_(std::move(mesh)), rank_(mesh_->rank()) {}

RankContext::~RankContext() {
  const Scope scope(*this);  // destructors of slots may ask for the context
  while (!owned_slots_.empty()) {
    const OwnedSlot last = owned_slots_.back();
    owned_slots_.pop_back();
    slots_[last.id] = nullptr;
    last.destroy(last.object);
  }
}

void RankContext::add_slot(std::size_t id, void* object, void (*destroy)(void*)) {
  if (id >= slots_.size()) slots_.resize(id + 1, nullptr);
  slots_[id] = object;
  owned_slots_.push_back({id, object, destroy});
}

RankContext& RankContext::make_default() {
  if (num_running_rank_threads() > 0) {
    throw Error(
        "this thread belongs to no rank; a thread that a rank starts uses vescale::RankContext::Scope with "
        "the "
        "context of that rank");
  }
  const auto make = [] {
    auto world = std::make_shared<comm::ThreadWorld>(1, std::chrono::duration<double>(0));
    return std::make_shared<Mesh>(MeshShape{}, std::make_unique<comm::ThreadBackend>(std::move(world), 0));
  };
  // Leaks the pointer to the context when the thread ends, not the context: nothing runs after its
  // destruction.
  static thread_local RankContext context{make()};
  detail::current_rank_context = &context;
  return context;
}

}  // namespace vescale
