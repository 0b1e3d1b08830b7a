#pragma once
/// LibTorch's schemas, as far as rules need them: the names, kinds and defaults of arguments.
#include <string>
#include <string_view>
#include <vector>

#include "Sharding/Rule.h"

namespace vescale::sharding::rules {

struct SchemaArgument {
  std::string_view name;
  std::string_view kind;           ///< as in AtenSchemas.def: "T", "i[]", "b", ...
  std::string_view default_value;  ///< empty if there is none
};

class Schema {
 public:
  Schema(std::string_view overload, std::string_view arguments);
  std::string_view overload() const { return overload_; }
  /// -1 if there is none.
  int find(std::string_view name) const;
  const std::vector<SchemaArgument>& arguments() const { return arguments_; }

 private:
  std::string_view overload_;
  std::vector<SchemaArgument> arguments_;  // out arguments are left out
};

/// The schema of a call: that of its overload, or if there is none the first of its name that its arguments
/// fit. An op that is not in LibTorch has a schema without arguments.
Schema schema_of(const OpCall& call);

}  // namespace vescale::sharding::rules
