#pragma once
/// Variables and parameters with a placement: their value is redistributed where they get it.
#include <clang/AST/ASTContext.h>

#include "Frontend/Locations.h"
#include "Plan/Plan.h"
#include "Rewrite/EditSet.h"
#include "Rewrite/HostSide.h"
#include "Rewrite/Messages.h"

namespace vescale::rewrite {

/// `plan` wins over annotations.
void place_values(clang::ASTContext& context, const frontend::Locations& locations, const HostSide& host,
                  const plan::Plan& plan, EditSet& edits, Messages& messages);

/// A message at a place in the source, as clang presents it.
Message message_at(const frontend::Locations& locations, clang::SourceLocation location, Message::Level level,
                   std::string id, std::string text);

/// The blanks that the line of `offset` starts with.
std::string indentation(llvm::StringRef text, unsigned offset);

/// "x" quoted as a C++ string.
std::string quoted(const std::string& text);

}  // namespace vescale::rewrite
