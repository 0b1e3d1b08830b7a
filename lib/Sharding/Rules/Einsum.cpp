/// einsum: its own equation is the rule.
#include <algorithm>
#include <map>

#include <vescale/error.h>

#include "Sharding/Rules/Families.h"

namespace vescale::sharding::rules {
namespace {

constexpr char ellipsis = '.';

/// Subscripts without blanks, "..." as one '.'.
std::string condensed(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    result += text[i];
    if (text.substr(i, 3) == "...") i += 2;
  }
  return result;
}

class Equation {
 public:
  explicit Equation(std::string_view text) {
    const std::string equation = condensed(text);
    const std::size_t arrow = equation.find("->");
    const std::string left = equation.substr(0, arrow);
    for (std::size_t begin = 0; begin <= left.size();) {
      const std::size_t end = std::min(left.find(',', begin), left.size());
      operands.push_back(left.substr(begin, end - begin));
      begin = end + 1;
    }
    output = arrow == std::string::npos ? implied(left) : equation.substr(arrow + 2);
  }

  std::vector<std::string> operands;
  std::string output;

 private:
  /// Without "->": the batch dims, then what appears once, upper case first as in ASCII.
  static std::string implied(const std::string& left) {
    std::string result(left.find(ellipsis) == std::string::npos ? "" : ".");
    std::map<char, int> counts;
    for (char c : left) {
      if (c != ',' && c != ellipsis) ++counts[c];
    }
    for (const auto& [label, count] : counts) {
      if (count == 1) result += label;
    }
    return result;
  }
};

class EinsumRule {
 public:
  EinsumRule(const Call& call, const Equation& equation, const std::vector<int>& tensors)
      : call_(call), equation_(equation), tensors_(tensors), builder_(call) {}

  ShardingRule run() && {
    for (std::size_t i = 0; i < tensors_.size(); ++i) read_sizes(i);
    for (auto& [label, size] : sizes_) factors_[label] = builder_.factor(size);
    batch_ = builder_.factors(batch_sizes_);
    for (std::size_t i = 0; i < tensors_.size(); ++i) builder_.input(tensors_[i], dims(i));
    Dims output;
    for (char label : equation_.output) {
      if (label == ellipsis) {
        output.insert(output.end(), batch_.begin(), batch_.end());
      } else if (factors_.count(label) == 0) {
        throw Error(std::string("einsum: '") + label + "' is in no operand");
      } else {
        output.push_back({factors_[label]});
      }
    }
    builder_.output(std::move(output));
    builder_.linear(Linearity::Multilinear);
    return std::move(builder_).finish();
  }

 private:
  const Sizes& sizes(std::size_t operand) const { return call_.sizes(tensors_[operand]); }

  std::size_t batch_rank(std::size_t operand) const {
    const std::string& labels = equation_.operands[operand];
    const bool batch = labels.find(ellipsis) != std::string::npos;
    const std::size_t named = labels.size() - (batch ? 1 : 0);
    if (sizes(operand).size() < named || (!batch && sizes(operand).size() != named)) {
      throw Error("einsum: '" + labels + "' does not fit a tensor of " +
                  std::to_string(sizes(operand).size()) + " dims");
    }
    return sizes(operand).size() - named;
  }

  /// Calls visit(label, size, place from the right among the batch dims) for each dim.
  template <class Visit>
  void each_dim(std::size_t operand, Visit visit) const {
    const std::size_t batch = batch_rank(operand);
    std::size_t d = 0;
    for (char label : equation_.operands[operand]) {
      const std::size_t count = label == ellipsis ? batch : 1;
      for (std::size_t i = 0; i < count; ++i) visit(label, sizes(operand)[d++], batch - i);
    }
  }

  static void join(std::int64_t& known, std::int64_t size) {
    if (known == 1 || (known == unknown_size && size != 1)) known = size;
    if (size == 1 || size == unknown_size || size == known) return;
    throw Error("einsum: sizes " + std::to_string(known) + " and " + std::to_string(size) + " of one label");
  }

  void read_sizes(std::size_t operand) {
    const std::size_t batch = batch_rank(operand);
    if (batch > batch_sizes_.size())
      batch_sizes_.insert(batch_sizes_.begin(), batch - batch_sizes_.size(), 1);
    each_dim(operand, [&](char label, std::int64_t size, std::size_t from_right) {
      if (label == ellipsis) return join(batch_sizes_[batch_sizes_.size() - from_right], size);
      join(sizes_.emplace(label, size).first->second, size);
    });
  }

  Dims dims(std::size_t operand) {
    Dims result;
    std::string seen;
    each_dim(operand, [&](char label, std::int64_t size, std::size_t from_right) {
      const int factor = label == ellipsis ? batch_[batch_.size() - from_right].front() : factors_[label];
      if (label != ellipsis && seen.find(label) != std::string::npos) builder_.unshardable(factor);
      seen += label;
      const bool broadcasts = size == 1 && builder_.size(factor) != 1;
      result.push_back(broadcasts ? DimFactors() : DimFactors{factor});
    });
    return result;
  }

  const Call& call_;
  const Equation& equation_;
  const std::vector<int>& tensors_;
  Builder builder_;
  std::map<char, std::int64_t> sizes_;
  std::map<char, int> factors_;
  Sizes batch_sizes_;
  Dims batch_;
};

}  // namespace

std::optional<ShardingRule> einsum(const Call& call, const Traits&) {
  const std::optional<std::string> text = call.text("equation");
  if (!text) return std::nullopt;
  const Equation equation(*text);
  const std::vector<int> tensors = call.tensor_list("tensors");
  if (tensors.size() != equation.operands.size()) {
    throw Error("einsum: \"" + *text + "\" has " + std::to_string(equation.operands.size()) +
                " operands, the call has " + std::to_string(tensors.size()));
  }
  if (std::find(tensors.begin(), tensors.end(), -1) != tensors.end()) return std::nullopt;
  return EinsumRule(call, equation, tensors).run();
}

}  // namespace vescale::sharding::rules
