#include "redistribute/pieces.h"

#include <algorithm>

#include <vescale/error.h>

namespace vescale {
namespace {

std::int64_t total(const std::vector<Range>& ranges) {
  std::int64_t n = 0;
  for (const Range& r : ranges) n += r.length;
  return n;
}

std::vector<Range> intersect(const std::vector<Range>& a, const std::vector<Range>& b) {
  std::vector<Range> common;
  for (const Range& x : a) {
    for (const Range& y : b) {
      const std::int64_t start = std::max(x.start, y.start);
      const std::int64_t end = std::min(x.start + x.length, y.start + y.length);
      if (start < end) common.push_back({start, end - start});
    }
  }
  return common;
}

/// Where the elements of `part` are in a tensor that holds `whole`: runs of local indices.
std::vector<Range> local_runs(const std::vector<Range>& whole, const std::vector<Range>& part) {
  std::vector<Range> runs;
  for (const Range& p : part) {
    if (p.length == 0) continue;
    std::int64_t offset = 0;
    bool found = false;
    for (const Range& w : whole) {
      if (p.start >= w.start && p.start + p.length <= w.start + w.length) {
        const std::int64_t start = offset + p.start - w.start;
        if (!runs.empty() && runs.back().start + runs.back().length == start) {
          runs.back().length += p.length;
        } else {
          runs.push_back({start, p.length});
        }
        found = true;
        break;
      }
      offset += w.length;
    }
    if (!found) throw Error("internal: a piece is not inside the tensor it is cut from");
  }
  return runs;
}

}  // namespace

std::vector<std::int64_t> piece_sizes(const Piece& piece) {
  std::vector<std::int64_t> sizes;
  for (const auto& dim : piece) sizes.push_back(total(dim));
  return sizes;
}

Piece intersect(const Piece& a, const Piece& b) {
  Piece common;
  for (std::size_t d = 0; d < a.size(); ++d) common.push_back(intersect(a[d], b[d]));
  return common;
}

at::Tensor cut(const at::Tensor& x, const Piece& whole, const Piece& part) {
  at::Tensor result = x;
  for (std::size_t d = 0; d < whole.size(); ++d) {
    if (whole[d] == part[d]) continue;
    const auto dim = static_cast<std::int64_t>(d);
    const std::vector<Range> runs = local_runs(whole[d], part[d]);
    if (runs.size() <= 1) {
      result = runs.empty() ? result.narrow(dim, 0, 0) : result.narrow(dim, runs[0].start, runs[0].length);
      continue;
    }
    std::vector<at::Tensor> sections;
    for (const Range& run : runs) sections.push_back(result.narrow(dim, run.start, run.length));
    result = at::cat(sections, dim);
  }
  return result;
}

void paste(const at::Tensor& target, const Piece& whole, const at::Tensor& x, const Piece& part) {
  if (x.numel() == 0) return;
  // Recursion over the first dim with several runs; every other dim is one narrow.
  for (std::size_t d = 0; d < whole.size(); ++d) {
    const std::vector<Range> runs = local_runs(whole[d], part[d]);
    if (runs.size() == 1) continue;
    const auto dim = static_cast<std::int64_t>(d);
    std::int64_t offset = 0;
    for (const Range& range : part[d]) {
      if (range.length == 0) continue;
      Piece section = part;
      section[d] = {range};
      paste(target, whole, x.narrow(dim, offset, range.length), section);
      offset += range.length;
    }
    return;
  }
  at::Tensor place = target;
  for (std::size_t d = 0; d < whole.size(); ++d) {
    const Range run = local_runs(whole[d], part[d]).front();
    place = place.narrow(static_cast<std::int64_t>(d), run.start, run.length);
  }
  place.copy_(x);
}

}  // namespace vescale
