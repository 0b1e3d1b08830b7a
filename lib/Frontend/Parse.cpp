#include "Frontend/Parse.h"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Tooling/CompilationDatabase.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace vescale::frontend {
namespace {

class AstConsumer : public clang::ASTConsumer {
 public:
  explicit AstConsumer(const Consumer& consumer) : consumer_(consumer) {}
  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (!context.getDiagnostics().hasErrorOccurred()) consumer_.parsed(context);
  }

 private:
  const Consumer& consumer_;
};

class Action : public clang::ASTFrontendAction {
 public:
  explicit Action(const Consumer& consumer) : consumer_(consumer) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    if (consumer_.begin) consumer_.begin(compiler.getPreprocessor());
    return std::make_unique<AstConsumer>(consumer_);
  }

 private:
  const Consumer& consumer_;
};

class Factory : public clang::tooling::FrontendActionFactory {
 public:
  explicit Factory(const Consumer& consumer) : consumer_(consumer) {}
  std::unique_ptr<clang::FrontendAction> create() override { return std::make_unique<Action>(consumer_); }

 private:
  const Consumer& consumer_;
};

bool starts_with(const std::string& text, llvm::StringRef prefix) {
  return llvm::StringRef(text).starts_with(prefix);
}

// How many arguments, this one included, to leave out; 0 to keep it.
int dropped(const std::vector<std::string>& flags, std::size_t i, std::string& why) {
  const std::string& flag = flags[i];
  if (flag == "-c" || flag == "-MD" || flag == "-MMD" || flag == "-Winvalid-pch" || flag == "-S" ||
      flag == "-E")
    return 1;
  if (flag == "-o" || flag == "-MF" || flag == "-MT" || flag == "-MQ") return 2;
  if (flag == "-include-pch") return why = "precompiled header", 2;
  if (flag == "-Xclang" && i + 1 < flags.size()) {
    const std::string& next = flags[i + 1];
    if (next == "-include-pch" || next == "-include" || next == "-emit-pch")
      return why = "precompiled header", 4;
    if (next == "-fno-pch-timestamp") return why = "precompiled header", 2;
  }
  if ((flag == "-include") && i + 1 < flags.size() && flags[i + 1].find("cmake_pch") != std::string::npos) {
    return why = "precompiled header", 2;
  }
  for (const char* prefix : {"-fpch", "-fno-gnu-unique", "-fno-canonical-system-headers",
                             "-fconcepts-diagnostics", "-Wno-maybe-uninitialized", "-fno-tree-", "-ftree-",
                             "-mno-direct-extern", "-fmodules-ts", "-fmodule-mapper", "-fdeps-format",
                             "--expt-", "-gencode", "-Xcudafe", "--generate-code", "-fplugin"}) {
    if (starts_with(flag, prefix)) return why = "known to another compiler only", 1;
  }
  return 0;
}

}  // namespace

std::string resource_directory() {
  const std::string directory = VESCALE_CLANG_RESOURCE_DIR;
  return llvm::sys::fs::exists(directory + "/include/stddef.h") ? directory : std::string();
}

std::vector<std::string> usable_flags(const std::vector<std::string>& flags,
                                      const std::vector<std::string>& drop, std::vector<std::string>& notes) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < flags.size();) {
    std::string why;
    int count = dropped(flags, i, why);
    if (std::find(drop.begin(), drop.end(), flags[i]) != drop.end()) count = 1;
    if (!why.empty()) notes.push_back("left out " + flags[i] + ": " + why);
    if (count == 0) {
      result.push_back(flags[i]);
      count = 1;
    }
    i += static_cast<std::size_t>(count);
  }
  return result;
}

ParseResult parse(const Invocation& invocation, const Consumer& consumer) {
  ParseResult result;
  std::vector<std::string> flags = invocation.flags;
  flags.insert(flags.begin(), {"-resource-dir=" + resource_directory(), "-D__VESCALE_REWRITE__",
                               "-fsyntax-only", "-Qunused-arguments", "-w"});
  clang::tooling::FixedCompilationDatabase database(invocation.directory, flags);
  // A file system with a working directory of its own: entering the invocation's must not move the process,
  // whose relative paths (plan, output) mean the folder the user is in.
  clang::tooling::ClangTool tool(database, {invocation.source},
                                 std::make_shared<clang::PCHContainerOperations>(),
                                 llvm::vfs::createPhysicalFileSystem().release());
  llvm::raw_string_ostream stream(result.diagnostics);
  llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options(new clang::DiagnosticOptions());
  clang::TextDiagnosticPrinter printer(stream, options.get());
  tool.setDiagnosticConsumer(&printer);
  tool.setPrintErrorMessage(false);
  Factory factory(consumer);
  const int status = tool.run(&factory);
  // ClangTool can print an error and still return 0.
  result.compiled = status == 0 && printer.getNumErrors() == 0;
  stream.flush();
  return result;
}

}  // namespace vescale::frontend
