// Prints docs/ops.md.
#include <cstdio>

#include "ops_page.h"

int main() { std::fputs(vescale::sharding::test::ops_page().c_str(), stdout); }
