// Calls of ops of the table: find the rule, then apply it.
#include "Sharding/Candidates.h"
#include "Sharding/Rule.h"

namespace vescale::sharding {

std::vector<TensorFacts> tensor_inputs(const OpCall& call) {
  std::vector<TensorFacts> result;
  for (const Argument& argument : call.arguments) {
    if (const auto* tensor = std::get_if<TensorFacts>(&argument)) result.push_back(*tensor);
    if (const auto* list = std::get_if<std::vector<std::optional<TensorFacts>>>(&argument)) {
      for (const std::optional<TensorFacts>& tensor : *list) {
        if (tensor) result.push_back(*tensor);
      }
    }
  }
  return result;
}

std::optional<Resolution> resolve(const MeshShape& mesh, const OpCall& call,
                                  const std::vector<Placement>* fixed_output) {
  const std::vector<TensorFacts> inputs = tensor_inputs(call);
  if (const std::optional<ShardingRule> rule = find_rule(call))
    return resolve(mesh, *rule, inputs, fixed_output);
  std::optional<Resolution> result = resolve(mesh, rule_without_factors(inputs), inputs, fixed_output);
  if (result) result->has_rule = false;
  return result;
}

std::string explain(const MeshShape& mesh, const OpCall& call, const std::vector<Placement>* fixed_output) {
  const std::vector<TensorFacts> inputs = tensor_inputs(call);
  if (const auto rule = find_rule(call)) return explain(mesh, *rule, inputs, fixed_output);
  const std::string text = explain(mesh, rule_without_factors(inputs), inputs, fixed_output);
  return text.empty() ? text
                      : std::string(call.name) + " has no sharding rule, so it runs on whole values\n" + text;
}

}  // namespace vescale::sharding
