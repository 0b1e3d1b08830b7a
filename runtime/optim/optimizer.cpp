#include <vescale/optim.h>

#include <vescale/redistribute.h>

#include "autograd/replicate_view.h"
#include "optim/state.h"

namespace vescale::optim {
namespace {

std::vector<at::Tensor> local_tensors(const std::vector<DTensor>& parameters) {
  std::vector<at::Tensor> locals;
  locals.reserve(parameters.size());
  for (const DTensor& p : parameters) locals.push_back(p.local());
  return locals;
}

torch::optim::OptimizerParamGroup local_group(const OptimizerParamGroup& group) {
  return {local_tensors(group.params()), group.has_options() ? group.options().clone() : nullptr};
}

}  // namespace

Optimizer::Optimizer(const std::vector<OptimizerParamGroup>& groups, Maker make)
    : make_(std::move(make)), groups_(groups) {
  std::vector<torch::optim::OptimizerParamGroup> locals;
  for (const OptimizerParamGroup& group : groups_) locals.push_back(local_group(group));
  inner_ = make_(std::move(locals));
  for (std::size_t i = 0; i < groups_.size(); ++i) attach(i);
}

void Optimizer::attach(std::size_t group) {
  // LibTorch's groups may move when one is added, their options do not.
  groups_[group].inner_options_ = &inner_->param_groups()[group].options();
  groups_[group].own_options_.reset();
}

void Optimizer::add_param_group(const OptimizerParamGroup& group) {
  groups_.push_back(group);
  inner_->add_param_group(local_group(group));
  attach(groups_.size() - 1);
}

void Optimizer::add_parameters(const std::vector<DTensor>& parameters) {
  std::vector<DTensor>& all = groups_.front().params();
  all.insert(all.end(), parameters.begin(), parameters.end());
  inner_->add_parameters(local_tensors(parameters));
}

std::size_t Optimizer::size() const {
  std::size_t count = 0;
  for (const OptimizerParamGroup& group : groups_) count += group.params().size();
  return count;
}

DTensor Optimizer::step(const LossClosure& closure) {
  DTensor loss;
  if (closure) {
    const at::AutoGradMode with_grad(true);
    loss = closure();
  }
  sync_gradients();
  inner_->step();
  return loss;
}

void Optimizer::zero_grad(bool set_to_none) {
  for (OptimizerParamGroup& group : groups_) {
    for (const DTensor& p : group.params()) clear_deferred_gradient(p.local());
  }
  inner_->zero_grad(set_to_none);
}

std::unique_ptr<torch::optim::Optimizer> Optimizer::gathered() const {
  const at::NoGradGuard no_grad;
  std::vector<torch::optim::OptimizerParamGroup> whole;
  std::vector<std::pair<DTensor, at::Tensor>> pairs;
  for (const OptimizerParamGroup& group : groups_) {
    std::vector<at::Tensor> tensors;
    for (const DTensor& p : group.params()) {
      // An own tensor each: its address is the parameter's key in the file.
      tensors.push_back(p.full().detach().clone());
      pairs.emplace_back(p, tensors.back());
    }
    whole.emplace_back(std::move(tensors), group.options().clone());
  }
  std::unique_ptr<torch::optim::Optimizer> result = make_(std::move(whole));
  for (const auto& [p, full] : pairs) {
    const auto found = inner_->state().find(p.local().unsafeGetTensorImpl());
    if (found == inner_->state().end()) continue;
    result->state()[full.unsafeGetTensorImpl()] =
        map_state(*found->second, [&](const at::Tensor& x) { return DTensor(x, p.layout()).full(); });
  }
  return result;
}

void Optimizer::save(torch::serialize::OutputArchive& archive) const { gathered()->save(archive); }

void Optimizer::load(torch::serialize::InputArchive& archive) {
  const at::NoGradGuard no_grad;
  std::unique_ptr<torch::optim::Optimizer> whole = gathered();
  whole->load(archive);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    torch::optim::OptimizerParamGroup& inner_group = inner_->param_groups()[g];
    inner_group.set_options(whole->param_groups()[g].options().clone());
    attach(g);
    for (std::size_t i = 0; i < groups_[g].params().size(); ++i) {
      const DTensor& p = groups_[g].params()[i];
      const auto found = whole->state().find(whole->param_groups()[g].params()[i].unsafeGetTensorImpl());
      if (found == whole->state().end()) continue;
      inner_->state()[p.local().unsafeGetTensorImpl()] = map_state(*found->second, [&](const at::Tensor& x) {
        return redistribute(DTensor(x), p.placements()).local().clone();
      });
    }
  }
}

}  // namespace vescale::optim
