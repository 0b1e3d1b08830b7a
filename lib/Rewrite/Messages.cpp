#include "Rewrite/Messages.h"

#include <algorithm>
#include <fstream>

namespace vescale::rewrite {

std::size_t Messages::count(Message::Level level) const {
  return static_cast<std::size_t>(
      std::count_if(messages_.begin(), messages_.end(), [&](const Message& m) { return m.level == level; }));
}

std::string Messages::render(const Message& message) {
  static constexpr const char* levels[] = {"error", "warning", "note", "remark"};
  std::string result;
  if (message.path.empty()) {
    result = "vescale-rewrite: ";
  } else {
    result = message.path + ":" + std::to_string(message.line) + ":" + std::to_string(message.column) + ": ";
  }
  result += std::string(levels[static_cast<int>(message.level)]) + ": " + message.text;
  if (!message.id.empty()) result += " [" + message.id + "]";
  result += "\n";
  std::ifstream file(message.path);
  std::string line;
  for (unsigned i = 0; i < message.line; ++i) {
    if (!std::getline(file, line)) return result;
  }
  if (message.line == 0) return result;
  std::string caret;
  for (unsigned i = 0; i + 1 < message.column && i < line.size(); ++i) caret += line[i] == '\t' ? '\t' : ' ';
  return result + line + "\n" + caret + "^\n";
}

}  // namespace vescale::rewrite
