#include "autograd/convert_axis.h"

#include <torch/csrc/autograd/custom_function.h>

#include "redistribute/move.h"
#include "tensor/layout_table.h"

namespace vescale {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct ConvertAxis : torch::autograd::Function<ConvertAxis> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const Layout* from,
                            const Layout* to, std::int64_t axis) {
    context->saved_data["from"] = reinterpret_cast<std::int64_t>(from);
    context->saved_data["to"] = reinterpret_cast<std::int64_t>(to);
    context->saved_data["axis"] = axis;
    // A gradient that no rank needs is undefined on all of them alike: the graph is the same everywhere.
    context->set_materialize_grads(false);
    at::Tensor moved = move_along_axis(x, from, to, axis);
    // The same values under another layout: own tensor, same storage and version, so that writes are noticed.
    return moved.is_same(x) ? x.tensor_data() : moved;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    if (!gradients[0].defined()) return {{}, {}, {}, {}};
    const auto* from = reinterpret_cast<const Layout*>(context->saved_data["from"].toInt());
    const auto* to = reinterpret_cast<const Layout*>(context->saved_data["to"].toInt());
    const std::int64_t axis = context->saved_data["axis"].toInt();
    return {convert_along_axis(gradients[0], gradient_layout(to), gradient_layout(from), axis), {}, {}, {}};
  }
};

}  // namespace

at::Tensor convert_along_axis(const at::Tensor& x, const Layout* from, const Layout* to, std::int64_t axis) {
  if (!x.requires_grad() || !at::GradMode::is_enabled()) return move_along_axis(x, from, to, axis);
  const Placement& p = from->placements[static_cast<std::size_t>(axis)];
  if (p.is_partial() && p.reduce != ReduceOp::Sum) {
    throw Error("no gradient flows through " + p.to_string() + " -> " +
                to->placements[static_cast<std::size_t>(axis)].to_string() + "; detach() the value first");
  }
  return ConvertAxis::apply(x, from, to, axis);
}

}  // namespace vescale
