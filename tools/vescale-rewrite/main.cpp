#include <CLI/CLI.hpp>
#include <cstdio>

#include "Rewrite/Rewriter.h"

using namespace vescale::rewrite;

int main(int argc, char** argv) {
  Request request;
  int separator = argc;
  for (int i = argc - 1; i > 0; --i) {
    if (std::string(argv[i]) == "--") separator = i;
  }
  for (int i = separator + 1; i < argc; ++i) request.flags.push_back(argv[i]);
  CLI::App app("vescale-rewrite");
  app.add_option("sources", request.sources)->required();
  CLI11_PARSE(app, separator, argv);
  const Outcome outcome = rewrite(request);
  std::fputs(outcome.compiler_output.c_str(), stderr);
  for (const Message& message : outcome.messages.all()) std::fputs(Messages::render(message).c_str(), stderr);
  for (const auto& file : outcome.files) std::fputs(file.text.c_str(), stdout);
  return static_cast<int>(outcome.status);
}
