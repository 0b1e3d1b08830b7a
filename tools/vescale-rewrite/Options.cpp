#include "Options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <regex>

#include "vescale/sharding/mesh_shape.h"

namespace vescale::tool {
namespace {

namespace fs = std::filesystem;

bool is_place(const std::string& text) {
  const auto colon = text.rfind(':');
  return colon != std::string::npos && colon > 0 && colon + 1 < text.size() &&
         std::all_of(text.begin() + static_cast<std::ptrdiff_t>(colon) + 1, text.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool is_below(const fs::path& path, const fs::path& root) {
  const std::string relative = fs::canonical(path).lexically_relative(fs::canonical(root)).string();
  return !relative.empty() && relative.rfind("..", 0) != 0;
}

// Values of options that are wrong in themselves. An empty text if all is well.
std::string wrong_value(const Options& options) {
  const auto& request = options.request;
  try {
    if (!request.mesh.empty()) MeshShape::parse(request.mesh);
  } catch (const std::exception& problem) {
    return std::string("--mesh: ") + problem.what();
  }
  try {
    if (options.remarks) std::regex(*options.remarks);
  } catch (const std::regex_error& problem) {
    return "--remarks: '" + *options.remarks + "' is no regular expression: " + problem.what();
  }
  if (!options.explain.empty() && !is_place(options.explain)) {
    return "--explain takes FILE:LINE, not '" + options.explain + "'";
  }
  for (const std::string& source : request.sources) {
    if (!request.root.empty() && !is_below(source, request.root))
      return source + " is not below --root " + request.root;
  }
  const fs::path database(request.build_directory);
  if (!database.empty() && !fs::exists(database / "compile_commands.json") &&
      !fs::exists(database / "compile_flags.txt")) {
    return "-p: no compile_commands.json in " + request.build_directory +
           "; configure with CMAKE_EXPORT_COMPILE_COMMANDS, or give flags after --";
  }
  return {};
}

// What CLI11 can't say. An empty text if all is well.
std::string mistake(const Options& options) {
  const int verbs =
      !options.output.empty() + !options.out_dir.empty() + options.in_place + options.diff + options.check;
  const auto sources = options.request.sources.size();
  if (verbs > 1) return "only one of -o, --out-dir, --in-place, --diff and --check can be given";
  if (!options.output.empty() && sources > 1)
    return "-o takes one source; for several use --out-dir or --in-place";
  if (verbs == 0 && sources > 1 && options.report.empty() && options.explain.empty()) {
    return "for several sources say what to do: --out-dir DIR, --in-place, --diff or --check";
  }
  if (!options.depfile.empty() && options.output.empty() && options.out_dir.empty()) {
    return "--depfile needs -o or --out-dir";
  }
  return wrong_value(options);
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv, int& status) {
  Options options;
  auto& request = options.request;
  char** separator =
      std::find_if(argv, argv + argc, [](const char* text) { return std::string(text) == "--"; });
  for (char** flag = separator; flag < argv + argc; ++flag) {
    if (flag != separator) request.flags.emplace_back(*flag);
  }
  CLI::App app(
      "Rewrites single-device LibTorch C++ into SPMD C++ on vs::DTensor.\nCompiler flags follow '--'.",
      "vescale-rewrite");
  app.set_version_flag("--version", std::string("vescale-rewrite ") + rewrite::tool_version);
  app.add_option("SOURCE", request.sources, "sources to rewrite")->required()->check(CLI::ExistingFile);
  app.add_option("-p", request.build_directory, "folder of compile_commands.json")
      ->check(CLI::ExistingDirectory);
  app.add_option("--root", request.root, "only files below it are edited; default: the source's folder")
      ->check(CLI::ExistingDirectory);
  app.add_option("--plan", request.plan, "plan.json, wins over annotations")->check(CLI::ExistingFile);
  app.add_option("--mesh", request.mesh, "sizes for costs, as in dp=2,tp=4");
  app.add_option("-o", options.output, "write the one source's rewriting here");
  app.add_option("--out-dir", options.out_dir, "write a mirror tree of what changed here");
  app.add_flag("--in-place", options.in_place, "overwrite sources and headers");
  app.add_flag("--force", options.force, "with --in-place: also where git has uncommitted changes");
  app.add_flag("--diff", options.diff, "print a unified diff");
  app.add_flag("--check", options.check, "write nothing; exit status 1 if something could not be rewritten");
  app.add_flag("--strict", request.strict, "only communication that an annotation or plan asks for");
  app.add_option("--remarks", options.remarks, "why each conversion is where it is")
      ->expected(0, 1)
      ->default_str(".*");
  app.add_option("--report", options.report, "what was decided")->check(CLI::IsMember({"summary", "json"}));
  app.add_option("--explain", options.explain, "FILE:LINE: what was decided there and why");
  app.add_option("--drop-arg", request.dropped_flags, "compiler flag to leave out");
  app.add_option("--depfile", options.depfile, "write the files that were read, as make and ninja want them");
  app.add_option("--depfile-target", options.depfile_target, "its target; default: the first file written");
  app.add_flag("--print-facts", request.print_facts, "print what the tool understood, and write nothing")
      ->group("");
  try {
    app.parse(static_cast<int>(separator - argv), argv);
  } catch (const CLI::ParseError& error) {
    status = app.exit(error) == 0 ? done : usage;
    return std::nullopt;
  }
  if (app.count("--remarks") > 0 && options.remarks.value_or("").empty()) options.remarks = ".*";
  if (const std::string text = mistake(options); !text.empty()) {
    std::fprintf(stderr, "vescale-rewrite: %s\n", text.c_str());
    status = usage;
    return std::nullopt;
  }
  return options;
}

}  // namespace vescale::tool
