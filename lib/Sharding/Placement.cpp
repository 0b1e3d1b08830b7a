#include <vescale/sharding/placement.h>

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include <vescale/error.h>

namespace vescale {
namespace {

constexpr std::array<std::pair<std::string_view, ReduceOp>, 5> reduce_names{{{"sum", ReduceOp::Sum},
                                                                             {"avg", ReduceOp::Avg},
                                                                             {"max", ReduceOp::Max},
                                                                             {"min", ReduceOp::Min},
                                                                             {"prod", ReduceOp::Prod}}};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  text = trimmed(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

[[noreturn]] void reject(std::string_view text, const std::string& why) {
  throw Error("'" + std::string(text) + "' is not a placement: " + why +
              "; write R, R+, S(dim), S(dim,sections), P or P(sum|avg|max|min|prod)");
}

Placement parse_shard(std::string_view text, std::string_view arguments) {
  const auto comma = arguments.find(',');
  const auto dim = whole_number(arguments.substr(0, comma));
  if (!dim) reject(text, "S takes the number of a dim");
  if (*dim < 0) reject(text, "a dim counts from 0, negative ones are not taken");
  if (*dim > std::numeric_limits<std::int16_t>::max()) reject(text, "no tensor has that many dims");
  if (comma == std::string_view::npos) return Placement::shard(*dim);
  const auto sections = whole_number(arguments.substr(comma + 1));
  if (!sections || *sections < 1) reject(text, "the number of sections is a whole number from 1 on");
  return *sections == 1 ? Placement::shard(*dim) : Placement::interleaved(*dim, *sections);
}

}  // namespace

const char* to_string(ReduceOp op) {
  for (const auto& [name, value] : reduce_names) {
    if (value == op) return name.data();
  }
  return "?";
}

Placement Placement::gradient() const {
  switch (kind) {
    case Kind::Invariant:
    case Kind::Partial:
      return invariant();
    case Kind::Replicate:
      return partial();
    case Kind::Shard:
    case Kind::Interleaved:
      break;
  }
  return *this;
}

std::string Placement::to_string() const {
  switch (kind) {
    case Kind::Invariant:
      return "R";
    case Kind::Replicate:
      return "R+";
    case Kind::Shard:
      return "S(" + std::to_string(dim) + ")";
    case Kind::Interleaved:
      return "S(" + std::to_string(dim) + "," + std::to_string(sections) + ")";
    case Kind::Partial:
      break;
  }
  return reduce == ReduceOp::Sum ? "P" : std::string("P(") + vescale::to_string(reduce) + ")";
}

Placement Placement::parse(std::string_view text) {
  const std::string_view form = trimmed(text);
  if (form == "R") return invariant();
  if (form == "R+") return replicate();
  if (form == "P") return partial();
  if (form.empty()) reject(text, "it is empty");
  const std::string_view rest = trimmed(form.substr(1));
  if (rest.size() < 2 || rest.front() != '(' || rest.back() != ')') {
    reject(text, form.front() == 'S' ? "S takes a dim in parentheses" : "unknown form");
  }
  const std::string_view arguments = trimmed(rest.substr(1, rest.size() - 2));
  if (form.front() == 'S') return parse_shard(text, arguments);
  if (form.front() != 'P') reject(text, "unknown form");
  for (const auto& [name, value] : reduce_names) {
    if (name == arguments) return partial(value);
  }
  reject(text, "'" + std::string(arguments) + "' is no reduction");
}

}  // namespace vescale
