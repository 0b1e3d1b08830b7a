#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>

#include "Options.h"
#include "Report.h"
#include "Rewrite/Diff.h"
#include "Rewrite/Output.h"
#include "Rewrite/Rewriter.h"

namespace vescale::tool {
namespace {

using rewrite::Message;
using rewrite::Outcome;
using rewrite::OutputFile;
using rewrite::RewrittenFile;

void print_messages(const Outcome& outcome) {
  std::fputs(outcome.compiler_output.c_str(), stderr);
  for (const Message& message : outcome.messages.all()) {
    if (message.level != Message::Level::Remark)
      std::fputs(rewrite::Messages::render(message).c_str(), stderr);
  }
}

std::string relative_to_root(const RewrittenFile& file, const Outcome& outcome) {
  return std::filesystem::path(file.path).lexically_relative(outcome.root).string();
}

bool is_source(const RewrittenFile& file, const Outcome& outcome) {
  for (const std::string& source : outcome.sources) {
    if (source == file.path) return true;
  }
  return false;
}

int write_in_place(const Options& options, const Outcome& outcome) {
  std::vector<OutputFile> files;
  for (const RewrittenFile& file : outcome.files) {
    if (!file.changed()) continue;
    if (!options.force && rewrite::has_uncommitted_changes(file.path)) {
      std::fprintf(stderr, "vescale-rewrite: %s has uncommitted changes; commit them, or pass --force\n",
                   file.path.c_str());
      return usage;
    }
    files.push_back({file.path, file.text});
  }
  rewrite::write_all(files);
  return done;
}

int write_outputs(const Options& options, const Outcome& outcome) {
  if (options.in_place) return write_in_place(options, outcome);
  std::vector<OutputFile> files;
  for (const RewrittenFile& file : outcome.files) {
    const std::string name = relative_to_root(file, outcome);
    if (options.diff) {
      std::fputs(rewrite::unified_diff(name, file.original, file.text).c_str(), stdout);
    } else if (!options.out_dir.empty()) {
      files.push_back({options.out_dir + "/" + name, file.text});
    } else if (is_source(file, outcome)) {
      if (options.output.empty()) {
        std::fputs(file.text.c_str(), stdout);
      } else {
        files.push_back({options.output, file.text});
      }
    } else if (file.changed() && !options.output.empty()) {
      std::fprintf(stderr,
                   "vescale-rewrite: %s changes too and is not written; use --out-dir or --in-place\n",
                   name.c_str());
      return incomplete;
    }
  }
  if (!options.depfile.empty()) {
    const std::string target = options.output.empty() ? files.front().path : options.output;
    files.push_back(
        {options.depfile, rewrite::depfile(options.depfile_target.value_or(target), outcome.dependencies)});
  }
  rewrite::write_all(files);
  return done;
}

int exit_status(Outcome::Status status) {
  switch (status) {
    case Outcome::Status::Done:
      return done;
    case Outcome::Status::Incomplete:
      return incomplete;
    case Outcome::Status::NotCompiled:
      return not_compiled;
    case Outcome::Status::Internal:
      return internal;
  }
  return internal;
}

int run(const Options& options) {
  const Outcome outcome = rewrite::rewrite(options.request);
  print_messages(outcome);
  if (options.request.print_facts) {
    std::fputs(outcome.facts.c_str(), stdout);
    return exit_status(outcome.status);
  }
  if (options.remarks) std::fputs(remarks(outcome, *options.remarks).c_str(), stderr);
  const bool asked = !options.explain.empty() || !options.report.empty();
  if (!options.explain.empty()) std::fputs(explain(outcome, options.explain).c_str(), stdout);
  if (options.report == "summary") std::fputs(summary(outcome).c_str(), stdout);
  if (options.report == "json") std::fputs(json(outcome).c_str(), stdout);
  if (outcome.status != Outcome::Status::Done || options.check) return exit_status(outcome.status);
  const bool verb = !options.output.empty() || !options.out_dir.empty() || options.in_place || options.diff;
  if (asked && !verb) return done;
  try {
    return write_outputs(options, outcome);
  } catch (const std::runtime_error& problem) {
    std::fprintf(stderr, "vescale-rewrite: %s\n", problem.what());
    return usage;
  }
}

}  // namespace
}  // namespace vescale::tool

int main(int argc, char** argv) {
  using namespace vescale::tool;
  try {
    int status = done;
    const auto options = parse_options(argc, argv, status);
    return options ? run(*options) : status;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "vescale-rewrite: %s\n", error.what());
    return internal;
  }
}
