#include "Rewrite/EditSet.h"

namespace vescale::rewrite {

std::vector<std::string> EditSet::paths() const {
  std::vector<std::string> result;
  for (const auto& [path, edits] : edits_) result.push_back(path);
  return result;
}

const std::set<Edit>& EditSet::of(const std::string& path) const {
  static const std::set<Edit> none;
  auto found = edits_.find(path);
  return found == edits_.end() ? none : found->second;
}

std::optional<EditConflict> EditSet::conflict() const {
  for (const auto& [path, edits] : edits_) {
    const Edit* last = nullptr;  // the replacement that reaches furthest so far
    for (const Edit& edit : edits) {
      if (last && edit.offset < last->offset + last->length) return EditConflict{path, *last, edit};
      if (edit.length > 0) last = &edit;
    }
  }
  return std::nullopt;
}

std::string EditSet::apply(const std::string& path, const std::string& source) const {
  return apply_within(path, source, 0, static_cast<unsigned>(source.size()));
}

std::string EditSet::apply_within(const std::string& path, const std::string& source, unsigned begin,
                                  unsigned end) const {
  std::string result;
  unsigned position = begin;
  for (const Edit& edit : of(path)) {
    if (edit.offset < begin || edit.offset + edit.length > end) continue;
    result.append(source, position, edit.offset - position);
    result += edit.text;
    position = edit.offset + edit.length;
  }
  result.append(source, position, end - position);
  return result;
}

}  // namespace vescale::rewrite
