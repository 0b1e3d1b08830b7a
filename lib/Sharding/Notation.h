#pragma once
/// The einsum-like notation of sharding rules. docs/rules.md explains it with examples.
///
///   rule     := '(' [operand {',' operand}] ')' '->' results [';' flag]
///   operand  := ['+'] (dims | '[' dims ']') ['?']
///                  + it is added to the result (a bias); [] a list of tensors; ? optional
///   results  := dims | '(' [dims {',' dims}] ')'
///                  parentheses around all that follows '->' make a tuple
///   dims     := {dim}
///                  none: a scalar
///   dim      := factor | '1' | '...' mark | '(' factor {factor} ')'
///                  1: of size 1; (a b): made of a and b, a major
///   factor   := name mark
///   mark     := ['!'] [':' reduce]
///                  ! not to be sharded; reduce: sum (default), avg, max, min, prod
///   flag     := ('move' | 'joint' | 'multilinear') ['(' number {',' number} ')']
///                  the operands it speaks of, counted from 0; all if none
///
/// Names are letters, digits and _, no digit first. '...' stands for any number of dims, the same in all
/// operands that have it, aligned at the right; of these a dim of size 1 broadcasts. A mark on any mention of
/// a factor holds for the factor.
#include <string>
#include <string_view>
#include <vector>

#include <vescale/error.h>

#include "Sharding/Rule.h"

namespace vescale::sharding {

/// A rule that can't be read. The message quotes it and names the position and what was expected there.
class NotationError : public Error {
 public:
  NotationError(const std::string& message, std::size_t position) : Error(message), position_(position) {}
  /// Of the mistake in the text, from 0; the text's size if something is missing at its end.
  std::size_t position() const { return position_; }

 private:
  std::size_t position_;
};

class Notation {
 public:
  /// Throws NotationError.
  static Notation compile(std::string_view text);

  /// The rule for tensors of these shapes. One argument per operand: a tensor, a list for an operand in [],
  /// or nothing for an optional one; missing trailing arguments are nothing. Throws vescale::Error where the
  /// shapes contradict the rule.
  ShardingRule apply(const std::vector<Argument>& arguments) const;

  const std::string& text() const { return text_; }

  /// A factor as written: its name ("..." for the batch dims), whether it may be sharded, and how it reduces.
  struct Symbol {
    std::string name;
    Factor factor;
  };
  /// Indices into symbols, major first; the batch dims are one dim of the one symbol "...". Empty: size 1.
  using Dim = std::vector<int>;
  struct Tensor {
    std::vector<Dim> dims;
    bool additive = false;
    bool list = false;
    bool optional = false;
  };
  const std::vector<Symbol>& symbols() const { return symbols_; }
  const std::vector<Tensor>& operands() const { return operands_; }
  const std::vector<Tensor>& results() const { return results_; }
  int batch_symbol() const { return batch_symbol_; }
  Linearity linearity() const { return linearity_; }
  const std::vector<int>& linear_operands() const { return linear_operands_; }

 private:
  friend class NotationParser;
  std::string text_;
  std::vector<Symbol> symbols_;
  std::vector<Tensor> operands_;
  std::vector<Tensor> results_;
  int batch_symbol_ = -1;
  Linearity linearity_ = Linearity::None;
  std::vector<int> linear_operands_;
};

}  // namespace vescale::sharding
