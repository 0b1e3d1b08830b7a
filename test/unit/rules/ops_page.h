#pragma once
/// docs/ops.md, made from the table of rules.
#include <string>

namespace vescale::sharding::test {

std::string ops_page();

}  // namespace vescale::sharding::test
