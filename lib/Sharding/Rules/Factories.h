#pragma once
/// Ops without tensor inputs: their results are replicated and no rule is needed.
#include <string_view>

namespace vescale::sharding::rules {

bool is_factory(std::string_view name);

}  // namespace vescale::sharding::rules
