#pragma once
/// All edits of one source and the headers that it includes.
#include <string>
#include <vector>

#include "Frontend/Lower.h"
#include "Frontend/Parse.h"
#include "Plan/Plan.h"
#include "Rewrite/EditSet.h"
#include "Rewrite/Messages.h"
#include "Rewrite/RootModules.h"

namespace vescale::rewrite {

struct TranslationUnit {
  bool compiled = false;
  std::string compiler_output;
  std::vector<std::string> files;       ///< read while parsing
  std::vector<std::string> root_files;  ///< of these, the ones below the root
  plan::Plan plan;                      ///< with the axes of VESCALE_MESH if it names none
  std::vector<RootModule> roots;
};

TranslationUnit rewrite_translation_unit(const frontend::Invocation& invocation, const std::string& root,
                                         const std::string& plan, frontend::ProgramBuilder& program,
                                         EditSet& edits, Messages& messages);

}  // namespace vescale::rewrite
