#pragma once
/// Reads shapes.txt (make_shapes.py tells its form).
#include <string>
#include <vector>

#include "Sharding/Rule.h"

namespace vescale::sharding::test {

struct ShapeLine {
  std::string text;
  std::string name;
  std::string overload;
  std::vector<Argument> arguments;
  std::vector<std::vector<std::int64_t>> results;

  OpCall call() const { return {name, overload, arguments, {}}; }
};

std::vector<ShapeLine> read_shape_lines(const std::string& path);

}  // namespace vescale::sharding::test
