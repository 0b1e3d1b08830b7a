/// The entry to the table: finds an op's line and applies it to a call.
#include <algorithm>
#include <iterator>

#include "Sharding/Notation.h"
#include "Sharding/Rule.h"
#include "Sharding/Rules/Call.h"
#include "Sharding/Rules/Factories.h"
#include "Sharding/Rules/Table.h"

namespace vescale::sharding {
namespace {

/// The operands of a rule in the notation: the arguments that are tensors or lists of them.
std::vector<Argument> tensor_arguments(const OpCall& call, const rules::Schema& schema) {
  std::vector<Argument> result;
  for (std::size_t i = 0; i < call.arguments.size() && i < schema.arguments().size(); ++i) {
    if (schema.arguments()[i].kind.find('T') != std::string_view::npos) result.push_back(call.arguments[i]);
  }
  return result;
}

}  // namespace

std::optional<ShardingRule> find_rule(const OpCall& call) {
  const rules::Schema schema = rules::schema_of(call);
  const rules::Entry* entry = rules::find_entry(call.name, schema.overload());
  if (entry == nullptr) return std::nullopt;
  try {
    if (entry->family == nullptr)
      return Notation::compile(entry->notation).apply(tensor_arguments(call, schema));
    const rules::Call named(call, schema);
    if (named.tensors().empty()) return std::nullopt;
    return entry->family(named, entry->traits);
  } catch (const rules::UnknownValue&) {
    return std::nullopt;
  }
}

bool has_rule(std::string_view name) {
  return rules::find_any_entry(name) != nullptr || rules::is_factory(name);
}

bool has_rule(std::string_view name, std::string_view overload) {
  return rules::find_entry(name, overload) != nullptr || rules::is_factory(name);
}

bool has_dynamic_shape(const OpCall& call) {
  if (call.name != "index") return false;
  const std::vector<TensorFacts> inputs = tensor_inputs(call);
  return std::any_of(inputs.begin() + std::min<std::ptrdiff_t>(1, std::ssize(inputs)), inputs.end(),
                     [](const TensorFacts& index) { return index.mask; });
}

}  // namespace vescale::sharding
