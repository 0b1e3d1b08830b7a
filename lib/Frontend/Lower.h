#pragma once
/// From clang's AST to facts: functions as trees of statements and expressions that carry tensors, sizes or
/// branches.
#include <clang/AST/ASTContext.h>

#include <map>
#include <set>
#include <string>

#include "Frontend/Facts.h"
#include "Frontend/Locations.h"

namespace vescale::frontend {

/// What outlives one source: functions and classes of headers are the same in all.
struct ProgramBuilder {
  facts::Program program;
  std::map<std::string, facts::FunctionId> functions;  ///< by name, signature and template arguments
};

/// Adds what the source defines under the root. `host`: canonical declarations that stay plain LibTorch.
void lower_translation_unit(clang::ASTContext& context, const Locations& locations,
                            const std::set<const clang::Decl*>& host, ProgramBuilder& builder);

}  // namespace vescale::frontend
