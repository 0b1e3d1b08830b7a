#include "random/replay.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cstring>

#include <vescale/rank_context.h>

namespace vescale::rng {
namespace {

/// An engine whose next words are those that are put into `state_`.
at::mt19937_data_pod crafted_engine(int64_t words) {
  at::mt19937_data_pod engine;
  engine.seed_ = 0;
  engine.seeded_ = true;
  engine.next_ = 0;
  engine.left_ = static_cast<int>(words) + 1;
  return engine;
}

}  // namespace

Worker::Worker()
    : generator_(at::detail::createCPUGenerator()),
      impl_(at::check_generator<at::CPUGeneratorImpl>(generator_)) {}

Worker& Worker::of_rank() { return RankContext::current().slot<Worker>(); }

void Worker::load(const at::mt19937_data_pod& engine, std::optional<double> cached_normal) {
  engine_.set_data(engine);
  impl_->set_engine(engine_);
  impl_->set_next_double_normal_sample(cached_normal);
}

Replay::Replay(const Distribution& distribution, DrawRule rule, Unit unit, const at::Tensor& out,
               const at::Tensor& p, Stream& stream)
    : distribution_(distribution),
      rule_(rule),
      unit_(unit),
      capacity_(at::MERSENNE_STATE_N / unit.words),
      out_(out),
      p_(p),
      stream_(stream),
      worker_(Worker::of_rank()),
      scratch_(at::empty({capacity_ * unit.elements}, out.options())),
      words_(crafted_engine(0)) {}

void Replay::add(int64_t start, int64_t len, int64_t local, Origin origin) {
  int64_t at = start - origin.element;
  while (len > 0) {
    const int64_t offset = at % unit_.elements;
    const uint64_t word = origin.word + static_cast<uint64_t>(at / unit_.elements * unit_.words);
    int64_t count = 0;
    if (offset != 0 || len < unit_.elements) {
      count = std::min(unit_.elements - offset, len);
      collect_part(offset, count, local, word);
    } else if (const int64_t units = len / unit_.elements; units >= capacity_) {
      count = units * unit_.elements;
      draw_in_place(units, local, word);
    } else {
      if (collected_ == capacity_) flush();
      const int64_t fitting = std::min(units, capacity_ - collected_);
      count = fitting * unit_.elements;
      collect_units(fitting, local, word);
    }
    at += count;
    local += count;
    len -= count;
  }
}

void Replay::draw_in_place(int64_t units, int64_t local, uint64_t word) {
  stream_.seek(word);
  worker_.load(stream_.engine());
  draw_flat(out_.narrow(0, local, units * unit_.elements), local);
  stream_.resume(worker_.engine(), static_cast<uint64_t>(units * unit_.words));
}

void Replay::collect_units(int64_t units, int64_t local, uint64_t word) {
  stream_.seek(word);
  stream_.take_raw(words_.state_.data() + collected_ * unit_.words, static_cast<size_t>(units * unit_.words));
  push_segment({collected_ * unit_.elements, local, units * unit_.elements});
  collected_ += units;
}

void Replay::collect_part(int64_t offset, int64_t len, int64_t local, uint64_t word) {
  const bool in_scratch = shared_slot_ >= 0 && shared_at_ == word;
  if (!in_scratch) {
    if (collected_ == capacity_) flush();
    fetch_shared(word);
    std::copy_n(shared_words_.data(), unit_.words, words_.state_.data() + collected_ * unit_.words);
    shared_slot_ = collected_++;
  }
  push_segment({shared_slot_ * unit_.elements + offset, local, len});
}

void Replay::fetch_shared(uint64_t word) {
  if (shared_at_ == word) return;
  stream_.seek(word);
  stream_.take_raw(shared_words_.data(), static_cast<size_t>(unit_.words));
  shared_at_ = word;
}

void Replay::push_segment(Segment segment) {
  if (!segments_.empty()) {
    Segment& last = segments_.back();
    if (last.scratch + last.len == segment.scratch && last.local + last.len == segment.local) {
      last.len += segment.len;
      return;
    }
  }
  segments_.push_back(segment);
}

void Replay::flush() {
  if (collected_ == 0) return;
  words_.left_ = static_cast<int>(collected_ * unit_.words) + 1;
  worker_.load(words_);
  draw_flat(scratch_.narrow(0, 0, collected_ * unit_.elements), segments_.front().local);
  const auto item = static_cast<int64_t>(out_.element_size());
  const auto* from = static_cast<const char*>(scratch_.const_data_ptr());
  auto* to = static_cast<char*>(out_.mutable_data_ptr());
  for (const Segment& s : segments_) {
    std::memcpy(to + s.local * item, from + s.scratch * item, static_cast<size_t>(s.len * item));
  }
  segments_.clear();
  collected_ = 0;
  shared_slot_ = -1;
}

void Replay::draw_cached(int64_t local, double cached_normal) {
  worker_.load(words_, cached_normal);
  draw(distribution_, out_.narrow(0, local, 1), p_, worker_.generator());
}

double Replay::second_of_pair(uint64_t word) {
  fetch_shared(word);
  at::mt19937_data_pod engine = crafted_engine(unit_.words);
  std::copy_n(shared_words_.data(), unit_.words, engine.state_.data());
  worker_.load(engine);
  // The kept value is the standard normal one, whatever the op's mean and deviation.
  at::empty({1}, at::kDouble).normal_(0, 1, worker_.generator());
  return worker_.cached_normal().value();
}

void Replay::draw_flat(const at::Tensor& out, int64_t local) {
  const int64_t count = out.numel();
  if (p_.defined()) {
    // Only whole elements are drawn here, so those of `out` are neighbours in the piece too.
    draw(distribution_, out, p_.narrow(0, local, count), worker_.generator());
  } else if (rule_ == DrawRule::pairs && count > 2) {
    // In memory the same elements in the same order, but not contiguous in LibTorch's eyes: it draws them in
    // pairs.
    draw(distribution_, out.as_strided({2, count / 2}, {1, 2}), p_, worker_.generator());
  } else {
    draw(distribution_, out, p_, worker_.generator());
  }
}

}  // namespace vescale::rng
