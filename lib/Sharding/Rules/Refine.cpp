#include "Sharding/Rules/Refine.h"

#include <numeric>

namespace vescale::sharding::rules {
namespace {

/// One dim while its factors are being found: `rest` is what remains in the middle.
struct OpenDim {
  std::int64_t rest;
  DimFactors head;
  DimFactors tail;  // last one first

  DimFactors closed(Builder& builder) const {
    DimFactors dim = head;
    if (rest != 1) dim.push_back(builder.factor(rest, false));
    dim.insert(dim.end(), tail.rbegin(), tail.rend());
    return dim;
  }
};

class Refinement {
 public:
  Refinement(Builder& builder, const Sizes& input, const Sizes& output) : builder_(builder) {
    for (std::int64_t size : input) input_.push_back({size, {}, {}});
    for (std::int64_t size : output) output_.push_back({size, {}, {}});
    input_end_ = input_.size();
    output_end_ = output_.size();
  }

  Refined run() && {
    match_from_front();
    match_from_back();
    match_unknown();
    Refined result;
    for (const OpenDim& dim : input_) result.input.push_back(dim.closed(builder_));
    for (const OpenDim& dim : output_) result.output.push_back(dim.closed(builder_));
    return result;
  }

 private:
  // The open range of dims is [input_begin_, input_end_) and [output_begin_, output_end_).
  bool open() const { return input_begin_ < input_end_ && output_begin_ < output_end_; }

  void match_from_front() {
    while (open()) {
      OpenDim& a = input_[input_begin_];
      OpenDim& b = output_[output_begin_];
      if (a.rest == unknown_size || b.rest == unknown_size || a.rest == 0 || b.rest == 0) return;
      if (a.rest == 1 && b.rest == 1 && a.head.empty() && b.head.empty()) {
        take(a, b, 1, true);  // both of size 1: the same dim
        ++input_begin_;
        ++output_begin_;
        continue;
      }
      const std::int64_t common = std::gcd(a.rest, b.rest);
      if (common == 1 && a.rest != 1 && b.rest != 1) return;
      if (common > 1) take(a, b, common, true);
      const bool refined = a.rest == 1 || b.rest == 1;
      if (a.rest == 1) ++input_begin_;
      if (b.rest == 1) ++output_begin_;
      if (!refined) return;  // what is left of both has no common major factor
    }
  }

  void match_from_back() {
    while (open()) {
      OpenDim& a = input_[input_end_ - 1];
      OpenDim& b = output_[output_end_ - 1];
      if (a.rest == unknown_size || b.rest == unknown_size || a.rest == 0 || b.rest == 0) return;
      const bool whole = a.head.empty() && b.head.empty() && a.tail.empty() && b.tail.empty();
      if (a.rest == 1 && b.rest == 1 && whole) {
        take(a, b, 1, false);
        --input_end_;
        --output_end_;
        continue;
      }
      const std::int64_t common = std::gcd(a.rest, b.rest);
      if (common == 1 && a.rest != 1 && b.rest != 1) return;
      if (common > 1) take(a, b, common, false);
      const bool refined = a.rest == 1 || b.rest == 1;
      if (a.rest == 1) --input_end_;
      if (b.rest == 1) --output_end_;
      if (!refined) return;
    }
  }

  void take(OpenDim& a, OpenDim& b, std::int64_t size, bool major) {
    const int factor = builder_.factor(size);
    (major ? a.head : a.tail).push_back(factor);
    (major ? b.head : b.tail).push_back(factor);
    a.rest /= size;
    b.rest /= size;
  }

  // What remains has an unknown or empty dim at each end: dims of equal number correspond, one dim is all of
  // the other side's.
  void match_unknown() {
    const std::size_t inputs = input_end_ - input_begin_;
    const std::size_t outputs = output_end_ - output_begin_;
    if (!has_unknown() || inputs == 0 || outputs == 0) return;
    if (inputs == outputs) {
      for (std::size_t i = 0; i < inputs; ++i) {
        OpenDim& a = input_[input_begin_ + i];
        OpenDim& b = output_[output_begin_ + i];
        const bool unknown = a.rest == unknown_size || b.rest == unknown_size;
        if (unknown || a.rest == b.rest) share(a, b, a.rest == unknown_size ? b.rest : a.rest);
      }
    } else if (inputs == 1) {
      split(input_[input_begin_], output_, output_begin_, output_end_);
    } else if (outputs == 1) {
      split(output_[output_begin_], input_, input_begin_, input_end_);
    }
  }

  bool has_unknown() const {
    for (std::size_t i = input_begin_; i < input_end_; ++i) {
      if (input_[i].rest == unknown_size || input_[i].rest == 0) return true;
    }
    for (std::size_t i = output_begin_; i < output_end_; ++i) {
      if (output_[i].rest == unknown_size || output_[i].rest == 0) return true;
    }
    return false;
  }

  void share(OpenDim& a, OpenDim& b, std::int64_t size) {
    const int factor = builder_.factor(size);
    a.head.push_back(factor);
    b.head.push_back(factor);
    a.rest = b.rest = 1;
  }

  void split(OpenDim& whole, std::vector<OpenDim>& parts, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (parts[i].rest == 1) continue;
      const int factor = builder_.factor(parts[i].rest);
      whole.head.push_back(factor);
      parts[i].head.push_back(factor);
      parts[i].rest = 1;
    }
    whole.rest = 1;
  }

  Builder& builder_;
  std::vector<OpenDim> input_;
  std::vector<OpenDim> output_;
  std::size_t input_begin_ = 0;
  std::size_t input_end_ = 0;
  std::size_t output_begin_ = 0;
  std::size_t output_end_ = 0;
};

}  // namespace

Refined refine(Builder& builder, const Sizes& input, const Sizes& output) {
  return Refinement(builder, input, output).run();
}

}  // namespace vescale::sharding::rules
