#include "Rewrite/Preprocess.h"

#include <clang/Lex/MacroArgs.h>
#include <clang/Lex/PPCallbacks.h>
#include <llvm/ADT/StringSwitch.h>

#include <algorithm>
#include <set>

#include "Rewrite/PlacedValues.h"

namespace vescale::rewrite {
namespace {

using frontend::Locations;
using frontend::Span;

class Watcher : public clang::PPCallbacks {
 public:
  Watcher(const Locations& locations, PreprocessorFindings& findings)
      : locations_(locations), findings_(findings) {}

  void FileChanged(clang::SourceLocation location, FileChangeReason reason, clang::SrcMgr::CharacteristicKind,
                   clang::FileID) override {
    if (reason != EnterFile) return;
    const std::string path = locations_.path(location);
    if (path.empty() || !seen_.insert(path).second) return;
    findings_.all_files.push_back(path);
    if (locations_.in_root(location)) findings_.files.push_back(path);
  }

  void InclusionDirective(clang::SourceLocation hash, const clang::Token&, llvm::StringRef name, bool,
                          clang::CharSourceRange range, clang::OptionalFileEntryRef, llvm::StringRef,
                          llvm::StringRef, const clang::Module*, bool,
                          clang::SrcMgr::CharacteristicKind) override {
    const auto start = locations_.token(hash);
    if (!start) return;
    if (name == "vescale/annotate.h") return remove_line(*start, hash);
    if (name != "torch/torch.h" && name != "torch/all.h") return;
    const auto& sources = locations_.sources();
    const unsigned begin = sources.getFileOffset(sources.getSpellingLoc(range.getBegin()));
    const unsigned end = sources.getFileOffset(sources.getSpellingLoc(range.getEnd()));
    findings_.edits.add(start->path, {begin, end - begin, "<vescale/vescale.h>"});
  }

  void MacroExpands(const clang::Token& token, const clang::MacroDefinition&, clang::SourceRange range,
                    const clang::MacroArgs* arguments) override {
    const llvm::StringRef name = token.getIdentifierInfo()->getName();
    const auto span = locations_.token(token.getLocation());
    if (!span) return;
    const auto rename = llvm::StringSwitch<llvm::StringRef>(name)
                            .Case("TORCH_MODULE", "VS_MODULE")
                            .Case("TORCH_MODULE_IMPL", "VS_MODULE_IMPL")
                            .Case("VESCALE_REDISTRIBUTE", "vs::redistribute")
                            .Default("");
    if (!rename.empty()) {
      findings_.edits.add(span->path, {span->begin, span->end - span->begin, rename.str()});
    } else if (name == "VESCALE_MESH") {
      read_axes(text_between(range), token.getLocation());
      remove_line(*span, token.getLocation());
    } else if (name == "VESCALE_PLACE" || name == "VESCALE_RULE" || name == "VESCALE_HOST" ||
               name == "VESCALE_STAGE" || name == "VESCALE_CHECKPOINT") {
      remove_annotation(range, token.getLocation());
      report_unapplied(name, token.getLocation());
      if (name == "VESCALE_RULE") findings_.rules.push_back(token.getLocation());
    }
  }

 private:
  // Annotations that are understood but that the output does not carry out: values are right, the cost is
  // not.
  void report_unapplied(llvm::StringRef name, clang::SourceLocation location) {
    const auto effect = llvm::StringSwitch<llvm::StringRef>(name)
                            .Case("VESCALE_STAGE", "all stages run on every rank")
                            .Case("VESCALE_CHECKPOINT", "nothing is recomputed in backward")
                            .Default("");
    if (effect.empty()) return;
    findings_.messages.push_back(message_at(locations_, location, Message::Level::Warning, "VS1023",
                                            (name + " has no effect in the output: " + effect).str()));
  }

  std::string text_between(clang::SourceRange range) const {
    const auto span = locations_.tokens(range);
    return span ? locations_.text(*span) : std::string();
  }

  // VESCALE_MESH(dp, tp)
  void read_axes(const std::string& call, clang::SourceLocation location) {
    std::string axis;
    std::set<std::string> of_this_call;
    for (const char c : call.substr(std::min(call.find('('), call.size()))) {
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
        axis += c;
      } else if (!axis.empty()) {
        if (!of_this_call.insert(axis).second) {
          findings_.messages.push_back(message_at(locations_, location, Message::Level::Error, "VS1024",
                                                  "the mesh names axis '" + axis + "' twice"));
        }
        if (std::find(findings_.axes.begin(), findings_.axes.end(), axis) == findings_.axes.end()) {
          findings_.axes.push_back(axis);
        }
        axis.clear();
      }
    }
  }

  // The whole line; one of two blank lines that would meet goes with it.
  void remove_line(const Span& span, clang::SourceLocation location) {
    const llvm::StringRef text = locations_.file_text(location);
    const std::size_t before = text.rfind('\n', span.begin);
    const std::size_t begin = before == llvm::StringRef::npos ? 0 : before + 1;
    std::size_t end = std::min(text.find('\n', span.end), text.size() - 1) + 1;
    const bool blank_before = begin < 2 || text[begin - 2] == '\n';
    if (blank_before && end < text.size() && text[end] == '\n') ++end;
    findings_.edits.add(span.path, {static_cast<unsigned>(begin), static_cast<unsigned>(end - begin), ""});
  }

  // The macro and the blank space behind it.
  void remove_annotation(clang::SourceRange range, clang::SourceLocation location) {
    auto span = locations_.tokens(range);
    if (!span) return;
    const llvm::StringRef text = locations_.file_text(location);
    while (span->end < text.size() && (text[span->end] == ' ' || text[span->end] == '\t')) ++span->end;
    if (span->end < text.size() && text[span->end] == '\n') {
      // On a line of its own above what it annotates.
      const std::size_t line = text.rfind('\n', span->begin) + 1;
      if (text.slice(line, span->begin).trim().empty()) {
        span->begin = static_cast<unsigned>(line);
        ++span->end;
      }
    }
    findings_.edits.add(span->path, {span->begin, span->end - span->begin, ""});
  }

  const Locations& locations_;
  PreprocessorFindings& findings_;
  std::set<std::string> seen_;
};

}  // namespace

void watch_preprocessor(clang::Preprocessor& preprocessor, const Locations& locations,
                        PreprocessorFindings& findings) {
  preprocessor.addPPCallbacks(std::make_unique<Watcher>(locations, findings));
}

}  // namespace vescale::rewrite
