#pragma once
/// Puts rewritten texts on disk, all or nothing.
#include <string>
#include <vector>

namespace vescale::rewrite {

struct OutputFile {
  std::string path;
  std::string text;
};

/// Writes every file beside its place first and renames all at the end. Throws std::runtime_error naming the
/// file; then no file has changed unless a rename itself failed.
void write_all(const std::vector<OutputFile>& files);

/// Git's status of the file or folder is not clean; false outside a work tree or without git.
bool has_uncommitted_changes(const std::string& path);

/// "target: dependency ..." as make and ninja read it.
std::string depfile(const std::string& target, const std::vector<std::string>& dependencies);

}  // namespace vescale::rewrite
