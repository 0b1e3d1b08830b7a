#include "autograd/replicate_view.h"

#include <c10/core/TensorImpl.h>

#include <algorithm>
#include <map>

#include <vescale/mesh.h>
#include <vescale/redistribute.h>

#include "autograd/convert_axis.h"
#include "tensor/access.h"
#include "tensor/layout_table.h"

namespace vescale {
namespace {

/// The R+ views of a tensor, kept on its TensorImpl, so that they live as long as the value.
struct Views : c10::BackendMeta {
  struct View {
    const Layout* target;
    at::Tensor tensor;
    std::int64_t version;  ///< of the value when the view was made
  };
  std::vector<View> views;
  const Layout* layout = nullptr;  ///< of the value
  bool is_leaf = false;

  // A copy of the tensor's metadata (detach) is another value: it has no views.
  c10::intrusive_ptr<c10::BackendMeta> clone(const c10::intrusive_ptr<c10::BackendMeta>&) const override {
    return {};
  }
  View* find(const Layout* target) {
    auto it = std::find_if(views.begin(), views.end(), [&](const View& v) { return v.target == target; });
    return it == views.end() ? nullptr : &*it;
  }
};

Views* existing_views(const at::Tensor& local) {
  return dynamic_cast<Views*>(local.unsafeGetTensorImpl()->get_backend_meta());
}

Views& views_of(const at::Tensor& local) {
  if (Views* views = existing_views(local)) return *views;
  auto views = c10::make_intrusive<Views>();
  Views& result = *views;
  local.unsafeGetTensorImpl()->set_backend_meta(std::move(views));
  return result;
}

/// The leaves of this rank that have views, in the order of first use, which is the same on all ranks.
struct DeferredLeaves {
  std::vector<c10::weak_intrusive_ptr<c10::TensorImpl>> leaves;
};

DTensor convert_views(const DTensor& x, const Layout* target) {
  at::Tensor local = x.local();
  const Layout* layout = x.layout();
  std::vector<Placement> placements = layout->placements;
  for (std::size_t axis = 0; axis < placements.size(); ++axis) {
    if (placements[axis] == target->placements[axis]) continue;
    placements[axis] = target->placements[axis];
    const Layout* next = LayoutTable::current().with_placements(layout, placements);
    if (RankContext::current().mesh().size(static_cast<std::int64_t>(axis)) == 1) {
      layout = next;
      continue;
    }
    local = convert_along_axis(local, layout, next, static_cast<std::int64_t>(axis));
    layout = next;
  }
  return {local, target};
}

DTensor deferred_view(const DTensor& x, const Layout* target) {
  const at::Tensor& local = x.local();
  Views& views = views_of(local);
  if (!views.is_leaf) {
    views.is_leaf = true;
    views.layout = x.layout();
    RankContext::current().slot<DeferredLeaves>().leaves.emplace_back(local.getIntrusivePtr());
  }
  Views::View* view = views.find(target);
  if (view == nullptr) {
    views.views.push_back({target, local.tensor_data().set_requires_grad(true), 0});
    view = &views.views.back();
  } else if (view->tensor.const_data_ptr() != local.const_data_ptr()) {
    // The parameter got other storage (set_data, loading).
    view->tensor.set_data(local.tensor_data());
  }
  return {view->tensor, target};
}

/// The parts of gradients that wait, by the axes they are summed over.
struct Bucket {
  std::vector<at::Tensor> leaves;
  std::vector<at::Tensor> gradients;
};

void reduce_bucket(AxisMask axes, Bucket& bucket) {
  std::vector<at::Tensor> flat;
  for (const at::Tensor& gradient : bucket.gradients) flat.push_back(gradient.reshape({-1}));
  const at::Tensor sum = at::cat(flat);
  RankContext::current().mesh().group_of(axes).all_reduce(sum);
  std::int64_t offset = 0;
  for (const at::Tensor& leaf : bucket.leaves) {
    const at::Tensor part = sum.narrow(0, offset, leaf.numel()).view(leaf.sizes());
    offset += leaf.numel();
    if (leaf.grad().defined()) {
      leaf.mutable_grad().add_(part);
    } else {
      // No view for autograd: zero_grad() detaches gradients in place.
      leaf.mutable_grad() = part.variable_data();
    }
  }
}

/// The axes along which other ranks contribute: those that differ, if they have more than one rank.
AxisMask summed_axes(const Layout* layout, const Layout* target) {
  const Mesh& mesh = RankContext::current().mesh();
  AxisMask axes = 0;
  for (std::size_t axis = 0; axis < target->placements.size(); ++axis) {
    if (layout->placements[axis] != target->placements[axis] &&
        mesh.size(static_cast<std::int64_t>(axis)) > 1) {
      axes |= AxisMask{1} << axis;
    }
  }
  return axes;
}

}  // namespace

DTensor replicate_view(const DTensor& x, const Layout* target) {
  const at::Tensor& local = x.local();
  if (!local.requires_grad() || !at::GradMode::is_enabled()) return {local, target};
  if (summed_axes(x.layout(), target) == 0) return {local, target};
  if (local.is_leaf()) return deferred_view(x, target);
  Views& views = views_of(local);
  Views::View* view = views.find(target);
  if (view == nullptr) {
    views.views.push_back({target, {}, -1});
    view = &views.views.back();
  }
  // In-place writes change the value's graph, so they end the view.
  if (view->version != local._version()) {
    view->tensor = convert_views(x, target).local();
    view->version = local._version();
  }
  return {view->tensor, target};
}

bool has_deferred_gradient(const at::Tensor& leaf) {
  Views* views = existing_views(leaf);
  return views != nullptr && views->is_leaf &&
         std::any_of(views->views.begin(), views->views.end(),
                     [](auto& v) { return v.tensor.grad().defined(); });
}

void clear_deferred_gradient(const at::Tensor& leaf) {
  Views* views = existing_views(leaf);
  if (views == nullptr) return;
  for (Views::View& view : views->views) view.tensor.mutable_grad().reset();
}

std::vector<DTensor> deferred_views(const DTensor& leaf) {
  std::vector<DTensor> result;
  Views* views = existing_views(leaf.local());
  if (views == nullptr || !views->is_leaf) return result;
  for (const Views::View& view : views->views) result.emplace_back(view.tensor, view.target);
  return result;
}

void sync_gradients() {
  const at::NoGradGuard no_grad;
  std::map<std::pair<AxisMask, at::ScalarType>, Bucket> buckets;
  auto& leaves = RankContext::current().slot<DeferredLeaves>().leaves;
  leaves.erase(std::remove_if(leaves.begin(), leaves.end(), [](const auto& weak) { return weak.expired(); }),
               leaves.end());
  for (const auto& weak : leaves) {
    const at::Tensor leaf(weak.lock());
    Views* views = existing_views(leaf);
    if (views == nullptr) continue;
    for (Views::View& view : views->views) {
      if (!view.tensor.grad().defined()) continue;
      Bucket& bucket = buckets[{summed_axes(views->layout, view.target), leaf.scalar_type()}];
      bucket.leaves.push_back(leaf);
      bucket.gradients.push_back(view.tensor.grad());
      view.tensor.mutable_grad().reset();
    }
  }
  for (auto& [key, bucket] : buckets) reduce_bucket(key.first, bucket);
}

}  // namespace vescale
