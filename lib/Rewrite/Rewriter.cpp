#include "Rewrite/Rewriter.h"

#include <clang/Tooling/CompilationDatabase.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/xxhash.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "Comm/Decide.h"
#include "Frontend/Parse.h"
#include "Frontend/Print.h"
#include "Rewrite/ApplyDecisions.h"
#include "Rewrite/Distribute.h"
#include "Rewrite/EditSet.h"
#include "Rewrite/HostAccess.h"
#include "Rewrite/ModuleTables.h"
#include "Rewrite/TranslationUnit.h"

namespace vescale::rewrite {
namespace {

std::string real_path(const std::string& path) {
  llvm::SmallString<256> result;
  return llvm::sys::fs::real_path(path, result) ? path : std::string(result);
}

std::string read(const std::string& path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

std::string digest(llvm::StringRef text) {
  std::string hex = llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true);
  return std::string(16 - hex.size(), '0') + hex;
}

std::string banner(const std::string& path, const std::string& source, const std::string& plan) {
  std::string line = banner_start + std::string(tool_version) + " from " +
                     llvm::sys::path::filename(path).str() + " (" + digest(source);
  if (!plan.empty()) line += ", plan " + digest(plan);
  return line + "). Edit that file instead.\n";
}

void problem(Outcome& outcome, Message::Level level, const char* id, std::string text) {
  outcome.messages.add({"", 0, 0, level, id, std::move(text)});
}

// The flags of a source: of the compilation database, or those given.
frontend::Invocation invocation_of(const std::string& source, const Request& request,
                                   const clang::tooling::CompilationDatabase* database, Outcome& outcome) {
  frontend::Invocation result{source, ".", request.flags};
  llvm::SmallString<256> here;
  llvm::sys::fs::current_path(here);
  result.directory = std::string(here);
  if (database) {
    const auto commands = database->getCompileCommands(source);
    if (commands.empty()) {
      problem(outcome, Message::Level::Warning, "VS1010",
              source + " is not in compile_commands.json; parsed without flags");
    } else {
      result.directory = commands.front().Directory;
      const auto& line = commands.front().CommandLine;
      result.flags.clear();
      for (std::size_t i = 1; i < line.size(); ++i) {
        if (line[i] != commands.front().Filename && line[i] != "--") result.flags.push_back(line[i]);
      }
    }
  }
  std::vector<std::string> notes;
  result.flags = frontend::usable_flags(result.flags, request.dropped_flags, notes);
  for (const std::string& note : notes) problem(outcome, Message::Level::Note, "", note);
  return result;
}

void report_conflict(const EditConflict& conflict, Outcome& outcome) {
  const std::string text = read(conflict.path);
  const std::string before = text.substr(0, conflict.second.offset);
  const auto line = static_cast<unsigned>(std::count(before.begin(), before.end(), '\n')) + 1;
  const auto column = static_cast<unsigned>(before.size() - (before.rfind('\n') + 1)) + 1;
  outcome.messages.add({conflict.path, line, column, Message::Level::Error, "VS1003",
                        "two edits of the same text disagree: '" + conflict.first.text + "' and '" +
                            conflict.second.text + "'"});
}

void apply_edits(const EditSet& edits, std::set<std::string> paths, const Request& request,
                 Outcome& outcome) {
  if (const auto conflict = edits.conflict()) return report_conflict(*conflict, outcome);
  paths.insert(outcome.sources.begin(), outcome.sources.end());
  const std::string plan = request.plan.empty() ? std::string() : read(request.plan);
  for (const std::string& path : paths) {
    RewrittenFile file{path, read(path), {}};
    file.text = edits.of(path).empty() ? file.original
                                       : banner(path, file.original, plan) + edits.apply(path, file.original);
    outcome.files.push_back(std::move(file));
  }
}

bool is_collective(sharding::Movement movement) {
  return movement == sharding::Movement::AllReduce || movement == sharding::Movement::AllGather ||
         movement == sharding::Movement::ReduceScatter || movement == sharding::Movement::AllToAll;
}

void report_communication(const comm::Decisions& decisions, const facts::Program& program, Outcome& outcome) {
  for (const comm::InsertedConversion& c : decisions.conversions) {
    const std::string& path = program.files[static_cast<std::size_t>(c.range.file)].path;
    for (const bool backward : {false, true}) {
      const sharding::Movement movement = backward ? c.movement.backward : c.movement.forward;
      if (!is_collective(movement)) continue;
      outcome.communication.push_back({path, c.range.line, std::string(sharding::to_string(movement)), c.axis,
                                       backward, backward ? c.bytes_backward : c.bytes_forward, c.reason});
    }
  }
  std::stable_sort(outcome.communication.begin(), outcome.communication.end(),
                   [](const Communication& a, const Communication& b) {
                     return std::tie(a.path, a.line) < std::tie(b.path, b.line);
                   });
}

// Whether every axis of --mesh is one of the program's.
bool knows_axes(const MeshShape& mesh, const std::vector<std::string>& axes, Outcome& outcome) {
  std::string known;
  for (const std::string& axis : axes) known += (known.empty() ? "" : ", ") + axis;
  bool all = true;
  for (const std::string& axis : mesh.names) {
    if (std::find(axes.begin(), axes.end(), axis) != axes.end()) continue;
    all = false;
    problem(outcome, Message::Level::Error, "VS1031",
            "--mesh: the program has no axis '" + axis + "'" +
                (known.empty() ? "; it names none: VESCALE_MESH(...) or \"mesh\" in the plan"
                               : "; its axes are " + known));
  }
  return all;
}

// What the program needs to communicate, written where it is known.
void write_communication(const facts::Program& program, const plan::Plan& plan, const Request& request,
                         EditSet& edits, Outcome& outcome) {
  comm::Options options;
  if (!request.mesh.empty()) options.mesh = MeshShape::parse(request.mesh);
  if (!knows_axes(options.mesh, plan.axes, outcome)) return;
  options.strict = request.strict;
  std::map<std::string, std::string> texts;
  const auto text_of = [&](const std::string& path) -> const std::string& {
    const auto [entry, is_new] = texts.try_emplace(path);
    if (is_new) entry->second = read(path);
    return entry->second;
  };
  comm::Decisions decisions = comm::decide(program, plan, options);
  // The sections of a flattened dim are a product of sizes that come at run time; libvescale converts then.
  std::erase_if(decisions.conversions, [](const comm::InsertedConversion& conversion) {
    return conversion.to.kind == Placement::Kind::Interleaved;
  });
  report_communication(decisions, program, outcome);
  apply_decisions(decisions, program, text_of, edits, outcome.messages);
}

bool is_output(const std::string& path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer && (*buffer)->getBuffer().starts_with(banner_start);
}

}  // namespace

Outcome rewrite(const Request& request) {
  Outcome outcome;
  for (const std::string& source : request.sources) {
    const std::string path = real_path(source);
    if (std::find(outcome.sources.begin(), outcome.sources.end(), path) == outcome.sources.end())
      outcome.sources.push_back(path);
  }
  outcome.root = real_path(request.root.empty() ? llvm::sys::path::parent_path(outcome.sources.front()).str()
                                                : request.root);
  std::unique_ptr<clang::tooling::CompilationDatabase> database;
  if (!request.build_directory.empty()) {
    std::string error;
    database = clang::tooling::CompilationDatabase::loadFromDirectory(request.build_directory, error);
    if (!database) {
      problem(outcome, Message::Level::Error, "VS1011", error);
      outcome.status = Outcome::Status::Incomplete;
      return outcome;
    }
  }
  EditSet edits;
  frontend::ProgramBuilder program;
  std::vector<std::pair<RootModule, plan::Plan>> roots;
  std::set<std::string> dependencies, root_files;
  plan::Plan plan;
  for (const std::string& source : outcome.sources) {
    // What the tool wrote is not rewritten again.
    if (is_output(source)) continue;
    const auto invocation = invocation_of(source, request, database.get(), outcome);
    TranslationUnit unit =
        rewrite_translation_unit(invocation, outcome.root, request.plan, program, edits, outcome.messages);
    outcome.compiler_output += unit.compiler_output;
    for (const RootModule& root : unit.roots) roots.emplace_back(root, unit.plan);
    if (plan.axes.empty()) plan = unit.plan;
    if (!unit.compiled) outcome.status = Outcome::Status::NotCompiled;
    dependencies.insert(unit.files.begin(), unit.files.end());
    root_files.insert(unit.root_files.begin(), unit.root_files.end());
  }
  if (request.print_facts) outcome.facts = facts::print(program.program);
  outcome.dependencies.assign(dependencies.begin(), dependencies.end());
  if (outcome.status == Outcome::Status::NotCompiled) return outcome;
  report_host_access(program.program, outcome.messages);
  for (const auto& [root, its_plan] : roots) {
    emit_distribute_module(root, parameter_table(program.program.classes, root.class_name, its_plan), edits);
  }
  // What is wrong in a text would be found a second time.
  if (outcome.messages.count(Message::Level::Error) == 0) {
    write_communication(program.program, plan, request, edits, outcome);
  }
  apply_edits(edits, std::move(root_files), request, outcome);
  if (outcome.messages.count(Message::Level::Error) > 0) outcome.status = Outcome::Status::Incomplete;
  return outcome;
}

}  // namespace vescale::rewrite
