#include "Inference/StandIns.h"

#include <algorithm>
#include <utility>

namespace vescale::inference {
namespace {

bool is_prime(std::int64_t number) {
  for (std::int64_t d = 2; d * d <= number; ++d) {
    if (number % d == 0) return false;
  }
  return true;
}

// The nth prime from 11 on.
std::int64_t prime(int n) {
  std::int64_t number = 11;
  while (n > 0) {
    number += 2;
    if (is_prime(number)) --n;
  }
  return number;
}

}  // namespace

std::int64_t StandIns::common_divisor() const {
  std::int64_t product = ranks_;
  for (std::size_t i = 0; i < std::min<std::size_t>(divisors_.size(), 3); ++i)
    product *= 2 * static_cast<std::int64_t>(i) + 1;
  return product;
}

std::int64_t StandIns::of(const std::string& key) {
  const auto known = numbers_.find(key);
  if (known != numbers_.end()) return known->second;
  const auto divisor = divisors_.find(key);
  std::int64_t number = 0;
  if (divisor != divisors_.end()) {
    number = ranks_ * (2 * std::min<std::int64_t>(std::distance(divisors_.begin(), divisor), 2) + 1);
  } else {
    number = common_divisor() * prime(next_++);
  }
  numbers_[key] = number;
  return number;
}

void StandIns::divides(std::int64_t number) {
  for (const auto& [key, own] : numbers_) {
    if (own == number && divisors_.insert(key).second) found_ = true;
  }
}

bool StandIns::restart() {
  numbers_.clear();
  next_ = 0;
  return std::exchange(found_, false);
}

}  // namespace vescale::inference
