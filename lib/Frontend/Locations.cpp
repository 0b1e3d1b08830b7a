#include "Frontend/Locations.h"

#include <clang/Lex/Lexer.h>

namespace vescale::frontend {

std::string Locations::path(clang::SourceLocation location) const {
  if (location.isInvalid()) return {};
  const clang::FileID file = sources_.getFileID(sources_.getSpellingLoc(location));
  const clang::OptionalFileEntryRef entry = sources_.getFileEntryRefForID(file);
  return entry ? entry->getFileEntry().tryGetRealPathName().str() : std::string();
}

bool Locations::in_root(const std::string& path) const {
  return path.size() > root_.size() && path.compare(0, root_.size(), root_) == 0 &&
         (root_.back() == '/' || path[root_.size()] == '/');
}

bool Locations::in_root(clang::SourceLocation location) const {
  return location.isValid() && !sources_.isInSystemHeader(sources_.getSpellingLoc(location)) &&
         in_root(path(location));
}

std::optional<Span> Locations::spelled(clang::SourceLocation begin, clang::SourceLocation end) const {
  // A token of a macro argument is spelled where the argument was written, one of a macro body in the body.
  const bool in_body = begin.isMacroID() && !sources_.isMacroArgExpansion(begin);
  begin = sources_.getSpellingLoc(begin);
  end = sources_.getSpellingLoc(end);
  if (sources_.getFileID(begin) != sources_.getFileID(end)) return std::nullopt;
  Span span{path(begin), sources_.getFileOffset(begin), 0, in_body};
  if (!in_root(begin)) return std::nullopt;
  span.end = sources_.getFileOffset(end) + clang::Lexer::MeasureTokenLength(end, sources_, language_);
  if (span.end < span.begin) return std::nullopt;
  return span;
}

std::optional<Span> Locations::token(clang::SourceLocation location) const {
  if (location.isInvalid()) return std::nullopt;
  return spelled(location, location);
}

std::optional<Span> Locations::tokens(clang::SourceRange range) const {
  if (range.isInvalid()) return std::nullopt;
  clang::SourceLocation begin = range.getBegin(), end = range.getEnd();
  if (begin.isFileID() && end.isMacroID()) end = sources_.getExpansionRange(end).getEnd();
  if (begin.isMacroID() && end.isFileID()) begin = sources_.getExpansionRange(begin).getBegin();
  if (begin.isMacroID() && end.isMacroID()) {
    // An expression that is all of a macro's expansion, or spans several: the calls of the macros as written.
    const bool arguments = sources_.isMacroArgExpansion(begin) && sources_.isMacroArgExpansion(end);
    if (!arguments) {
      begin = sources_.getExpansionRange(begin).getBegin();
      end = sources_.getExpansionRange(end).getEnd();
    }
  }
  return spelled(begin, end);
}

llvm::StringRef Locations::file_text(clang::SourceLocation location) const {
  return sources_.getBufferData(sources_.getFileID(sources_.getSpellingLoc(location)));
}

std::string Locations::text(const Span& span) const {
  auto file = sources_.getFileManager().getOptionalFileRef(span.path);
  if (!file) return {};
  const clang::FileID id = sources_.translateFile(*file);
  if (id.isInvalid()) return {};
  return sources_.getBufferData(id).substr(span.begin, span.end - span.begin).str();
}

}  // namespace vescale::frontend
