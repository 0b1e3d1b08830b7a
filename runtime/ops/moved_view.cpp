#include "ops/moved_view.h"

#include <algorithm>

#include <vescale/error.h>
#include <vescale/mesh.h>
#include <vescale/rank_context.h>
#include <vescale/redistribute.h>

namespace vescale {
namespace {

/// The placements in which a part of `base` is ready to be written: whole along the part's dim, like base
/// elsewhere.
std::vector<Placement> part_placements(const DTensor& base, const Part& part) {
  std::vector<Placement> placements = base.placements();
  for (Placement& placement : placements) {
    // Each rank uses some of the elements, so their gradients are to be summed.
    if (placement.is_sharded_on(part.dim)) placement = Placement::replicate();
    if (part.selected && placement.is_sharded() && placement.dim > part.dim) --placement.dim;
  }
  return placements;
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

DTensor moved_result(const DTensor& self, DTensor result, std::optional<Part> part) {
  const std::shared_ptr<const MovedView>& behind = DTensorAccess::moved_view(self);
  if (share_storage(self, result)) {
    DTensorAccess::set_moved_view(result, behind);  // a write changes the copy, from which it is written back
  } else {
    DTensorAccess::set_moved_view(result, std::make_shared<MovedView>(MovedView{self, result, part}));
  }
  return result;
}

void check_writable(const MovedView& moved) {
  if (!moved.part) {
    throw Error("in-place write to a view of a tensor with placements " + moved.base.layout()->to_string() +
                ": the view had to be copied from other ranks, so the write would not reach the tensor; " +
                "redistribute the tensor first so that the viewed dims are not sharded, or clone() the view");
  }
  const auto& behind = DTensorAccess::moved_view(moved.base);
  if (behind != nullptr) check_writable(*behind);
}

void write_back(const MovedView& moved) {
  const Part& part = *moved.part;
  const DTensor& base = moved.base;
  at::Tensor source = redistribute(moved.copy, part_placements(base, part)).local();
  if (part.selected) source = source.unsqueeze(part.dim);
  const std::vector<std::vector<Range>> owned =
      owned_ranges(*base.layout(), RankContext::current().mesh().coordinate());
  std::int64_t local_start = 0;
  for (const Range& range : owned[static_cast<std::size_t>(part.dim)]) {
    // Elements first .. last - 1 of the part lie in the range. None is a write too: it ties this rank's graph
    // to the value, so that every rank takes part in the communication of its backward.
    const std::int64_t first = std::clamp<std::int64_t>(
        ceil_div(std::max<std::int64_t>(range.start - part.start, 0), part.step), 0, part.count);
    const std::int64_t end = range.start + range.length - part.start;
    const std::int64_t last =
        std::clamp<std::int64_t>(end <= 0 ? 0 : ceil_div(end, part.step), first, part.count);
    const std::int64_t begin =
        std::max<std::int64_t>(local_start + part.start + first * part.step - range.start, 0);
    const std::int64_t stop = last == first ? begin : begin + (last - first - 1) * part.step + 1;
    base.local().slice(part.dim, begin, stop, part.step).copy_(source.narrow(part.dim, first, last - first));
    local_start += range.length;
  }
  const auto& behind = DTensorAccess::moved_view(base);
  if (behind != nullptr) write_back(*behind);
}

}  // namespace vescale
