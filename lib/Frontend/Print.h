#pragma once
/// Facts as text, one line a statement, for tests and for looking at what the frontend understood.
#include <string>

#include "Frontend/Facts.h"

namespace vescale::facts {

std::string print(const Program& program);
std::string print(const Program& program, ExprId expr);

}  // namespace vescale::facts
