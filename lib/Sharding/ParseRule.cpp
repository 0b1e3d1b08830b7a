#include <vescale/error.h>

#include "Sharding/Notation.h"

namespace vescale::sharding {
namespace {

// Tensors without the argument structure of a call: an operand in [] takes as many as the others leave it.
std::vector<Argument> as_arguments(const Notation& notation, const std::vector<TensorFacts>& inputs) {
  const std::vector<Notation::Tensor>& operands = notation.operands();
  std::size_t lists = 0;
  for (const Notation::Tensor& operand : operands) lists += operand.list;
  if (lists > 1)
    throw Error("sharding rule \"" + notation.text() + "\": only one operand may be a list here");
  const std::size_t singles = operands.size() - lists;
  const std::size_t in_list = inputs.size() > singles ? inputs.size() - singles : 0;
  std::vector<Argument> arguments;
  std::size_t next = 0;
  for (const Notation::Tensor& operand : operands) {
    if (operand.list) {
      std::vector<std::optional<TensorFacts>> list(inputs.begin() + next, inputs.begin() + next + in_list);
      next += in_list;
      arguments.emplace_back(std::move(list));
    } else if (next < inputs.size()) {
      arguments.emplace_back(inputs[next++]);
    }
  }
  for (; next < inputs.size(); ++next) arguments.emplace_back(inputs[next]);
  return arguments;
}

}  // namespace

ShardingRule parse_rule(std::string_view notation, const std::vector<TensorFacts>& inputs) {
  const Notation compiled = Notation::compile(notation);
  return compiled.apply(as_arguments(compiled, inputs));
}

}  // namespace vescale::sharding
