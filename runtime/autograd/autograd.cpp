#include <vescale/autograd.h>

#include <torch/csrc/autograd/autograd.h>

#include <vescale/redistribute.h>

#include "autograd/replicate_view.h"
#include "autograd/seeds.h"
#include "tensor/layout_table.h"

namespace vescale {

Seed seed_of(const DTensor& value, const DTensor& gradient) {
  std::vector<Placement> start = value.placements();
  for (Placement& p : start) {
    const bool keeps = gradient.defined() ? p.is_sharded() : p == Placement::partial(ReduceOp::Sum);
    if (!keeps) p = Placement::invariant();
  }
  Seed seed{redistribute(value, start), {}};
  if (gradient.defined()) {
    seed.gradient = redistribute(gradient, gradient_layout(seed.root.layout())->placements).local();
  }
  return seed;
}

namespace autograd {
namespace {

struct Seeds {
  torch::autograd::variable_list roots, gradients;
};

Seeds seeds_of(const variable_list& values, const variable_list& gradients) {
  if (!gradients.empty() && gradients.size() != values.size()) {
    throw Error("autograd got " + std::to_string(gradients.size()) + " gradients for " +
                std::to_string(values.size()) + " tensors; give one for each, or none");
  }
  Seeds seeds;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Seed seed = seed_of(values[i], gradients.empty() ? DTensor() : gradients[i]);
    seeds.roots.push_back(seed.root.local());
    seeds.gradients.push_back(seed.gradient);
  }
  return seeds;
}

/// An input and the R+ views that sharded computation used in its place.
struct Sources {
  DTensor input;
  std::vector<DTensor> views;
};

/// The input's gradient from what arrived at it and at its views, in order; `next` advances over `arrived`.
DTensor gathered_gradient(const Sources& sources, const torch::autograd::variable_list& arrived,
                          std::size_t& next) {
  const Layout* layout = gradient_layout(sources.input.layout());
  DTensor total;
  auto add = [&](const at::Tensor& gradient, const Layout* of) {
    if (!gradient.defined()) return;
    const DTensor part = redistribute(DTensor(gradient, gradient_layout(of)), layout->placements);
    total = total.defined() ? total.add(part) : part;
  };
  add(arrived[next++], sources.input.layout());
  for (const DTensor& view : sources.views) add(arrived[next++], view.layout());
  return total;
}

}  // namespace

variable_list grad(const variable_list& outputs, const variable_list& inputs,
                   const variable_list& grad_outputs, std::optional<bool> retain_graph, bool create_graph,
                   bool allow_unused) {
  const Seeds seeds = seeds_of(outputs, grad_outputs);
  std::vector<Sources> sources;
  torch::autograd::variable_list wanted;
  for (const DTensor& input : inputs) {
    sources.push_back({input, deferred_views(input)});
    wanted.push_back(input.local());
    for (const DTensor& view : sources.back().views) wanted.push_back(view.local());
  }
  const torch::autograd::variable_list arrived = torch::autograd::grad(
      seeds.roots, wanted, seeds.gradients, retain_graph, create_graph, /*allow_unused=*/true);
  variable_list gradients;
  std::size_t next = 0;
  for (const Sources& source : sources) {
    gradients.push_back(gathered_gradient(source, arrived, next));
    if (!gradients.back().defined() && !allow_unused) {
      throw Error(
          "autograd::grad: input " + std::to_string(gradients.size() - 1) +
          " is not used by the outputs; pass allow_unused = true to get an undefined gradient for it");
    }
  }
  return gradients;
}

void backward(const variable_list& tensors, const variable_list& grad_tensors,
              std::optional<bool> retain_graph, bool create_graph, const variable_list& inputs) {
  const Seeds seeds = seeds_of(tensors, grad_tensors);
  torch::autograd::variable_list leaves;
  for (const DTensor& input : inputs) {
    leaves.push_back(input.local());
    for (const DTensor& view : deferred_views(input)) leaves.push_back(view.local());
  }
  torch::autograd::backward(seeds.roots, seeds.gradients, retain_graph, create_graph, leaves);
}

}  // namespace autograd
}  // namespace vescale
