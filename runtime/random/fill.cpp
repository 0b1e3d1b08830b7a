#include "random/fill.h"

#include <ATen/Functions.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/util/Exception.h>

#include <cmath>
#include <mutex>
#include <string>

#include <vescale/error.h>
#include <vescale/random/generator.h>

#include "random/replay.h"
#include "random/stream.h"

namespace vescale::rng {
namespace {

constexpr int64_t normal_block = 16;
constexpr int64_t words_per_pair = 4;

class SilentWarnings final : public c10::WarningHandler {
 public:
  void process(const c10::Warning&) override {}
};

void check_arguments(const at::Tensor& local, const GlobalShape& global, const Piece& piece) {
  if (!local.device().is_cpu() || local.layout() != at::kStrided) {
    throw Error("random fill: the local tensor must be a strided CPU tensor, but is on " +
                local.device().str());
  }
  if (local.dim() != global.dim() || piece.size() != global.sizes.size()) {
    throw Error("random fill: the local tensor has " + std::to_string(local.dim()) + " dims, its piece " +
                std::to_string(piece.size()) + ", the logical tensor " + std::to_string(global.dim()));
  }
  for (int64_t d = 0; d < local.dim(); ++d) {
    const auto dim = static_cast<size_t>(d);
    if (local.size(d) != length(piece[dim])) {
      throw Error("random fill: dim " + std::to_string(d) + " of the local tensor has size " +
                  std::to_string(local.size(d)) + ", its piece " + std::to_string(length(piece[dim])));
    }
    if (global.sizes[dim] > 1 && global.strides[dim] == 0) {
      throw Error("random fill: the tensor is expanded along dim " + std::to_string(d) +
                  ", so that elements share memory; clone() it first");
    }
  }
}

/// Draws one element as LibTorch does, so that it refuses (or warns of) the arguments it refuses; gives the
/// words that the element took.
int64_t words_per_element(const Distribution& distribution, const at::TensorOptions& options,
                          const at::Tensor& p) {
  Worker& worker = Worker::of_rank();
  static const at::mt19937_data_pod fresh = at::mt19937(0).data();
  worker.load(fresh);
  draw(distribution, at::empty({1}, options), p.defined() ? at::zeros({1}, p.options()) : p,
       worker.generator());
  return worker.engine().next_;
}

/// The local tensor as a flat one in the global memory order; what is drawn into a copy must be copied back.
struct FlatLocal {
  at::Tensor ordered;  // the local tensor, slowest dim first
  at::Tensor flat;
  bool is_copy;

  FlatLocal(const at::Tensor& local, const std::vector<int64_t>& order)
      : ordered(local.permute(order)), is_copy(!ordered.is_contiguous()) {
    flat = is_copy ? at::empty({local.numel()}, local.options()) : ordered.view({-1});
  }

  void write_back() const {
    if (is_copy) ordered.copy_(flat.view(ordered.sizes()));
  }
};

struct Job {
  const Distribution& distribution;
  const GlobalShape& global;
  const Piece& piece;
  const at::Tensor& flat;  // the local piece
  const at::Tensor& p;
  int64_t word_count;  // words per element, where each has its own
  int64_t numel;       // of the logical tensor
};

void fill_independent(const Job& job, Stream& stream) {
  Replay replay(job.distribution, DrawRule::independent, {1, job.word_count}, job.flat, job.p, stream);
  Runs(job.global, job.piece).for_each([&](const Run& run) {
    replay.add(run.start, run.len, run.local, {});
  });
  replay.flush();
  stream.seek(static_cast<uint64_t>(job.numel * job.word_count));
}

void fill_blocks(const Job& job, Stream& stream) {
  const int64_t words = job.flat.scalar_type() == at::kDouble ? 2 : 1;
  const bool has_tail = job.numel % normal_block != 0;
  const int64_t tail =
      has_tail ? job.numel - normal_block : job.numel;  // first element that the tail overwrites
  const Origin tail_origin{tail, static_cast<uint64_t>(job.numel * words)};
  Replay replay(job.distribution, DrawRule::blocks, {normal_block, normal_block * words}, job.flat, job.p,
                stream);
  Runs(job.global, job.piece).for_each([&](const Run& run) {
    const int64_t before_tail = std::clamp<int64_t>(tail - run.start, 0, run.len);
    replay.add(run.start, before_tail, run.local, {});
    replay.add(run.start + before_tail, run.len - before_tail, run.local + before_tail, tail_origin);
  });
  replay.flush();
  stream.seek(static_cast<uint64_t>((job.numel + (has_tail ? normal_block : 0)) * words));
}

void fill_pairs(const Job& job, Stream& stream, std::optional<double>& cached) {
  const std::optional<double> kept = cached;
  const int64_t from_kept = kept.has_value() ? 1 : 0;  // elements that need no words
  const int64_t drawn = job.numel - from_kept;
  Replay replay(job.distribution, DrawRule::pairs, {2, words_per_pair}, job.flat, job.p, stream);
  Runs(job.global, job.piece).for_each([&](const Run& run) {
    const int64_t first = run.start == 0 ? from_kept : 0;
    if (first == 1) replay.draw_cached(run.local, *kept);
    replay.add(run.start + first, run.len - first, run.local + first, {from_kept, 0});
  });
  replay.flush();
  cached.reset();
  // Every rank computes what is left over, as it belongs to the generator's state.
  if (drawn % 2 == 1) cached = replay.second_of_pair(static_cast<uint64_t>(drawn / 2 * words_per_pair));
  stream.seek(static_cast<uint64_t>((drawn + 1) / 2 * words_per_pair));
}

void fill_from(const Job& job, at::CPUGeneratorImpl& generator) {
  const std::lock_guard<std::mutex> lock(generator.mutex_);
  Stream stream(generator);
  std::optional<double> cached = generator.next_double_normal_sample();
  switch (draw_rule(job.distribution, job.numel, job.global.is_contiguous())) {
    case DrawRule::independent:
      fill_independent(job, stream);
      break;
    case DrawRule::blocks:
      fill_blocks(job, stream);
      break;
    case DrawRule::pairs:
      fill_pairs(job, stream, cached);
      break;
  }
  at::mt19937 engine = generator.engine();
  engine.set_data(stream.engine());
  generator.set_engine(engine);
  generator.set_next_double_normal_sample(cached);
}

/// The probabilities of the piece's elements; undefined but for BernoulliTensor.
at::Tensor probabilities(const Distribution& distribution) {
  const auto* with_p = std::get_if<BernoulliTensor>(&distribution);
  return with_p != nullptr ? with_p->p : at::Tensor();
}

void fill_piece(const at::Tensor& local, const Distribution& distribution, const GlobalShape& global,
                const Piece& piece, const std::optional<at::Generator>& generator);

/// A complex tensor is drawn as the real one of its parts. Gives false if `local` or the distribution is not
/// such.
bool fill_complex(const at::Tensor& local, const Distribution& distribution, const GlobalShape& global,
                  const Piece& piece, const std::optional<at::Generator>& generator) {
  const auto* normal = std::get_if<Normal>(&distribution);
  if (!local.is_complex() || (normal == nullptr && !std::holds_alternative<Uniform>(distribution)))
    return false;
  GlobalShape parts = global;
  for (int64_t& stride : parts.strides) stride *= 2;
  parts.sizes.push_back(2);
  parts.strides.push_back(1);
  Piece parts_piece = piece;
  parts_piece.push_back({{0, 2}});
  // The parts have half the variance each.
  const Distribution of_part =
      normal ? Distribution(Normal{normal->mean, normal->std / std::sqrt(2)}) : distribution;
  fill_piece(at::view_as_real(local), of_part, parts, parts_piece, generator);
  return true;
}

/// Whether the rank holds the logical tensor itself, in its own memory order.
bool is_whole(const at::Tensor& local, const GlobalShape& global) {
  return local.sizes() == c10::IntArrayRef(global.sizes) &&
         local.strides() == c10::IntArrayRef(global.strides);
}

void fill_piece(const at::Tensor& local, const Distribution& distribution, const GlobalShape& global,
                const Piece& piece, const std::optional<at::Generator>& generator) {
  if (fill_complex(local, distribution, global, piece, generator)) return;
  auto* source = at::check_generator<at::CPUGeneratorImpl>(generator_for(generator));
  const std::vector<int64_t> order = global.memory_order();
  at::Tensor p = probabilities(distribution);
  if (global.numel() == 0) {
    draw(distribution, local, p, Worker::of_rank().generator());
    return;
  }
  const int64_t words = words_per_element(distribution, local.options(), p);
  if (p.defined()) p = p.expand(local.sizes()).permute(order).reshape({-1});

  SilentWarnings silent;
  const c10::WarningUtils::WarningHandlerGuard warned_already(&silent);
  const FlatLocal target(local, order);
  fill_from({distribution, global, piece, target.flat, p, words, global.numel()}, *source);
  target.write_back();
}

}  // namespace

void fill(const at::Tensor& local, const Distribution& distribution, const GlobalShape& global,
          const Piece& piece, const std::optional<at::Generator>& generator) {
  check_arguments(local, global, piece);
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  if (is_whole(local, global)) {
    draw(distribution, local, probabilities(distribution), generator_for(generator));
  } else {
    fill_piece(local, distribution, global, piece, generator);
  }
  if (!local.is_inference()) local.unsafeGetTensorImpl()->bump_version();
}

void advance(at::ScalarType dtype, const Distribution& distribution, const GlobalShape& global,
             const std::optional<at::Generator>& generator) {
  if (global.numel() == 0) return;
  // The piece with no element; a tensor of no dim has one whatever the piece.
  const std::vector<int64_t> nothing(global.sizes.size(), 0);
  Distribution of_nothing = distribution;
  if (auto* with_p = std::get_if<BernoulliTensor>(&of_nothing))
    with_p->p = at::zeros(nothing, with_p->p.options());
  fill(at::empty(nothing, dtype), of_nothing, global, Piece(global.sizes.size()), generator);
}

}  // namespace vescale::rng
