#pragma once
/// From clang's locations to bytes of files: where something is spelled, and whether we may edit there.
#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>

#include <optional>
#include <string>

namespace vescale::frontend {

/// Bytes [begin, end) of a file.
struct Span {
  std::string path;  ///< real path
  unsigned begin = 0;
  unsigned end = 0;
  bool in_macro_body = false;
};

class Locations {
 public:
  /// `root`: real path of the folder whose files may be edited.
  Locations(const clang::SourceManager& sources, const clang::LangOptions& language, std::string root)
      : sources_(sources), language_(language), root_(std::move(root)) {}

  const clang::SourceManager& sources() const { return sources_; }

  /// The real path of the file where `location` is spelled; empty for built-in and pasted text.
  std::string path(clang::SourceLocation location) const;
  /// Spelled in a file under the root that is no system header.
  bool in_root(clang::SourceLocation location) const;
  bool in_root(const std::string& path) const;

  /// The token at `location` as spelled. Nothing outside the root.
  std::optional<Span> token(clang::SourceLocation location) const;
  /// From the first to behind the last token of `range`, where both are spelled in one file, one behind the
  /// other.
  std::optional<Span> tokens(clang::SourceRange range) const;
  std::string text(const Span& span) const;
  /// All of the file that `span` is in.
  llvm::StringRef file_text(clang::SourceLocation location) const;

 private:
  std::optional<Span> spelled(clang::SourceLocation begin, clang::SourceLocation end) const;

  const clang::SourceManager& sources_;
  const clang::LangOptions& language_;
  std::string root_;
};

}  // namespace vescale::frontend
