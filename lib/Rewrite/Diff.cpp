#include "Rewrite/Diff.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace vescale::rewrite {
namespace {

constexpr std::size_t context_lines = 3;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result.push_back(text.substr(begin, end - begin));
    if (end == text.size()) result.back() += "\n\\ No newline at end of file";
    begin = end + 1;
  }
  return result;
}

struct Line {
  char mark;  // ' ', '-', '+'
  const std::string* text;
};

// Marks every line by the longest common subsequence of what differs between equal heads and tails.
std::vector<Line> marked(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::size_t head = 0, tail = 0;
  const std::size_t shorter = std::min(a.size(), b.size());
  while (head < shorter && a[head] == b[head]) ++head;
  while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  const std::size_t n = a.size() - head - tail, m = b.size() - head - tail;
  std::vector<std::uint32_t> common((n + 1) * (m + 1), 0);
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return common[i * (m + 1) + j]; };
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = m; j-- > 0;) {
      at(i, j) = a[head + i] == b[head + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  std::vector<Line> result;
  for (std::size_t i = 0; i < head; ++i) result.push_back({' ', &a[i]});
  std::size_t i = 0, j = 0;
  while (i < n || j < m) {
    if (i < n && j < m && a[head + i] == b[head + j]) {
      result.push_back({' ', &a[head + i]});
      ++i, ++j;
    } else if (i < n && (j == m || at(i + 1, j) >= at(i, j + 1))) {
      result.push_back({'-', &a[head + i++]});
    } else {
      result.push_back({'+', &b[head + j++]});
    }
  }
  for (std::size_t k = a.size() - tail; k < a.size(); ++k) result.push_back({' ', &a[k]});
  return result;
}

std::string range(std::size_t start, std::size_t count) {
  return std::to_string(count == 0 ? start : start + 1) + (count == 1 ? "" : "," + std::to_string(count));
}

}  // namespace

std::string unified_diff(const std::string& path, const std::string& before, const std::string& after) {
  if (before == after) return {};
  const auto a = lines_of(before), b = lines_of(after);
  const auto lines = marked(a, b);
  std::string result = "--- a/" + path + "\n+++ b/" + path + "\n";
  std::size_t old_line = 0, new_line = 0;
  for (std::size_t i = 0; i < lines.size();) {
    std::size_t change = i;
    while (change < lines.size() && lines[change].mark == ' ') ++change;
    if (change == lines.size()) break;
    const std::size_t begin = std::max(i, change - std::min(change, context_lines));
    old_line += begin - i, new_line += begin - i;
    // The hunk ends where more than twice the context is unchanged.
    std::size_t end = change, last = change;
    while (end < lines.size() && end - last <= 2 * context_lines) {
      if (lines[end].mark != ' ') last = end;
      ++end;
    }
    end = std::min(lines.size(), last + 1 + context_lines);
    std::size_t removed = 0, added = 0;
    std::string hunk;
    for (std::size_t k = begin; k < end; ++k) {
      removed += lines[k].mark != '+';
      added += lines[k].mark != '-';
      hunk += lines[k].mark + *lines[k].text + "\n";
    }
    result += "@@ -" + range(old_line, removed) + " +" + range(new_line, added) + " @@\n" + hunk;
    old_line += removed, new_line += added;
    i = end;
  }
  return result;
}

}  // namespace vescale::rewrite
