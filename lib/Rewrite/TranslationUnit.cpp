#include "Rewrite/TranslationUnit.h"

#include <memory>

#include "Frontend/Classes.h"
#include "Frontend/Locations.h"
#include "Frontend/TorchTypes.h"
#include "Rewrite/HostSide.h"
#include "Rewrite/LocalCalls.h"
#include "Rewrite/MainFunction.h"
#include "Rewrite/PlacedValues.h"
#include "Rewrite/Preprocess.h"
#include "Rewrite/Rename.h"
#include "Rewrite/RootModules.h"
#include "Rewrite/Rules.h"

namespace vescale::rewrite {
namespace {

using frontend::Locations;

// Without a plan file, or with a wrong one, the axes of VESCALE_MESH alone.
plan::Plan read_plan(const std::string& path, const std::vector<std::string>& axes, Messages& messages) {
  plan::Plan result;
  if (!path.empty()) {
    try {
      result = plan::read_plan(path, axes);
    } catch (const std::exception& problem) {
      messages.add({"", 0, 0, Message::Level::Error, "VS1030", problem.what()});
    }
  }
  if (result.axes.empty()) result.axes = axes;
  return result;
}

void add_all(const EditSet& from, EditSet& to) {
  for (const std::string& path : from.paths()) {
    for (const Edit& edit : from.of(path)) to.add(path, edit);
  }
}

}  // namespace

TranslationUnit rewrite_translation_unit(const frontend::Invocation& invocation, const std::string& root,
                                         const std::string& plan, frontend::ProgramBuilder& program,
                                         EditSet& edits, Messages& messages) {
  TranslationUnit unit;
  std::unique_ptr<Locations> locations;
  PreprocessorFindings findings;
  frontend::Consumer consumer;
  consumer.begin = [&](clang::Preprocessor& preprocessor) {
    locations =
        std::make_unique<Locations>(preprocessor.getSourceManager(), preprocessor.getLangOpts(), root);
    watch_preprocessor(preprocessor, *locations, findings);
  };
  consumer.parsed = [&](clang::ASTContext& context) {
    add_all(findings.edits, edits);
    for (const Message& message : findings.messages) messages.add(message);
    unit.plan = read_plan(plan, findings.axes, messages);
    const Rules rules = find_rules(context, *locations, unit.plan, findings.rules, messages);
    const HostSide host = find_host_side(context, *locations, rules);
    for (const clang::FunctionDecl* function : host.contested) {
      messages.add(
          message_at(*locations, function->getLocation(), Message::Level::Error, "VS1002",
                     "'" + frontend::qualified_name(*function) +
                         "' is called by host code and by code that is distributed; make one function for "
                         "each, or mark it VESCALE_HOST"));
    }
    rename_torch(context, *locations, host, edits);
    write_local_calls(context, *locations, host, rules, edits, messages);
    place_values(context, *locations, host, unit.plan, edits, messages);
    frontend::lower_translation_unit(context, *locations, host.declarations, program);
    unit.roots = find_root_modules(context, *locations, host);
    rewrite_main(context, *locations, unit.plan.axes, edits);
  };
  const frontend::ParseResult parsed = frontend::parse(invocation, consumer);
  unit.compiled = parsed.compiled;
  unit.compiler_output = parsed.diagnostics;
  unit.files = findings.all_files;
  unit.root_files = findings.files;
  return unit;
}

}  // namespace vescale::rewrite
