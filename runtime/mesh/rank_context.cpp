#include <vescale/rank_context.h>

#include <atomic>

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

#include <vescale/mesh.h>

#include "comm/thread_group.h"
#include "mesh/rank_dispatch_key.h"
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

RankContext::Scope::Scope(RankContext& context)
    : previous_(detail::current_rank_context),
      previous_draws_(c10::impl::tls_is_dispatch_key_included(detail::rank_dispatch_key)) {
  detail::current_rank_context = &context;
  c10::impl::tls_set_dispatch_key_included(detail::rank_dispatch_key, true);
}

RankContext::Scope::~Scope() {
  c10::impl::tls_set_dispatch_key_included(detail::rank_dispatch_key, previous_draws_);
  detail::current_rank_context = previous_;
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

// Ops without a kernel of their own for the key go on as if it were not there.
TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericMode, library) {
  library.fallback(torch::CppFunction::makeFallthrough());
}

}  // namespace vescale
