#include "Sharding/Rules/Call.h"

#include <charconv>

#include <vescale/error.h>

namespace vescale::sharding::rules {
namespace {

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || stop != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

/// "[0,1]", or "1" for all elements of a list whose length is not written.
std::optional<Sizes> parse_integers(std::string_view text) {
  if (const auto single = parse_integer(text)) return Sizes{*single};
  if (text.size() < 2 || text.front() != '[') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  Sizes result;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const auto value = parse_integer(text.substr(0, comma));
    if (!value) return std::nullopt;
    result.push_back(*value);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return result;
}

}  // namespace

Call::Call(const OpCall& op, const Schema& schema) : op_(op), schema_(schema) {
  indices_.resize(op.arguments.size());
  for (std::size_t i = 0; i < op.arguments.size(); ++i) {
    if (const auto* tensor = std::get_if<TensorFacts>(&op.arguments[i])) {
      indices_[i].push_back(static_cast<int>(tensors_.size()));
      tensors_.push_back(tensor);
    } else if (const auto* list = std::get_if<std::vector<std::optional<TensorFacts>>>(&op.arguments[i])) {
      for (const std::optional<TensorFacts>& element : *list) {
        indices_[i].push_back(element ? static_cast<int>(tensors_.size()) : -1);
        if (element) tensors_.push_back(&*element);
      }
    }
  }
}

int Call::position(std::string_view argument) const {
  const int found = schema_.find(argument);
  if (found < 0) throw UnknownValue{};
  return found;
}

bool Call::is_list(std::string_view argument) const {
  const auto i = static_cast<std::size_t>(position(argument));
  return schema_.arguments()[i].kind.find('[') != std::string_view::npos;
}

const Argument* Call::value(std::string_view argument) const {
  const int found = schema_.find(argument);
  if (found < 0) return nullptr;
  const auto i = static_cast<std::size_t>(found);
  if (i < op_.known.size() && !op_.known[i]) throw UnknownValue{};
  if (i >= op_.arguments.size() || std::holds_alternative<std::monostate>(op_.arguments[i])) return nullptr;
  return &op_.arguments[i];
}

std::optional<std::int64_t> Call::integer(std::string_view argument) const {
  if (const Argument* given = value(argument)) {
    if (const auto* number = std::get_if<std::int64_t>(given)) return *number;
    return std::nullopt;
  }
  const int found = schema_.find(argument);
  if (found < 0) return std::nullopt;
  return parse_integer(schema_.arguments()[static_cast<std::size_t>(found)].default_value);
}

std::optional<bool> Call::boolean(std::string_view argument) const {
  if (const Argument* given = value(argument)) {
    if (const auto* flag = std::get_if<bool>(given)) return *flag;
    if (const auto* number = std::get_if<std::int64_t>(given)) return *number != 0;
    return std::nullopt;
  }
  const int found = schema_.find(argument);
  if (found < 0) return std::nullopt;
  const std::string_view text = schema_.arguments()[static_cast<std::size_t>(found)].default_value;
  if (text.empty() || text == "None") return std::nullopt;
  return text == "True" || text == "true";
}

std::optional<Sizes> Call::integers(std::string_view argument) const {
  if (const Argument* given = value(argument)) {
    if (const auto* list = std::get_if<Sizes>(given)) return *list;
    if (const auto* number = std::get_if<std::int64_t>(given)) return Sizes{*number};
    return std::nullopt;
  }
  const int found = schema_.find(argument);
  if (found < 0) return std::nullopt;
  return parse_integers(schema_.arguments()[static_cast<std::size_t>(found)].default_value);
}

std::optional<std::string> Call::text(std::string_view argument) const {
  const Argument* given = value(argument);
  if (given == nullptr) return std::nullopt;
  if (const auto* text = std::get_if<std::string>(given)) return *text;
  return std::nullopt;
}

std::int64_t Call::dim(std::string_view argument, std::size_t rank) const {
  const std::optional<std::int64_t> given = integer(argument);
  if (!given) throw UnknownValue{};
  return wrap_dim(*given, rank, name());
}

std::optional<int> Call::tensor(std::string_view argument) const {
  const int found = schema_.find(argument);
  if (found < 0 || static_cast<std::size_t>(found) >= indices_.size()) return std::nullopt;
  const auto i = static_cast<std::size_t>(found);
  if (i < op_.known.size() && !op_.known[i]) throw UnknownValue{};
  if (!std::holds_alternative<TensorFacts>(op_.arguments[i])) return std::nullopt;
  return indices_[i].front();
}

std::vector<int> Call::tensor_list(std::string_view argument) const {
  const auto i = static_cast<std::size_t>(position(argument));
  if (i < op_.known.size() && !op_.known[i]) throw UnknownValue{};
  return i < indices_.size() ? indices_[i] : std::vector<int>();
}

int Call::required(std::string_view argument) const {
  if (const std::optional<int> found = tensor(argument)) return *found;
  throw UnknownValue{};
}

std::int64_t wrap_dim(std::int64_t dim, std::size_t rank, std::string_view op) {
  const auto dims = static_cast<std::int64_t>(rank == 0 ? 1 : rank);
  if (dim < -dims || dim >= dims) {
    throw Error(std::string(op) + ": dim " + std::to_string(dim) + " is out of range; the tensor has " +
                std::to_string(rank) + " dims");
  }
  return dim < 0 ? dim + dims : dim;
}

}  // namespace vescale::sharding::rules
