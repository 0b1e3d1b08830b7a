#pragma once
/// The ways in which one mesh axis can take part in an op, and what each costs.
#include <optional>
#include <vector>

#include "Sharding/FactorPlacement.h"
#include "Sharding/Rule.h"

namespace vescale::sharding {

/// What resolve() is asked.
struct Problem {
  const MeshShape& mesh;
  const ShardingRule& rule;
  const std::vector<TensorFacts>& inputs;
  const std::vector<Placement>* fixed_output = nullptr;

  InputUse use(std::size_t input) const {
    return input < rule.input_uses.size() ? rule.input_uses[input] : InputUse::Values;
  }
  /// What is not read gets no gradient.
  bool differentiable(std::size_t input) const {
    return inputs[input].differentiable && use(input) == InputUse::Values;
  }

  /// Input 0 is self of an in-place op: it has the output's placements, and keeps them.
  bool self_stays() const {
    return fixed_output && !inputs.empty() && inputs.front().placements == *fixed_output;
  }
};

/// One way: what each input must be on the axis, and what the outputs are.
struct Candidate {
  enum class Kind : unsigned char { Factor, PartialPass, Replicate } kind = Kind::Replicate;
  int factor = -1;  ///< of Factor
  std::vector<Placement> inputs;
  std::vector<Placement> outputs;
  bool assumed = false;  ///< unknown sizes are taken to divide
};

/// Compared member by member, least first.
struct Cost {
  double forward = 0;   ///< elements that a rank receives
  int cut = 0;          ///< inputs that are cut or zeroed locally
  double backward = 0;  ///< elements that a rank receives
};
bool operator<(const Cost& a, const Cost& b);

/// The axes decided so far.
struct Decided {
  AxisFactors axes;
  std::vector<std::vector<Placement>> inputs;   ///< per input, per decided axis
  std::vector<std::vector<Placement>> outputs;  ///< per output, per decided axis
};

/// Before the first axis, and after taking a candidate for the next one.
Decided undecided(const Problem& problem);
void take(Decided& decided, const Candidate& candidate);

/// The valid candidates of the next axis in tie-break order: factors in order, Partial passes, replicated
/// last.
std::vector<Candidate> candidates(const Problem& problem, const Decided& decided);

Cost cost(const Problem& problem, const Decided& decided, const Candidate& candidate);

/// Decides the axes one after another; per axis the candidate taken. Nothing if the fixed output is
/// impossible.
std::optional<std::vector<Candidate>> decide(const Problem& problem);

/// The rule of an op without one: it sees whole values, of one kind along each axis.
ShardingRule rule_without_factors(const std::vector<TensorFacts>& inputs);

}  // namespace vescale::sharding
