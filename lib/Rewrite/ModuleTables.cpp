#include "Rewrite/ModuleTables.h"

#include <algorithm>

namespace vescale::rewrite {
namespace {

using Table = std::vector<comm::ParameterPlacement>;

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? std::string() : text.substr(begin, end - begin + 1);
}

void add(Table& table, const std::string& pattern, const std::string& placements) {
  const auto same = [&](const auto& line) {
    return line.pattern == pattern && line.placements == placements;
  };
  if (std::none_of(table.begin(), table.end(), same)) table.push_back({pattern, placements});
}

// "weight: tp=S(0); bias: tp=S(0)" below `prefix`; "tp=S(0)" of `prefix` itself.
void add_text(Table& table, const std::string& prefix, const std::string& text) {
  if (text.find(':') == std::string::npos) {
    if (!prefix.empty()) add(table, prefix, trimmed(text));
    return;
  }
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    const std::string entry = text.substr(begin, end - begin);
    const std::size_t colon = entry.find(':');
    if (colon != std::string::npos) {
      const std::string pattern = trimmed(entry.substr(0, colon));
      add(table, prefix.empty() ? pattern : prefix + "." + pattern, trimmed(entry.substr(colon + 1)));
    }
    begin = end + 1;
  }
}

void add_annotations(Table& table, const std::string& prefix,
                     const std::vector<facts::Annotation>& annotations) {
  for (const facts::Annotation& annotation : annotations) {
    if (annotation.kind == facts::Annotation::Kind::Place) add_text(table, prefix, annotation.text);
  }
}

void collect(const std::vector<facts::Class>& classes, const std::string& name, const std::string& prefix,
             Table& table, int depth) {
  const auto found =
      std::find_if(classes.begin(), classes.end(), [&](const facts::Class& one) { return one.name == name; });
  if (found == classes.end() || depth > 32) return;
  add_annotations(table, prefix, found->annotations);
  for (const std::string& base : found->bases) collect(classes, base, prefix, table, depth + 1);
  for (const facts::Field& field : found->fields) {
    if (field.role == facts::Field::Role::Plain) continue;
    const std::string inner = (prefix.empty() ? "" : prefix + ".") + field.registered_name;
    add_annotations(table, inner, field.annotations);
    if (field.role != facts::Field::Role::Module) continue;
    collect(classes, field.type.name, inner, table, depth + 1);
    for (const facts::Type& element : field.type.elements) {
      collect(classes, element.name, inner + ".*", table, depth + 1);
    }
  }
}

// The pattern's first name is one that the module registers.
bool can_match(const std::vector<facts::Class>& classes, const std::string& name,
               const std::string& pattern) {
  const std::string first = pattern.substr(0, pattern.find('.'));
  const auto found =
      std::find_if(classes.begin(), classes.end(), [&](const facts::Class& one) { return one.name == name; });
  if (found == classes.end()) return false;
  return std::any_of(found->fields.begin(), found->fields.end(), [&](const facts::Field& field) {
    return field.role != facts::Field::Role::Plain && plan::matches_fqn(first, field.registered_name);
  });
}

}  // namespace

Table parameter_table(const std::vector<facts::Class>& classes, const std::string& name,
                      const plan::Plan& plan) {
  Table table;
  collect(classes, name, "", table, 0);
  for (const plan::ParameterPlacement& line : plan.parameters) {
    if (!can_match(classes, name, line.pattern)) continue;
    table.erase(
        std::remove_if(table.begin(), table.end(),
                       [&](const auto& known) { return plan::matches_fqn(line.pattern, known.pattern); }),
        table.end());
    add(table, line.pattern, line.placements);
  }
  return table;
}

}  // namespace vescale::rewrite
