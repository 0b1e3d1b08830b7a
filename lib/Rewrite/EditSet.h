#pragma once
/// Edits of files, keyed by what they do: the same edit found twice (a header in two sources, a template
/// pattern) is one edit, and two that disagree are an error instead of a silent loss.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace vescale::rewrite {

/// Replaces `length` bytes at `offset` by `text`; an insertion has length 0.
struct Edit {
  unsigned offset = 0;
  unsigned length = 0;
  std::string text;
  /// Insertions at one offset are written in this order, then in the order of their texts.
  int priority = 0;

  auto key() const { return std::tie(offset, length, priority, text); }
  bool operator<(const Edit& other) const { return key() < other.key(); }
};

/// Larger than any file: closing parentheses stand before whatever else is inserted at the same offset.
inline constexpr int far_priority = 1 << 29;
/// Of what opens a call around an expression of so many bytes: longer ones first.
constexpr int opening_priority(unsigned length) { return far_priority - static_cast<int>(length); }

/// Two edits of the same bytes that differ.
struct EditConflict {
  std::string path;
  Edit first;
  Edit second;
};

class EditSet {
 public:
  /// `path` is a real path.
  void add(const std::string& path, Edit edit) { edits_[path].insert(std::move(edit)); }

  bool empty() const { return edits_.empty(); }
  std::vector<std::string> paths() const;
  const std::set<Edit>& of(const std::string& path) const;

  /// The first two replacements that overlap, if any. An insertion at the edge of a replacement is no
  /// overlap.
  std::optional<EditConflict> conflict() const;

  /// `source` with the edits of `path`. Requires !conflict().
  std::string apply(const std::string& path, const std::string& source) const;

  /// As apply, but only bytes [begin, end): what a wrapped expression reads like after its inner edits.
  std::string apply_within(const std::string& path, const std::string& source, unsigned begin,
                           unsigned end) const;

 private:
  std::map<std::string, std::set<Edit>> edits_;
};

}  // namespace vescale::rewrite
