#include "Rewrite/Output.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace vescale::rewrite {
namespace {

std::string shell_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace

void write_all(const std::vector<OutputFile>& files) {
  namespace fs = std::filesystem;
  std::vector<fs::path> temporary;
  const auto clean_up = [&] {
    std::error_code ignored;
    for (const fs::path& path : temporary) fs::remove(path, ignored);
  };
  try {
    for (const OutputFile& file : files) {
      const fs::path path(file.path);
      if (fs::is_directory(path)) throw std::runtime_error("cannot write " + file.path + ": it is a folder");
      if (path.has_parent_path()) fs::create_directories(path.parent_path());
      temporary.push_back(file.path + ".vescale-" + std::to_string(getpid()) + ".tmp");
      std::ofstream stream(temporary.back(), std::ios::binary);
      stream << file.text;
      stream.close();
      if (!stream) throw std::runtime_error("cannot write " + file.path);
      std::error_code none;
      if (fs::exists(path)) fs::permissions(temporary.back(), fs::status(path).permissions(), none);
    }
    for (std::size_t i = 0; i < files.size(); ++i) fs::rename(temporary[i], files[i].path);
  } catch (const fs::filesystem_error& problem) {
    clean_up();
    throw std::runtime_error("cannot write " + problem.path1().string() + ": " + problem.code().message());
  } catch (...) {
    clean_up();
    throw;
  }
}

bool has_uncommitted_changes(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const std::string command =
      "git -C " + shell_quoted(folder) + " status --porcelain -- " + shell_quoted(path) + " 2>/dev/null";
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return false;
  const bool any = std::fgetc(pipe) != EOF;
  pclose(pipe);
  return any;
}

std::string depfile(const std::string& target, const std::vector<std::string>& dependencies) {
  const auto escaped = [](const std::string& path) {
    std::string result;
    for (const char c : path) {
      if (c == ' ' || c == '#' || c == '\\') result += '\\';
      if (c == '$') result += '$';
      result += c;
    }
    return result;
  };
  std::string result = escaped(target) + ":";
  for (const std::string& dependency : dependencies) result += " \\\n  " + escaped(dependency);
  return result + "\n";
}

}  // namespace vescale::rewrite
