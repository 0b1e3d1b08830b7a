#include "Comm/Proposals.h"

#include <algorithm>

namespace vescale::comm {
namespace {

using facts::ExprId;
using inference::Definition;
using inference::Need;
using inference::Trace;

/// All uses of one value on one axis.
struct Group {
  Definition definition;
  std::size_t axis = 0;
  std::vector<Need> wants;
  bool accepted = false;  ///< a use takes the value as it is
};

class Proposer {
 public:
  Proposer(const facts::Program& program, const Trace& trace, inference::Refused& refused)
      : program_(program), trace_(trace), refused_(refused) {}

  Proposals run() {
    for (const auto& [key, group] : groups()) {
      if (!group.wants.empty()) place(group);
    }
    check();
    return std::move(result_);
  }

 private:
  using Key = std::tuple<int, ExprId, facts::VarId, ExprId, std::size_t>;

  std::map<Key, Group> groups() const {
    std::map<Key, Group> result;
    for (const Need& need : trace_.needs) {
      const Definition& made = need.definition;
      // A value whose origin is not known is a value of its own at each use.
      const ExprId own = made.known() ? facts::none : need.use;
      Group& group = result[{need.context, made.expr, made.parameter, own, need.axis}];
      group.definition = made;
      group.axis = need.axis;
      if (need.from == need.to) {
        group.accepted = true;
      } else {
        group.wants.push_back(need);
      }
    }
    return result;
  }

  bool can_wrap(ExprId id) const { return inference::can_wrap(program_, id); }

  void place(const Group& group) {
    Need want = group.wants.front();
    const bool same = std::all_of(group.wants.begin(), group.wants.end(),
                                  [&](const Need& one) { return one.to == want.to; });
    const bool all_whole = std::all_of(group.wants.begin(), group.wants.end(),
                                       [](const Need& one) { return one.to.is_replicated(); });
    if (!same && all_whole) want.to = Placement::invariant();  // made whole once, viewed as R+ from there
    const auto joins = [](const Need& one) { return one.use == facts::none; };
    if (const auto joined = std::find_if(group.wants.begin(), group.wants.end(), joins);
        joined != group.wants.end()) {
      const Need& need = same || !all_whole ? *joined : want;
      if (can_wrap(group.definition.expr))
        return add(group.definition.expr, group.definition.context, group.axis, need);
    }
    const bool shared = group.wants.size() > 1;
    const bool inner = std::any_of(group.wants.begin(), group.wants.end(),
                                   [&](const Need& one) { return one.loops > group.definition.loops; });
    // A sum that is needed whole somewhere is reduced where it is made: what goes on with it open would have
    // to reduce it later.
    const bool reduced = want.from.is_partial() && all_whole && group.accepted;
    const bool hoist = (same || all_whole) && ((!group.accepted && (shared || inner)) || reduced);
    if (hoist && can_wrap(group.definition.expr)) {
      add(group.definition.expr, group.definition.context, group.axis, want);
      return;
    }
    if (hoist && group.definition.parameter != facts::none && !group.accepted && pass_converted(group, want))
      return;
    for (const Need& one : group.wants) add(one.use, one.context, group.axis, one);
  }

  // A variable that is passed by reference has to stay one.
  bool binds(const inference::Passed& passed) const {
    const auto kind = program_.exprs[static_cast<std::size_t>(passed.argument)].kind;
    const bool lvalue = kind == facts::Expr::Kind::Variable || kind == facts::Expr::Kind::Member ||
                        kind == facts::Expr::Kind::Index;
    return lvalue && program_.variables[static_cast<std::size_t>(passed.parameter)].by_reference;
  }

  // Callers convert what they pass.
  bool pass_converted(const Group& group, const Need& want) {
    std::vector<inference::Passed> passed;
    for (const inference::Passed& one : trace_.passed) {
      if (one.context != group.definition.context || one.parameter != group.definition.parameter) continue;
      if (!can_wrap(one.argument) || binds(one)) return false;
      passed.push_back(one);
    }
    for (const inference::Passed& one : passed) add(one.argument, one.caller, group.axis, want);
    return !passed.empty();
  }

  // Rows of a table that are viewed as R+ could as well be looked up by indices that are R+: then it is the
  // table that is viewed, and its gradient is summed with those of the other parameters.
  ExprId indices_of(ExprId id, std::size_t axis, const Need& need) const {
    const facts::Expr& expr = program_.exprs[static_cast<std::size_t>(id)];
    const bool lookup =
        expr.kind == facts::Expr::Kind::ModuleCall && expr.children.size() == 2 &&
        program_.exprs[static_cast<std::size_t>(expr.children[0])].type.name == "torch::nn::Embedding";
    if (!lookup || !need.from.is_invariant() || need.to != Placement::replicate()) return facts::none;
    const ExprId indices = expr.children[1];
    const bool possible = can_wrap(indices) && !refused_.count({inference::written(program_, indices), axis});
    return possible ? indices : facts::none;
  }

  void add(ExprId id, int context, std::size_t axis, const Need& need) {
    if (!can_wrap(id)) return;
    const ExprId indices = indices_of(id, axis, need);
    if (indices != facts::none) {
      convert(indices, context, axis,
              {need.from,
               need.to,
               "so that the table's gradient is summed with those of other parameters",
               {},
               /*has_gradient=*/false});
    } else {
      convert(id, context, axis, {need.from, need.to, need.reason, {}});
    }
  }

  void convert(ExprId id, int context, std::size_t axis, const Proposal& need) {
    const auto key = std::make_pair(inference::written(program_, id), axis);
    if (refused_.count(key)) return;
    const auto [found, fresh] = result_.try_emplace(key, need);
    Proposal& proposal = found->second;
    if (!fresh && !(proposal.to == need.to && proposal.from == need.from)) {
      conflicts_.insert(key);
      return;
    }
    proposal.wanted.insert({id, context});
  }

  // In each context the value there is what is converted, and someone wants that, or it is converted already.
  void check() {
    for (const auto& [key, proposal] : result_) {
      for (const ExprId id : expressions_at(program_, key.first)) {
        const auto seen = trace_.seen.find({id, key.second});
        if (seen == trace_.seen.end()) continue;
        for (const auto& [context, placement] : seen->second) {
          const bool wanted = placement == proposal.from.to_string() && proposal.wanted.count({id, context});
          if (!wanted && placement != proposal.to.to_string()) conflicts_.insert(key);
        }
      }
    }
    for (const auto& key : conflicts_) {
      result_.erase(key);
      refused_.insert(key);
    }
  }

  const facts::Program& program_;
  const Trace& trace_;
  inference::Refused& refused_;
  Proposals result_;
  std::set<std::pair<Written, std::size_t>> conflicts_;
};

}  // namespace

std::vector<ExprId> expressions_at(const facts::Program& program, const Written& place) {
  std::vector<ExprId> result;
  for (std::size_t i = 0; i < program.exprs.size(); ++i) {
    const facts::SourceRange& range = program.exprs[i].range;
    const bool tensor = program.exprs[i].type.kind == facts::Type::Kind::Tensor;
    if (tensor && place == Written{range.file, range.begin, range.end})
      result.push_back(static_cast<ExprId>(i));
  }
  return result;
}

Proposals propose(const facts::Program& program, const Trace& trace, inference::Refused& refused) {
  return Proposer(program, trace, refused).run();
}

}  // namespace vescale::comm
