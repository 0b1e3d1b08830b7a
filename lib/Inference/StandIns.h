#pragma once
/// Numbers that stand for integers which come at run time.
///
/// Shapes are computed with numbers, so that `x.view({x.size(0), heads, x.size(1) / heads})` has the sizes it
/// must have. Each unknown integer gets one number of its own. What is divided by is small and divides all
/// the others, and the number of ranks divides every one: sizes are taken to divide.
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace vescale::inference {

class StandIns {
 public:
  /// `ranks`: of the mesh, each number is a multiple of it.
  explicit StandIns(std::int64_t ranks) : ranks_(ranks) {}

  /// The number for what `key` names.
  std::int64_t of(const std::string& key);
  /// `number` divides another: if it stands for something, restart() gives it a divisor's number.
  void divides(std::int64_t number);
  /// Forgets the numbers but not which are divisors. True if a new divisor was found since the last time.
  bool restart();

 private:
  std::int64_t common_divisor() const;

  std::int64_t ranks_;
  std::map<std::string, std::int64_t> numbers_;
  std::set<std::string> divisors_;
  bool found_ = false;
  int next_ = 0;
};

}  // namespace vescale::inference
