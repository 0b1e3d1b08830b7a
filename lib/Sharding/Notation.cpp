#include "Sharding/Notation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <utility>

#include <vescale/error.h>

namespace vescale::sharding {
namespace {

constexpr std::array<std::pair<std::string_view, ReduceOp>, 5> reductions{{{"sum", ReduceOp::Sum},
                                                                           {"avg", ReduceOp::Avg},
                                                                           {"max", ReduceOp::Max},
                                                                           {"min", ReduceOp::Min},
                                                                           {"prod", ReduceOp::Prod}}};

constexpr std::array<std::pair<std::string_view, Linearity>, 3> linearities{
    {{"move", Linearity::Movement}, {"joint", Linearity::Joint}, {"multilinear", Linearity::Multilinear}}};

constexpr std::string_view ellipsis = "...";

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool continues_name(char c) { return starts_name(c) || std::isdigit(static_cast<unsigned char>(c)); }

}  // namespace

// One character of lookahead; every read_ leaves the position behind what it read and the blanks after it.
class NotationParser {
 public:
  explicit NotationParser(std::string_view text) { rule_.text_ = text; }

  Notation parse() && {
    skip_blanks();
    read_operands();
    if (!take("->")) fail("'->'");
    read_results();
    const bool flagged = take(";");
    if (flagged) read_flag();
    if (position_ < text().size()) fail(flagged ? "the end: a rule has one flag" : "a dim, ';' or the end");
    check_symbols();
    return std::move(rule_);
  }

 private:
  std::string_view text() const { return rule_.text_; }

  [[noreturn]] void fail(const std::string& expected) const { fail_at(position_, "expected " + expected); }

  [[noreturn]] void fail_at(std::size_t position, const std::string& what) const {
    std::string found;
    if (position >= text().size()) {
      found = "at its end";
    } else {
      found = "at position " + std::to_string(position + 1) + ", '" +
              std::string(text().substr(position, 12)) + "'";
    }
    throw NotationError("sharding rule \"" + rule_.text_ + "\", " + found + ": " + what, position);
  }

  void skip_blanks() {
    while (position_ < text().size() && std::isspace(static_cast<unsigned char>(text()[position_])))
      ++position_;
  }

  bool at(std::string_view token) const { return text().substr(position_, token.size()) == token; }
  bool at_name() const { return position_ < text().size() && starts_name(text()[position_]); }

  bool take(std::string_view token) {
    if (!at(token)) return false;
    position_ += token.size();
    skip_blanks();
    return true;
  }

  std::string_view read_name() {
    const std::size_t first = position_;
    while (position_ < text().size() && continues_name(text()[position_])) ++position_;
    const std::string_view name = text().substr(first, position_ - first);
    skip_blanks();
    return name;
  }

  void read_operands() {
    if (!take("(")) fail("'(' before the operands");
    if (take(")")) return;
    do {
      rule_.operands_.push_back(read_operand());
    } while (take(","));
    if (!take(")")) fail("a dim, ',' or ')'");
  }

  Notation::Tensor read_operand() {
    const bool additive = take("+");
    const std::size_t start = position_;
    const bool list = take("[");
    Notation::Tensor tensor = read_dims();
    if (list && !take("]")) fail("a dim or ']'");
    tensor.additive = additive;
    tensor.list = list;
    tensor.optional = take("?");
    if (list && tensor.additive) fail_at(start, "a list can't be additive");
    return tensor;
  }

  // "(a, b)" and "(a)" are tuples, "(a b) c" and "a (b c)" are dims: a tuple's parentheses enclose all
  // results.
  void read_results() {
    if (!at("(") || !encloses_results()) {
      rule_.results_.push_back(read_dims());
      if (at(",")) fail_at(position_, "several results need parentheses around them all");
      return;
    }
    take("(");
    do {
      rule_.results_.push_back(read_dims());
    } while (take(","));
    if (!take(")")) fail("a dim, ',' or ')'");
  }

  bool encloses_results() const {
    int depth = 0;
    for (std::size_t i = position_; i < text().size(); ++i) {
      if (text()[i] == '(') ++depth;
      if (text()[i] != ')' || --depth > 0) continue;
      const std::size_t next = text().find_first_not_of(" \t\n", i + 1);
      return next == std::string_view::npos || text()[next] == ';';
    }
    return true;  // never closed: the tuple's reader says so
  }

  Notation::Tensor read_dims() {
    Notation::Tensor tensor;
    bool batch = false;
    for (;;) {
      const std::size_t start = position_;
      if (at(ellipsis)) {
        if (std::exchange(batch, true)) fail_at(start, "'...' appears twice in one tensor");
        tensor.dims.push_back({read_ellipsis()});
      } else if (at_name()) {
        tensor.dims.push_back({read_factor()});
      } else if (at("(")) {
        tensor.dims.push_back(read_group());
      } else if (position_ < text().size() && std::isdigit(static_cast<unsigned char>(text()[position_]))) {
        if (read_number() != 1) fail_at(start, "expected 1: other sizes are those of named dims");
        tensor.dims.emplace_back();
      } else {
        return tensor;
      }
      check_once(tensor, start);
    }
  }

  Notation::Dim read_group() {
    take("(");
    Notation::Dim dim;
    while (at_name()) dim.push_back(read_factor());
    if (at(ellipsis)) fail("a name: '...' can't be a part of a dim");
    if (dim.empty()) fail("a name: a dim is made of one factor or more");
    if (!take(")")) fail("a name or ')'");
    return dim;
  }

  int read_ellipsis() {
    take(ellipsis);
    if (rule_.batch_symbol_ < 0) rule_.batch_symbol_ = symbol(ellipsis);
    read_mark(rule_.batch_symbol_);
    return rule_.batch_symbol_;
  }

  int read_factor() {
    const int index = symbol(read_name());
    read_mark(index);
    return index;
  }

  int symbol(std::string_view name) {
    for (std::size_t i = 0; i < rule_.symbols_.size(); ++i) {
      if (rule_.symbols_[i].name == name) return static_cast<int>(i);
    }
    rule_.symbols_.push_back({std::string(name), {}});
    marked_.push_back(false);
    return static_cast<int>(rule_.symbols_.size()) - 1;
  }

  void read_mark(int index) {
    Factor& factor = rule_.symbols_[index].factor;
    if (take("!")) factor.shardable = false;
    if (!take(":")) return;
    const std::size_t start = position_;
    const std::string_view name = read_name();
    const auto* found =
        std::find_if(reductions.begin(), reductions.end(), [&](auto& r) { return r.first == name; });
    if (found == reductions.end()) fail_at(start, "expected sum, avg, max, min or prod");
    if (marked_[index] && factor.reduce != found->second) {
      fail_at(start,
              "'" + rule_.symbols_[index].name + "' reduces by " + to_string(factor.reduce) + " already");
    }
    factor.reduce = found->second;
    marked_[index] = true;
  }

  std::int64_t read_number() {
    std::int64_t value = 0;
    const std::size_t start = position_;
    while (position_ < text().size() && std::isdigit(static_cast<unsigned char>(text()[position_]))) {
      if (value > std::numeric_limits<int>::max() / 10) fail_at(start, "the number is too large");
      value = value * 10 + (text()[position_++] - '0');
    }
    if (position_ == start) fail("a number");
    skip_blanks();
    return value;
  }

  void read_flag() {
    const std::size_t start = position_;
    const std::string_view name = read_name();
    const auto* found =
        std::find_if(linearities.begin(), linearities.end(), [&](auto& l) { return l.first == name; });
    if (found == linearities.end()) fail_at(start, "expected move, joint or multilinear");
    rule_.linearity_ = found->second;
    if (!take("(")) return;
    do {
      const std::size_t number_at = position_;
      const std::int64_t operand = read_number();
      if (operand >= static_cast<std::int64_t>(rule_.operands_.size())) {
        fail_at(number_at, "operands are numbered from 0 to " + std::to_string(rule_.operands_.size() - 1));
      }
      rule_.linear_operands_.push_back(static_cast<int>(operand));
    } while (take(","));
    if (!take(")")) fail("',' or ')'");
  }

  // A factor that runs along two dims of a tensor (a diagonal) can't be sharded; the mark says that this is
  // meant.
  void check_once(const Notation::Tensor& tensor, std::size_t start) const {
    std::vector<int> seen;
    for (const Notation::Dim& dim : tensor.dims) seen.insert(seen.end(), dim.begin(), dim.end());
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const bool again = std::find(seen.begin(), seen.begin() + i, seen[i]) != seen.begin() + i;
      if (!again || !rule_.symbols_[seen[i]].factor.shardable) continue;
      const std::string& name = rule_.symbols_[seen[i]].name;
      fail_at(start, "'" + name + "' appears twice in one tensor; write '" + name + "!' if it is a diagonal");
    }
  }

  void check_symbols() const {
    for (const Notation::Tensor& result : rule_.results_) {
      for (const Notation::Dim& dim : result.dims) {
        for (int index : dim) check_has_size(index);
      }
    }
  }

  void check_has_size(int index) const {
    for (const Notation::Tensor& operand : rule_.operands_) {
      for (const Notation::Dim& dim : operand.dims) {
        if (std::find(dim.begin(), dim.end(), index) != dim.end()) return;
      }
    }
    // The last mention is in a result.
    throw NotationError("sharding rule \"" + rule_.text_ + "\": '" + rule_.symbols_[index].name +
                            "' is in a result but in no operand, so its size is unknown",
                        text().rfind(rule_.symbols_[index].name));
  }

  Notation rule_;
  std::vector<bool> marked_;  // per symbol: its reduction was written
  std::size_t position_ = 0;
};

Notation Notation::compile(std::string_view text) { return NotationParser(text).parse(); }

}  // namespace vescale::sharding
