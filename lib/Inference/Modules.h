#pragma once
/// What torch::nn modules and functions of torch::nn::functional compute, as ATen ops: data, no rules.
#include <string>
#include <string_view>
#include <vector>

namespace vescale::inference {

/// A parameter or buffer of a module and its sizes by construction arguments: "1 0" is {second, first}, "1 0
/// 2 2" a square kernel, "*0" the list that is the first, "" sizes that the arguments don't tell.
struct ModuleTensor {
  std::string_view name;
  std::string_view sizes;
  bool buffer = false;
  std::string_view option;  ///< the option that, set to false, leaves it out
};

/// Arguments of the op, in the order of its schema: "x" the module's next input, a tensor's name, "#3" a
/// literal, "0" a construction argument, "*0" the same as a list, "=stride" an option (the schema's default
/// if it is not set), "?" a value that has no say in placements.
struct ModuleOp {
  std::string_view module;     ///< "torch::nn::Linear"
  std::string_view op;         ///< "linear"
  std::string_view arguments;  ///< separated by blanks
  std::vector<ModuleTensor> tensors;
  int rank = 0;  ///< of the input, 0 for any
};

/// Nothing if the module is not in the table.
const ModuleOp* find_module(std::string_view name);

struct FunctionalOp {
  std::string_view function;  ///< "cross_entropy", of torch::nn::functional
  std::string_view op;
  /// In the order of the op's schema: positions of arguments ("0"), options by setter name ("=dim", its only
  /// positional one too), or "?".
  std::string_view arguments;
};
const FunctionalOp* find_functional(std::string_view name);

std::vector<std::string_view> words(std::string_view text);

}  // namespace vescale::inference
