#pragma once
/// Parses a source with clang and hands its AST to a callback while it lives. Only files of Frontend and
/// Rewrite that see clang include this.
#include <clang/AST/ASTContext.h>
#include <clang/Lex/Preprocessor.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace vescale::frontend {

/// One source and the flags to parse it with (no compiler name, no source).
struct Invocation {
  std::string source;
  std::string directory;
  std::vector<std::string> flags;
};

/// What looks at a source. The preprocessor hook is called before parsing starts, the other after a parse
/// without errors.
struct Consumer {
  std::function<void(clang::Preprocessor&)> begin;
  std::function<void(clang::ASTContext&)> parsed;
};

struct ParseResult {
  bool compiled = false;
  std::string diagnostics;         ///< clang's, as text, errors and warnings
  std::vector<std::string> notes;  ///< flags that were dropped and why
};

/// The directory of clang's own headers that this tool was built with; empty when it is missing.
std::string resource_directory();

/// Drops what clang can't take or the tool must not see: precompiled headers, GCC's and nvcc's own flags,
/// dependency files, outputs, and `drop`. Appends a note for each that changes the meaning.
std::vector<std::string> usable_flags(const std::vector<std::string>& flags,
                                      const std::vector<std::string>& drop, std::vector<std::string>& notes);

ParseResult parse(const Invocation& invocation, const Consumer& consumer);

}  // namespace vescale::frontend
