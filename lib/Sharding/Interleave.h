#pragma once
/// Factors for interleaved inputs: S(d,k) shards dim d within k sections, so its leading factor must show
/// them.
#include <vector>

#include "Sharding/Rule.h"

namespace vescale::sharding {

/// `rule` with each factor that leads a dim which an input holds as S(d,k), and that no prefix of factors of
/// size k precedes, split into k and the rest, wherever it occurs. A result that keeps the factor whole is
/// then S(d,k) too.
ShardingRule with_sections(ShardingRule rule, const std::vector<TensorFacts>& inputs);

}  // namespace vescale::sharding
