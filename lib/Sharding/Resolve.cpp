#include <vescale/error.h>

#include "Sharding/Candidates.h"
#include "Sharding/Interleave.h"
#include "Sharding/Rule.h"

namespace vescale::sharding {
namespace {

void check_inputs(const MeshShape& mesh, const std::vector<TensorFacts>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::size_t placements = inputs[i].placements.size();
    if (placements == mesh.sizes.size()) continue;
    throw Error("input " + std::to_string(i) + " has " + std::to_string(placements) +
                " placements, but the mesh has " + std::to_string(mesh.sizes.size()) + " axes");
  }
}

void check_rule(const ShardingRule& rule, const std::vector<TensorFacts>& inputs) {
  if (rule.inputs.size() != inputs.size()) {
    throw Error("the sharding rule speaks of " + std::to_string(rule.inputs.size()) +
                " tensors, the call has " + std::to_string(inputs.size()));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (rule.inputs[i].dims.size() == inputs[i].sizes.size()) continue;
    throw Error("the sharding rule gives input " + std::to_string(i) + " " +
                std::to_string(rule.inputs[i].dims.size()) + " dims, but it has " +
                std::to_string(inputs[i].sizes.size()));
  }
}

}  // namespace

ShardingRule rule_without_factors(const std::vector<TensorFacts>& inputs) {
  ShardingRule rule;
  for (const TensorFacts& input : inputs) {
    TensorFactors tensor;
    tensor.dims.resize(input.sizes.size());
    rule.inputs.push_back(std::move(tensor));
  }
  rule.outputs.emplace_back();
  return rule;
}

std::optional<Resolution> resolve(const MeshShape& mesh, const ShardingRule& given,
                                  const std::vector<TensorFacts>& inputs,
                                  const std::vector<Placement>* fixed_output) {
  check_inputs(mesh, inputs);
  check_rule(given, inputs);
  const ShardingRule rule = with_sections(given, inputs);
  const auto taken = decide({mesh, rule, inputs, fixed_output});
  if (!taken) return std::nullopt;
  Resolution result;
  result.inputs.resize(inputs.size());
  result.outputs.resize(rule.outputs.size());
  for (const Candidate& choice : *taken) {
    for (std::size_t i = 0; i < choice.inputs.size(); ++i) result.inputs[i].push_back(choice.inputs[i]);
    for (std::size_t o = 0; o < choice.outputs.size(); ++o) result.outputs[o].push_back(choice.outputs[o]);
    result.size_dependent |= choice.assumed;
  }
  result.output_sizes = rule.output_sizes;
  result.local_arguments = rule.local_arguments;
  return result;
}

}  // namespace vescale::sharding
