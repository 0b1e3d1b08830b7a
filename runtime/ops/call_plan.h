#pragma once
/// What a call does with its tensors: decided once per key by lib/Sharding, then only looked up.
#include <ATen/core/stack.h>

#include <memory>
#include <string>
#include <vector>

#include <vescale/dtensor.h>

#include "Sharding/Rule.h"
#include "ops/call_key.h"

namespace vescale::detail {

/// What happens to one tensor input before the op runs.
struct InputAction {
  enum class Kind : std::uint8_t {
    Keep,
    View,          ///< only R -> R+ on some axes: no communication forward
    Redistribute,  ///< communication
  };
  Kind kind = Kind::Keep;
  const Layout* target = nullptr;
};

/// How the results of a call get their layouts.
enum class OutputKind : std::uint8_t {
  Known,    ///< `outputs`
  Dynamic,  ///< whole values whose shape the op's result tells
  Self,     ///< in place: the layout of self stays
};

struct CallPlan {
  bool direct = true;                                     ///< inputs and arguments go as they are
  std::vector<InputAction> inputs;                        ///< per tensor, lists flattened; empty when direct
  std::vector<std::vector<std::int64_t>> local_integers;  ///< per argument, empty where the global one serves
  OutputKind output_kind = OutputKind::Known;
  std::vector<const Layout*> outputs;  ///< per tensor result
  std::vector<Placement> dynamic_placements;

  // Known only while the plan is made.
  std::vector<std::vector<Placement>> output_placements;
  std::vector<std::vector<std::int64_t>> output_sizes;
};

/// The plans of one op on one rank; bounded, most recently used first.
class CallCache {
 public:
  static constexpr std::size_t capacity = 128;

  const CallPlan* find(const CallKey& key) {
    if (entries_.empty()) return nullptr;
    if (entries_.front()->key == key) return &entries_.front()->plan;
    return find_older(key);
  }
  const CallPlan* insert(CallKey key, CallPlan plan);
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    CallKey key;
    CallPlan plan;
  };
  const CallPlan* find_older(const CallKey& key);
  std::vector<std::unique_ptr<Entry>> entries_;
};

/// How an op treats its first argument.
enum class Mutation : std::uint8_t { None, InPlace, Out };

/// A call seen without its C++ types, on a cache miss.
struct BoxedCall {
  const char* name;  ///< "aten::mm"
  const char* overload;
  torch::jit::Stack arguments;         ///< local tensors, in schema order
  std::vector<const Layout*> layouts;  ///< of every tensor, lists flattened, null where undefined
  Mutation mutation = Mutation::None;
};

/// Everything but the outputs' layouts. Throws Error where an in-place op would have to move self.
CallPlan make_plan(const BoxedCall& call);

/// Gives `plan` its outputs' layouts from the local results of its first run.
void finish_plan(CallPlan& plan, const BoxedCall& call, const std::vector<at::Tensor>& results);

/// What a rule may know of a local tensor of `layout`.
sharding::TensorFacts facts_of(const at::Tensor& local, const Layout* layout);

/// How a tensor of `layout` gets the placements that a rule asks for.
InputAction action_for(const Layout* layout, const std::vector<Placement>& wanted);

/// `x` as `action` wants it.
DTensor apply_action(const DTensor& x, const InputAction& action);

/// After an in-place op ran: ops that change the shape of self (t_, squeeze_, ...) give its handle a new
/// layout.
void finish_inplace(const CallPlan& plan, const DTensor& self);

/// The layout of a whole value of a Dynamic plan.
const Layout* dynamic_layout(const CallPlan& plan, const at::Tensor& local);

/// The cache of op number `op` on this rank.
CallCache& call_cache(std::size_t op);
std::size_t next_op_number();

}  // namespace vescale::detail
