#include "Sharding/Rules/Schema.h"

#include <algorithm>
#include <array>

namespace vescale::sharding::rules {
namespace {

struct SchemaLine {
  std::string_view name;
  std::string_view arguments;
};

constexpr SchemaLine lines[] = {
#define VESCALE_SCHEMA(name, arguments, results) {name, arguments},
#include "Sharding/Rules/AtenSchemas.def"
#undef VESCALE_SCHEMA
};

// The names of an op's schemas are neighbours, but those of "a_b" may lie between "a" and "a.x".
bool is_overload_of(std::string_view line, std::string_view name) {
  return line.substr(0, name.size()) == name && (line.size() == name.size() || line[name.size()] == '.');
}

bool is_out(std::string_view kind) { return kind.substr(0, 4) == "out!"; }

bool writes_out(const SchemaLine& line) { return line.arguments.find(":out!") != std::string_view::npos; }

// An integer for a list of them is right too, where no other overload takes one.
bool fits(const SchemaArgument& argument, const Argument& value, bool lenient) {
  const bool list = argument.kind.find("[") != std::string_view::npos;
  const char first = argument.kind.empty() ? '?' : argument.kind.front();
  const bool tensor = argument.kind.find('T') != std::string_view::npos;
  if (std::holds_alternative<std::monostate>(value)) return true;
  if (std::holds_alternative<TensorFacts>(value)) return tensor && !list;
  if (std::holds_alternative<std::vector<std::optional<TensorFacts>>>(value)) return tensor && list;
  if (tensor) return false;
  if (std::holds_alternative<std::vector<std::int64_t>>(value)) return list;
  if (std::holds_alternative<std::string>(value)) return argument.kind.substr(0, 3) == "str";
  if (std::holds_alternative<bool>(value)) return first == 'b' || first == 's';
  return (!list || lenient) && (first == 'i' || first == 'f' || first == 's');
}

bool fits(const Schema& schema, const std::vector<Argument>& values, bool lenient) {
  if (values.size() > schema.arguments().size()) return false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!fits(schema.arguments()[i], values[i], lenient)) return false;
  }
  return std::all_of(schema.arguments().begin() + static_cast<std::ptrdiff_t>(values.size()),
                     schema.arguments().end(), [](const SchemaArgument& rest) {
                       return !rest.default_value.empty() || rest.kind.find('?') != std::string_view::npos;
                     });
}

}  // namespace

Schema::Schema(std::string_view overload, std::string_view text) : overload_(overload) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view item = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t colon = item.find(':');
    if (colon == std::string_view::npos) continue;
    const std::size_t equals = std::min(item.find('=', colon), item.size());
    const std::string_view kind = item.substr(colon + 1, equals - colon - 1);
    if (is_out(kind)) continue;
    arguments_.push_back(
        {item.substr(0, colon), kind, equals == item.size() ? std::string_view() : item.substr(equals + 1)});
  }
}

int Schema::find(std::string_view name) const {
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

Schema schema_of(const OpCall& call) {
  std::string full(call.name);
  if (!call.overload.empty()) full += "." + std::string(call.overload);
  const auto exact =
      std::lower_bound(std::begin(lines), std::end(lines), full,
                       [](const SchemaLine& line, const std::string& key) { return line.name < key; });
  if (exact != std::end(lines) && exact->name == full) {
    const Schema schema(call.overload, exact->arguments);
    if (!call.overload.empty() || fits(schema, call.arguments, false)) return schema;
  }
  for (const bool lenient : {false, true}) {
    for (const SchemaLine& line : lines) {
      if (!is_overload_of(line.name, call.name) || writes_out(line)) continue;
      const std::size_t dot = std::min(line.name.find('.'), line.name.size() - 1);
      Schema schema(line.name.substr(dot + 1), line.arguments);
      if (fits(schema, call.arguments, lenient)) return schema;
    }
  }
  return Schema("", "");
}

}  // namespace vescale::sharding::rules
