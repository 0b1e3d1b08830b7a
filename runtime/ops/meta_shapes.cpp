#include "ops/meta_shapes.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "tensor/layout_table.h"

namespace vescale::detail {
namespace {

at::Tensor meta_like(const at::Tensor& local, const Layout* layout) {
  return at::empty_strided(layout->sizes, layout->strides, local.options().device(at::kMeta));
}

/// The call's arguments with meta tensors of the global shapes; generators are dropped, nothing is drawn.
torch::jit::Stack meta_arguments(const BoxedCall& call) {
  torch::jit::Stack stack;
  std::size_t tensor = 0;
  for (const c10::IValue& value : call.arguments) {
    if (value.isTensor()) {
      const Layout* layout = call.layouts[tensor++];
      stack.emplace_back(layout == nullptr ? at::Tensor() : meta_like(value.toTensor(), layout));
    } else if (value.isTensorList()) {
      std::vector<at::Tensor> list;
      for (const at::Tensor& local : value.toTensorVector())
        list.push_back(meta_like(local, call.layouts[tensor++]));
      stack.emplace_back(std::move(list));
    } else if (value.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> list;
      for (const std::optional<at::Tensor>& local : value.toOptionalTensorVector()) {
        const Layout* layout = call.layouts[tensor++];
        list.push_back(layout == nullptr ? std::nullopt
                                         : std::optional<at::Tensor>(meta_like(*local, layout)));
      }
      stack.emplace_back(std::move(list));
    } else {
      stack.push_back(value.isGenerator() ? c10::IValue() : value);
    }
  }
  return stack;
}

std::vector<at::Tensor> flat_tensors(const torch::jit::Stack& stack) {
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& value : stack) {
    if (value.isTensor()) {
      tensors.push_back(value.toTensor());
    } else if (value.isTensorList()) {
      for (const at::Tensor& x : value.toTensorVector()) tensors.push_back(x);
    }
  }
  return tensors;
}

/// Empty if LibTorch can't tell without data.
std::vector<at::Tensor> meta_results(const BoxedCall& call) {
  try {
    const c10::AutoGradMode no_grad(false);
    torch::jit::Stack stack = meta_arguments(call);
    c10::Dispatcher::singleton().findSchemaOrThrow(call.name, call.overload).callBoxed(&stack);
    return flat_tensors(stack);
  } catch (const std::exception&) {
    return {};
  }
}

/// The local result's order of dims, where this rank's piece shows one; ranks with tiny pieces must agree
/// with the others, so only what the inputs say counts: channels_last in, channels_last out.
std::vector<std::int64_t> fallback_strides(const std::vector<std::int64_t>& sizes, const BoxedCall& call) {
  for (const Layout* layout : call.layouts) {
    if (layout == nullptr || layout->sizes.size() != sizes.size()) continue;
    return dense_strides_like(sizes, is_row_major(layout->sizes, layout->strides)
                                         ? contiguous_strides(layout->sizes)
                                         : layout->strides);
  }
  return contiguous_strides(sizes);
}

}  // namespace

std::vector<GlobalShape> output_shapes(const CallPlan& plan, const BoxedCall& call,
                                       const std::vector<at::Tensor>& results) {
  auto is_whole = [&](std::size_t i) {
    const auto& placements = plan.output_placements[std::min(i, plan.output_placements.size() - 1)];
    return std::all_of(placements.begin(), placements.end(),
                       [](const Placement& p) { return !p.is_sharded(); });
  };
  std::vector<at::Tensor> meta;
  bool meta_tried = false;
  std::vector<GlobalShape> shapes;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].defined()) {
      shapes.emplace_back();
    } else if (is_whole(i)) {
      shapes.push_back({results[i].sizes().vec(), results[i].strides().vec()});
    } else {
      if (!meta_tried) meta = meta_results(call);
      meta_tried = true;
      if (meta.size() == results.size()) {
        shapes.push_back({meta[i].sizes().vec(), meta[i].strides().vec()});
      } else {
        shapes.push_back({plan.output_sizes[i], fallback_strides(plan.output_sizes[i], call)});
      }
    }
  }
  return shapes;
}

}  // namespace vescale::detail
