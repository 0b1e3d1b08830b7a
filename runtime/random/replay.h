#pragma once
/// Values by LibTorch's own kernels, from words that we put in front of them.

#include <ATen/CPUGeneratorImpl.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "random/distribution.h"
#include "random/stream.h"

namespace vescale::rng {

/// A private generator whose engine is set before each use.
class Worker {
 public:
  Worker();

  /// The calling rank's worker. Creating one costs a microsecond; what it holds between uses means nothing.
  static Worker& of_rank();

  /// Makes `engine` what `generator()` draws from next, with `cached_normal` as its kept normal value.
  void load(const at::mt19937_data_pod& engine, std::optional<double> cached_normal = std::nullopt);

  const at::Generator& generator() const { return generator_; }
  at::mt19937_data_pod engine() const { return impl_->engine().data(); }
  std::optional<double> cached_normal() const { return impl_->next_double_normal_sample(); }

 private:
  at::Generator generator_;
  at::CPUGeneratorImpl* impl_;
  at::mt19937 engine_;
};

/// Elements that are drawn together, and the words they take.
struct Unit {
  int64_t elements = 1;
  int64_t words = 1;
};

/// Where a sequence of units begins: its first element, and that element's word in the stream.
struct Origin {
  int64_t element = 0;
  uint64_t word = 0;
};

/// Fills runs of elements of the global order, given in ascending order, into a flat local tensor.
///
/// A long run is drawn in place from the stream itself. Short ones are collected: the words of just their
/// units become a crafted engine state, from which one call of the op draws them all.
class Replay {
 public:
  /// `out` is the flat contiguous local piece, `p` its flat probabilities (BernoulliTensor only).
  Replay(const Distribution& distribution, DrawRule rule, Unit unit, const at::Tensor& out,
         const at::Tensor& p, Stream& stream);

  /// Draws elements [start, start + len) to local elements [local, local + len).
  void add(int64_t start, int64_t len, int64_t local, Origin origin);

  /// Draws what is collected.
  void flush();

  /// Draws local element `local` from a kept normal value, without words.
  void draw_cached(int64_t local, double cached_normal);

  /// The second normal value of the pair at `word`.
  double second_of_pair(uint64_t word);

 private:
  struct Segment {
    int64_t scratch, local, len;
  };

  void draw_in_place(int64_t units, int64_t local, uint64_t word);
  void collect_units(int64_t units, int64_t local, uint64_t word);
  void collect_part(int64_t offset, int64_t len, int64_t local, uint64_t word);
  void fetch_shared(uint64_t word);
  void push_segment(Segment segment);
  void draw_flat(const at::Tensor& out, int64_t local);

  const Distribution& distribution_;
  const DrawRule rule_;
  const Unit unit_;
  const int64_t capacity_;  // units that one crafted state has words for
  const at::Tensor& out_;
  const at::Tensor& p_;
  Stream& stream_;
  Worker& worker_;
  at::Tensor scratch_;
  at::mt19937_data_pod words_;  // the words of the collected units
  int64_t collected_ = 0;
  std::vector<Segment> segments_;
  // The last unit of which only a part was asked for: the next run may ask for another part of it.
  std::array<uint32_t, 32> shared_words_{};
  std::optional<uint64_t> shared_at_;
  int64_t shared_slot_ = -1;
};

}  // namespace vescale::rng
