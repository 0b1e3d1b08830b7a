#pragma once
/// A call whose arguments are read by their names in LibTorch's schema.
#include <optional>
#include <string_view>
#include <vector>

#include "Sharding/Rule.h"
#include "Sharding/Rules/Schema.h"

namespace vescale::sharding::rules {

/// Thrown where a rule needs a value that the tool does not know; find_rule then gives no rule.
struct UnknownValue {};

using Sizes = std::vector<std::int64_t>;

class Call {
 public:
  /// `schema` and `op` must outlive the call.
  Call(const OpCall& op, const Schema& schema);

  std::string_view name() const { return op_.name; }
  bool has_argument(std::string_view argument) const { return schema_.find(argument) >= 0; }
  /// Whether the schema's argument is a list.
  bool is_list(std::string_view argument) const;
  /// Position among all arguments; throws UnknownValue if the schema has none of this name.
  int position(std::string_view argument) const;

  /// The values of arguments: nothing if absent and without default or of another kind. Throw UnknownValue.
  std::optional<std::int64_t> integer(std::string_view argument) const;
  std::optional<bool> boolean(std::string_view argument) const;
  std::optional<Sizes> integers(std::string_view argument) const;
  std::optional<std::string> text(std::string_view argument) const;

  /// The argument as a dim of a tensor of `rank` dims, not negative. Throws Error if out of range.
  std::int64_t dim(std::string_view argument, std::size_t rank) const;

  /// All tensors in order, lists flattened, absent ones left out: the inputs of the rule.
  const std::vector<const TensorFacts*>& tensors() const { return tensors_; }
  /// The index of a tensor argument in tensors(); nothing if absent.
  std::optional<int> tensor(std::string_view argument) const;
  /// The same for the elements of a tensor list; -1 for an absent element.
  std::vector<int> tensor_list(std::string_view argument) const;
  /// Of an argument that must be there; throws Error if it is not.
  int required(std::string_view argument) const;
  const Sizes& sizes(int tensor) const { return tensors_[static_cast<std::size_t>(tensor)]->sizes; }

 private:
  const Argument* value(std::string_view argument) const;

  const OpCall& op_;
  const Schema& schema_;
  std::vector<const TensorFacts*> tensors_;
  std::vector<std::vector<int>> indices_;  // per argument, into tensors_; -1 absent
};

/// `dim` counted from the front, for a tensor of `rank` dims (a scalar counts as one dim). Throws Error.
std::int64_t wrap_dim(std::int64_t dim, std::size_t rank, std::string_view op);

}  // namespace vescale::sharding::rules
