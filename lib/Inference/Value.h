#pragma once
/// What the interpreter knows of a value: an element of the lattice that loops, branches and calls climb.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <vescale/sharding/placement.h>
#include "Frontend/Facts.h"

namespace vescale::inference {

/// The placement on one mesh axis; nothing: decided at run time.
using AxisPlacement = std::optional<Placement>;

/// Where a tensor was made: an expression, or a parameter of a function, in one context of the function.
struct Definition {
  int context = -1;
  facts::ExprId expr = facts::none;
  facts::VarId parameter = facts::none;
  int loops = 0;  ///< loops around it in its function
  bool known() const { return expr != facts::none || parameter != facts::none; }
  friend bool operator==(const Definition&, const Definition&) = default;
};

enum class Dtype : std::uint8_t { Unknown, Float, Integer, Bool };

struct Tensor {
  std::vector<AxisPlacement> placements;           ///< per mesh axis
  std::optional<std::vector<std::int64_t>> sizes;  ///< nothing: not even the rank is known
  bool exact = false;                              ///< the sizes are the program's, not stand-ins
  Dtype dtype = Dtype::Unknown;
  std::string leaf;  ///< FQN if it is a parameter itself
  Definition definition;
};

/// Placements of parameters by FQN pattern, as annotations above a module give them.
using ParameterTable = std::vector<std::pair<std::string, std::string>>;

struct Value {
  enum class Kind : std::uint8_t {
    None,     ///< nothing yet: the bottom of the lattice, also a default-constructed tensor
    Unknown,  ///< anything that carries no tensor, or that we do not follow
    Absent,   ///< an optional argument that is not there
    Tensor,
    Integer,   ///< `integer`; if not `exact` a stand-in for a size that comes at run time
    Integers,  ///< `elements` are Integers
    Float,     ///< a number that is no size
    Bool,
    Tuple,     ///< `elements`
    List,      ///< `elements[0]` is the join of all
    Module,    ///< `name` its class, `fqn`, `elements` the arguments of its construction
    Object,    ///< of the user's class `name`
    Function,  ///< `function`
  };
  Kind kind = Kind::None;
  Tensor tensor;
  std::int64_t integer = 0;
  bool exact = true;
  std::vector<Value> elements;
  std::vector<std::string> names;  ///< of elements of a Module: setters of its options, else empty
  std::string name;
  std::string fqn;
  ParameterTable table;
  facts::FunctionId function = facts::none;

  bool is_tensor() const { return kind == Kind::Tensor; }
  /// For keys: equal texts are equal values, but for where they were made.
  std::string to_string() const;
};

Value make_unknown();
Value make_integer(std::int64_t integer, bool exact = true);
/// A tensor with the same placement on each of `axes`.
Value make_tensor(std::size_t axes, AxisPlacement placement,
                  std::optional<std::vector<std::int64_t>> sizes = std::nullopt);

/// "dp=S(0) tp=P"; axes that are R are left out, those decided at run time are "?". "R" if all are R.
std::string layout_text(const std::vector<AxisPlacement>& placements, const std::vector<std::string>& axes);

}  // namespace vescale::inference
