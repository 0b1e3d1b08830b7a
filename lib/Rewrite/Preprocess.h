#pragma once
/// Edits that only the preprocessor can find: includes, annotation macros, LibTorch's macros.
#include <clang/Lex/Preprocessor.h>

#include <string>
#include <vector>

#include "Frontend/Locations.h"
#include "Rewrite/EditSet.h"
#include "Rewrite/Messages.h"

namespace vescale::rewrite {

/// What the preprocessor saw, valid when parsing has ended.
struct PreprocessorFindings {
  EditSet edits;
  std::vector<std::string> axes;             ///< of VESCALE_MESH
  std::vector<std::string> files;            ///< real paths under the root that were read
  std::vector<std::string> all_files;        ///< every file that was read, for dependency files
  std::vector<Message> messages;             ///< annotations that the output does not carry out
  std::vector<clang::SourceLocation> rules;  ///< each VESCALE_RULE
};

/// Watches `preprocessor`; `locations` and `findings` live longer than it.
void watch_preprocessor(clang::Preprocessor& preprocessor, const frontend::Locations& locations,
                        PreprocessorFindings& findings);

}  // namespace vescale::rewrite
