#pragma once
/// Local variables that construct a whole model: where distribute_module is called.
#include <clang/AST/ASTContext.h>

#include <string>
#include <vector>

#include "Frontend/Locations.h"
#include "Rewrite/HostSide.h"

namespace vescale::rewrite {

struct RootModule {
  std::string variable;
  frontend::Span name;     ///< of the variable where it is declared
  std::string class_name;  ///< "MlpImpl"
  bool pointer = false;    ///< a holder or smart pointer: passed as *model
  unsigned end = 0;        ///< behind the declaration's semicolon
  std::string indentation;
};

/// Constructed with a value and not registered in or put into another module.
std::vector<RootModule> find_root_modules(clang::ASTContext& context, const frontend::Locations& locations,
                                          const HostSide& host);

}  // namespace vescale::rewrite
