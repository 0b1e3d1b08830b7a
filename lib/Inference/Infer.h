#pragma once
/// Abstract interpretation of a program over placements: what every expression's placement is, and what ops
/// need.
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <vescale/sharding/mesh_shape.h>
#include "Frontend/Facts.h"
#include "Inference/Value.h"
#include "Plan/Plan.h"

namespace vescale::inference {

/// An expression by what is written, so that instantiations of one pattern are one place: file, begin, end.
using Written = std::tuple<int, unsigned, unsigned>;
/// Places that can't be converted on an axis, since contexts disagree.
using Refused = std::set<std::pair<Written, std::size_t>>;

/// An expression's tensor is converted on an axis to a placement, wherever it is evaluated.
struct Target {
  Placement to;
  std::string reason;
  bool has_gradient = true;  ///< else nothing moves in backward
};
using Forced = std::map<std::pair<facts::ExprId, std::size_t>, Target>;

/// An op, a join or a call needs a value in a placement on one axis (`from` == `to`: it takes it as it is).
struct Need {
  int context = -1;
  Definition definition;            ///< of the value
  facts::ExprId use = facts::none;  ///< the expression to wrap; none where paths join
  std::size_t axis = 0;
  Placement from;
  Placement to;
  std::string reason;
  int loops = 0;  ///< around the use
};

/// A forced conversion that happened.
struct Applied {
  Placement from;
  Placement to;
  std::string reason;
  double bytes = 0;  ///< of the whole tensor, 0 if its sizes are not known
  int context = -1;
  bool has_gradient = true;
};

/// Of a parameter in a context: the expression that a caller passes for it.
struct Passed {
  int context = -1;
  facts::VarId parameter = facts::none;
  int caller = -1;
  facts::ExprId argument = facts::none;
  Definition definition;
  int loops = 0;
};

struct Finding {
  std::string id;
  facts::SourceRange range;
  std::string text;
  std::string fixit;
  auto key() const { return std::tie(range.file, range.begin, id, text); }
  friend bool operator<(const Finding& a, const Finding& b) { return a.key() < b.key(); }
};

struct Trace {
  std::vector<Need> needs;
  std::vector<Passed> passed;
  std::map<std::pair<facts::ExprId, std::size_t>, std::vector<Applied>> applied;
  /// Per tensor expression and axis, per context the placement before a forced conversion ("?": not known).
  std::map<std::pair<facts::ExprId, std::size_t>, std::map<int, std::string>> seen;
  /// Per statement that makes a tensor, and per parameter: what it is, per context.
  std::map<std::tuple<int, unsigned, unsigned>, std::pair<facts::SourceRange, std::set<std::string>>> made;
  std::set<Finding> findings;
  std::map<std::string, Tensor> leaves;  ///< parameters that are used, by FQN
};

struct Setting {
  MeshShape mesh;  ///< sizes too: 2 where they are not known
  const plan::Plan* plan = nullptr;
};

Written written(const facts::Program& program, facts::ExprId expr);
/// Whether a call can be written around the expression.
bool can_wrap(const facts::Program& program, facts::ExprId expr);

/// Interprets from main and from every function that nothing calls, until nothing changes. Where two
/// placements join, one value is taken to be converted where it is made, and the trace needs that, unless the
/// place is refused.
Trace infer(const facts::Program& program, const Setting& setting, const Forced& forced,
            const Refused& refused);

}  // namespace vescale::inference
