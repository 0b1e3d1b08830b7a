#pragma once
/// Errors, warnings and notes of the tool, with a stable id and a place.
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace vescale::rewrite {

struct Message {
  enum class Level { Error, Warning, Note, Remark };
  std::string path;
  unsigned line = 0;
  unsigned column = 0;
  Level level = Level::Error;
  std::string id;
  std::string text;

  auto key() const { return std::tie(path, line, column, level, id, text); }
  bool operator<(const Message& other) const { return key() < other.key(); }
};

/// Sorted by place; the same message found twice (a header in two sources) is one.
class Messages {
 public:
  void add(Message message) { messages_.insert(std::move(message)); }
  const std::set<Message>& all() const { return messages_; }
  std::size_t count(Message::Level level) const;

  /// "file:line:col: error: text [VS1001]", then the source line and a caret.
  static std::string render(const Message& message);

 private:
  std::set<Message> messages_;
};

}  // namespace vescale::rewrite
