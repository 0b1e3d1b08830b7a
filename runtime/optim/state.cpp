#include "optim/state.h"

#include <vescale/error.h>

namespace vescale::optim {
namespace {

using torch::optim::OptimizerParamState;
using TensorMap = std::function<at::Tensor(const at::Tensor&)>;

/// `members` are the accessors of State's tensors.
template <class State, class... Members>
std::unique_ptr<OptimizerParamState> map_as(const OptimizerParamState& state, const TensorMap& map,
                                            Members... members) {
  const auto* known = dynamic_cast<const State*>(&state);
  if (known == nullptr) return nullptr;
  auto copy = std::make_unique<State>(*known);
  auto apply = [&](auto member) {
    at::Tensor& tensor = ((*copy).*member)();
    if (tensor.defined()) tensor = map(tensor);
  };
  (apply(members), ...);
  return copy;
}

template <class State>
using Member = at::Tensor& (State::*)() noexcept;

}  // namespace

std::unique_ptr<OptimizerParamState> map_state(const OptimizerParamState& state, const TensorMap& map) {
  using namespace torch::optim;
  using A = AdamParamState;
  using W = AdamWParamState;
  using R = RMSpropParamState;
  if (auto s = map_as<A>(state, map, Member<A>(&A::exp_avg), Member<A>(&A::exp_avg_sq),
                         Member<A>(&A::max_exp_avg_sq)))
    return s;
  if (auto s = map_as<W>(state, map, Member<W>(&W::exp_avg), Member<W>(&W::exp_avg_sq),
                         Member<W>(&W::max_exp_avg_sq)))
    return s;
  if (auto s = map_as<R>(state, map, Member<R>(&R::square_avg), Member<R>(&R::momentum_buffer),
                         Member<R>(&R::grad_avg)))
    return s;
  if (auto s = map_as<SGDParamState>(state, map, Member<SGDParamState>(&SGDParamState::momentum_buffer)))
    return s;
  if (auto s = map_as<AdagradParamState>(state, map, Member<AdagradParamState>(&AdagradParamState::sum)))
    return s;
  throw Error("an optimizer's state of unknown type cannot be gathered");
}

}  // namespace vescale::optim
