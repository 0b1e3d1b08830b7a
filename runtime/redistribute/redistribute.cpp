#include <vescale/redistribute.h>

#include <algorithm>

#include <vescale/mesh.h>

#include "Plan/Placements.h"
#include "autograd/convert_axis.h"
#include "autograd/replicate_view.h"
#include "tensor/layout_table.h"

namespace vescale {
namespace {

bool shards(const Placement& p, const Placement& other) {
  return p.is_sharded() && other.is_sharded() && p.dim == other.dim;
}

/// Along one axis. Average is a sum of shares; everything else is the conversion table.
DTensor convert(const DTensor& x, std::int64_t axis, const Placement& to) {
  const auto a = static_cast<std::size_t>(axis);
  std::vector<Placement> placements = x.placements();
  const Placement from = placements[a];
  if (from == to) return x;
  LayoutTable& table = LayoutTable::current();
  placements[a] = to;
  const Layout* target = table.with_placements(x.layout(), placements);
  // Along an axis of one rank every placement is the whole value: the same tensor under another layout, so
  // that a view of it is a view for autograd too.
  if (RankContext::current().mesh().size(axis) == 1) return {x.local(), target};
  if (from.is_invariant() && to.kind == Placement::Kind::Replicate) return replicate_view(x, target);
  if (from.is_partial() && from.reduce == ReduceOp::Avg) {
    placements[a] = Placement::partial();
    const double share = 1.0 / static_cast<double>(RankContext::current().mesh().size(axis));
    return convert({x.local() * share, table.with_placements(x.layout(), placements)}, axis, to);
  }
  const bool two_steps = from.is_partial() && to.kind == Placement::Kind::Replicate;
  if (two_steps) return convert(convert(x, axis, Placement::invariant()), axis, to);
  return {convert_along_axis(x.local(), x.layout(), target, axis), target};
}

/// Whole along the axis, with the gradient that reaching `to` later needs.
Placement gathered(const Placement& from, const Placement& to) {
  const bool sums_gradient = to.kind == Placement::Kind::Replicate || from.kind == Placement::Kind::Replicate;
  return sums_gradient ? Placement::replicate() : Placement::invariant();
}

/// Axes that must be made whole first: an axis nests inside every earlier axis that shards the same dim,
/// before or after, so it cannot stay while an earlier one changes.
std::vector<bool> axes_to_gather(const std::vector<Placement>& from, const std::vector<Placement>& to) {
  std::vector<bool> gather(from.size(), false);
  for (std::size_t outer = 0; outer < from.size(); ++outer) {
    if (from[outer] == to[outer] && !gather[outer]) continue;
    for (std::size_t inner = outer + 1; inner < from.size(); ++inner) {
      gather[inner] = gather[inner] || shards(from[inner], from[outer]) || shards(from[inner], to[outer]);
    }
  }
  for (std::size_t outer = 0; outer < from.size(); ++outer) {
    for (std::size_t inner = outer + 1; inner < from.size(); ++inner) {
      // An outer axis that moves to a dim which an inner one is about to take goes first, and directly.
      if (from[inner] != to[inner] && shards(to[outer], to[inner]) && from[inner].is_sharded())
        gather[inner] = true;
    }
  }
  return gather;
}

std::size_t axis_index(std::string_view axis) {
  return static_cast<std::size_t>(RankContext::current().mesh().axis(axis));
}

[[noreturn]] void refuse(std::string_view call, std::string_view axis, const DTensor& x,
                         std::string_view expects) {
  throw Error("vs::" + std::string(call) + " over '" + std::string(axis) + "' expects " +
              std::string(expects) + ", but the tensor is [" + x.layout()->to_string() + "]");
}

DTensor with_axis(const DTensor& x, std::size_t axis, const Placement& placement) {
  std::vector<Placement> placements = x.placements();
  placements[axis] = placement;
  return redistribute(x, placements);
}

std::int64_t wrapped_dim(const DTensor& x, std::int64_t dim) { return at::maybe_wrap_dim(dim, x.dim()); }

}  // namespace

DTensor redistribute(const DTensor& x, const std::vector<Placement>& placements) {
  const std::vector<Placement>& from = x.placements();
  if (placements.size() != from.size()) {
    throw Error("a tensor on the mesh " + x.layout()->mesh->to_string() +
                " needs one placement per axis, not " + std::to_string(placements.size()));
  }
  for (const Placement& p : placements) {
    if (p.is_sharded() && p.dim >= x.dim()) {
      throw Error("placement " + p.to_string() + " shards a dim that a tensor of " + std::to_string(x.dim()) +
                  " dims does not have");
    }
  }
  if (from == placements) return x;
  const std::vector<bool> gather = axes_to_gather(from, placements);
  DTensor result = x;
  for (std::size_t axis = from.size(); axis-- > 0;) {
    if (gather[axis]) {
      result = convert(result, static_cast<std::int64_t>(axis),
                       gathered(result.placements()[axis], placements[axis]));
    }
  }
  for (std::size_t axis = 0; axis < placements.size(); ++axis) {
    result = convert(result, static_cast<std::int64_t>(axis), placements[axis]);
  }
  return result;
}

DTensor redistribute(const DTensor& x, std::string_view placements) {
  std::vector<Placement> target = x.placements();
  plan::apply_placements(placements, RankContext::current().mesh().shape(), target);
  for (std::size_t axis = 0; axis < target.size(); ++axis) {
    // "R" in a text does not ask for a change between the two kinds of replication.
    if (target[axis].is_invariant() && x.placements()[axis].is_replicated())
      target[axis] = x.placements()[axis];
  }
  return redistribute(x, target);
}

DTensor all_reduce(const DTensor& x, std::string_view axis) {
  const std::size_t a = axis_index(axis);
  if (x.placements()[a].is_replicated()) return x;
  if (!x.placements()[a].is_partial()) refuse("all_reduce", axis, x, "a Partial");
  return with_axis(x, a, Placement::invariant());
}

DTensor all_gather(const DTensor& x, std::string_view axis, Gradient gradient) {
  const std::size_t a = axis_index(axis);
  if (x.placements()[a].is_partial()) refuse("all_gather", axis, x, "a Shard");
  const Placement target = gradient == Gradient::Partial ? Placement::replicate() : Placement::invariant();
  if (x.placements()[a].is_replicated() && gradient == Gradient::Same) return x;
  return with_axis(x, a, target);
}

DTensor reduce_scatter(const DTensor& x, std::string_view axis, std::int64_t dim) {
  const std::size_t a = axis_index(axis);
  const Placement target = Placement::shard(wrapped_dim(x, dim));
  if (x.placements()[a] != target && !x.placements()[a].is_partial())
    refuse("reduce_scatter", axis, x, "a Partial");
  return with_axis(x, a, target);
}

DTensor all_to_all(const DTensor& x, std::string_view axis, std::int64_t dim) {
  const std::size_t a = axis_index(axis);
  if (!x.placements()[a].is_sharded()) refuse("all_to_all", axis, x, "a Shard");
  return with_axis(x, a, Placement::shard(wrapped_dim(x, dim)));
}

DTensor shard(const DTensor& x, std::string_view axis, std::int64_t dim) {
  const std::size_t a = axis_index(axis);
  const Placement target = Placement::shard(wrapped_dim(x, dim));
  if (x.placements()[a] != target && !x.placements()[a].is_replicated()) refuse("shard", axis, x, "an R");
  return with_axis(x, a, target);
}

DTensor replicate(const DTensor& x, std::string_view axis) {
  const std::size_t a = axis_index(axis);
  if (!x.placements()[a].is_replicated()) refuse("replicate", axis, x, "an R");
  return with_axis(x, a, Placement::replicate());
}

DTensor partial(const DTensor& x, std::string_view axis) {
  const std::size_t a = axis_index(axis);
  if (!x.placements()[a].is_replicated()) refuse("partial", axis, x, "an R");
  return with_axis(x, a, Placement::partial());
}

DTensor from_local(const at::Tensor& local, std::string_view placements, at::IntArrayRef sizes) {
  std::vector<Placement> target(static_cast<std::size_t>(RankContext::current().mesh().num_axes()));
  plan::apply_placements(placements, RankContext::current().mesh().shape(), target);
  for (const Placement& p : target) {
    if (p.is_sharded() && p.dim >= static_cast<std::int64_t>(sizes.size())) {
      throw Error("from_local: placement " + p.to_string() + " shards a dim that sizes " + c10::str(sizes) +
                  " do not have");
    }
  }
  const std::vector<std::int64_t> strides = local.dim() == static_cast<std::int64_t>(sizes.size())
                                                ? dense_strides_like(sizes, local.strides())
                                                : contiguous_strides(sizes.vec());
  const Layout* layout = LayoutTable::current().intern(target, sizes, strides);
  if (local.sizes() != rank_layout(layout).local_sizes) {
    throw Error("from_local: this rank's piece of a tensor of sizes " + c10::str(sizes) + " at [" +
                layout->to_string() + "] has sizes " +
                c10::str(c10::IntArrayRef(rank_layout(layout).local_sizes)) + ", not " +
                c10::str(local.sizes()));
  }
  return {local, layout};
}

}  // namespace vescale
