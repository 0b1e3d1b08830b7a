#include "redistribute/move.h"

#include <numeric>

#include <vescale/mesh.h>
#include <vescale/rank_context.h>

#include "Sharding/Conversion.h"
#include "redistribute/pieces.h"
#include "tensor/layout_table.h"

namespace vescale {
namespace {

using sharding::Movement;

/// One conversion: what this rank and its peers along the axis hold before and after.
class Move {
 public:
  Move(const Layout* from, const Layout* to, std::int64_t axis)
      : from_(from), to_(to), axis_(axis), group_(RankContext::current().mesh().group(axis)) {}

  at::Tensor run(Movement movement, const at::Tensor& x) {
    switch (movement) {
      case Movement::None:
        return x;
      case Movement::Slice:
        return in_order(cut(x, mine(from_), mine(to_)).clone());
      case Movement::KeepFirst:
        return group_.rank() == 0 ? x : at::zeros_like(x);
      case Movement::ZeroPad:
        return zero_pad(x);
      case Movement::AllReduce:
        return all_reduce(x);
      case Movement::AllGather:
        return all_gather(x);
      case Movement::ReduceScatter:
        return reduce_scatter(x);
      case Movement::AllToAll:
        return all_to_all(x);
    }
    throw Error("internal: unknown movement");
  }

 private:
  const Piece& mine(const Layout* layout) const { return rank_layout(layout).ranges; }
  /// What the rank with index `peer` along the axis holds.
  Piece held_by(const Layout* layout, std::int64_t peer) const {
    std::vector<std::int64_t> coordinate = RankContext::current().mesh().coordinate();
    coordinate[static_cast<std::size_t>(axis_)] = peer;
    return owned_ranges(*layout, coordinate);
  }
  std::vector<Piece> held_by_each(const Layout* layout) const {
    std::vector<Piece> pieces;
    for (std::int64_t peer = 0; peer < group_.size(); ++peer) pieces.push_back(held_by(layout, peer));
    return pieces;
  }

  at::Tensor empty_target(const at::Tensor& like) const {
    const std::vector<std::int64_t>& sizes = rank_layout(to_).local_sizes;
    return at::empty_strided(sizes, dense_strides_like(sizes, to_->strides), like.options());
  }
  /// Dense, with dims in the memory order that the global tensor has.
  at::Tensor in_order(const at::Tensor& x) const {
    const std::vector<std::int64_t> strides = dense_strides_like(x.sizes(), to_->strides);
    if (x.strides() == c10::IntArrayRef(strides)) return x;
    return at::empty_strided(x.sizes(), strides, x.options()).copy_(x);
  }

  at::Tensor zero_pad(const at::Tensor& x) const {
    at::Tensor padded = empty_target(x).zero_();
    paste(padded, mine(to_), x, mine(from_));
    return padded;
  }

  at::Tensor all_reduce(const at::Tensor& x) {
    // A dense copy keeps the dims' order, which is the same on all ranks, and reduction is elementwise.
    at::Tensor reduced = in_order(x.clone());
    const at::Tensor flat = at::as_strided(reduced, {reduced.numel()}, {1});
    group_.all_reduce(flat, from_->placements[static_cast<std::size_t>(axis_)].reduce);
    return reduced;
  }

  at::Tensor all_gather(const at::Tensor& x) {
    const std::vector<Piece> pieces = held_by_each(from_);
    std::vector<std::int64_t> counts = counts_of(pieces);
    const at::Tensor gathered = group_.all_gather(x.contiguous().view({-1}), counts);
    return paste_all(gathered, pieces, counts, x);
  }

  at::Tensor reduce_scatter(const at::Tensor& x) {
    const std::vector<Piece> pieces = held_by_each(to_);
    const at::Tensor send = concatenated(x, pieces);
    const at::Tensor received = group_.reduce_scatter(
        send, counts_of(pieces), from_->placements[static_cast<std::size_t>(axis_)].reduce);
    return in_order(received.view(rank_layout(to_).local_sizes));
  }

  at::Tensor all_to_all(const at::Tensor& x) {
    std::vector<Piece> sent, received;
    for (std::int64_t peer = 0; peer < group_.size(); ++peer) {
      sent.push_back(intersect(mine(from_), held_by(to_, peer)));
      received.push_back(intersect(held_by(from_, peer), mine(to_)));
    }
    const std::vector<std::int64_t> receive_counts = counts_of(received);
    const at::Tensor data = group_.all_to_all(concatenated(x, sent), counts_of(sent), receive_counts);
    return paste_all(data, received, receive_counts, x);
  }

  static std::vector<std::int64_t> counts_of(const std::vector<Piece>& pieces) {
    std::vector<std::int64_t> counts;
    for (const Piece& piece : pieces) counts.push_back(c10::multiply_integers(piece_sizes(piece)));
    return counts;
  }
  at::Tensor concatenated(const at::Tensor& x, const std::vector<Piece>& pieces) const {
    std::vector<at::Tensor> flat;
    for (const Piece& piece : pieces) flat.push_back(cut(x, mine(from_), piece).reshape({-1}));
    return at::cat(flat);
  }
  at::Tensor paste_all(const at::Tensor& data, const std::vector<Piece>& pieces,
                       const std::vector<std::int64_t>& counts, const at::Tensor& like) const {
    at::Tensor target = empty_target(like);
    std::int64_t offset = 0;
    for (std::size_t peer = 0; peer < pieces.size(); ++peer) {
      const at::Tensor piece = data.narrow(0, offset, counts[peer]).view(piece_sizes(pieces[peer]));
      paste(target, mine(to_), piece, pieces[peer]);
      offset += counts[peer];
    }
    return target;
  }

  const Layout* from_;
  const Layout* to_;
  std::int64_t axis_;
  Group& group_;
};

}  // namespace

at::Tensor move_along_axis(const at::Tensor& x, const Layout* from, const Layout* to, std::int64_t axis) {
  const auto a = static_cast<std::size_t>(axis);
  const Movement movement = sharding::conversion(from->placements[a], to->placements[a]).forward;
  return Move(from, to, axis).run(movement, x);
}

}  // namespace vescale
