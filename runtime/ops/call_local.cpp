#include <vescale/call_local.h>

#include <c10/util/StringUtil.h>

#include <unordered_map>

#include <vescale/mesh.h>

#include "Sharding/Notation.h"
#include "debug/options.h"
#include "ops/call_plan.h"
#include "tensor/layout_table.h"

namespace vescale::detail {

/// What a call under a rule does with tensors of these layouts.
struct LocalPlan {
  struct Result {
    std::vector<Placement> placements;
    std::vector<std::int64_t> sizes;  ///< global
    // Of the last call: its local strides decide the global memory order.
    const Layout* layout = nullptr;
    std::vector<std::int64_t> local_strides;
  };
  std::vector<InputAction> inputs;  ///< per tensor, absent ones included
  std::vector<Result> results;
};

namespace {

/// The plans of one rule on one rank; bounded.
class RulePlans {
 public:
  explicit RulePlans(std::string_view rule) : notation_(sharding::Notation::compile(rule)) {}

  const sharding::Notation& notation() const { return notation_; }
  std::shared_ptr<LocalPlan> find(const CallKey& key) {
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      if (!(plans_[i].first == key)) continue;
      if (i > 0) std::swap(plans_[i], plans_[i - 1]);
      return plans_[i > 0 ? i - 1 : 0].second;
    }
    return nullptr;
  }
  void insert(CallKey key, std::shared_ptr<LocalPlan> plan) {
    if (plans_.size() == CallCache::capacity) plans_.pop_back();
    plans_.emplace(plans_.begin(), std::move(key), std::move(plan));
  }

 private:
  sharding::Notation notation_;
  std::vector<std::pair<CallKey, std::shared_ptr<LocalPlan>>> plans_;
};

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

/// Of this rank, so no other thread reads or writes it.
struct RuleCache {
  std::unordered_map<std::string, RulePlans, TextHash, std::equal_to<>> rules;

  RulePlans& of(std::string_view rule) {
    const auto found = rules.find(rule);
    if (found != rules.end()) return found->second;
    return rules.emplace(std::string(rule), RulePlans(rule)).first->second;
  }
};

RulePlans& plans_of(std::string_view rule) { return RankContext::current().slot<RuleCache>().of(rule); }

sharding::Argument facts_or_nothing(const DTensor& x) {
  if (!x.defined()) return {};
  return facts_of(x.local(), x.layout());
}

const Layout* result_layout(const LocalPlan::Result& result, const at::Tensor& local) {
  const std::vector<std::int64_t> strides = local.dim() == static_cast<std::int64_t>(result.sizes.size())
                                                ? dense_strides_like(result.sizes, local.strides())
                                                : contiguous_strides(result.sizes);
  return LayoutTable::current().intern(result.placements, result.sizes, strides);
}

std::string text_of(const Layout* layout) { return "[" + layout->to_string() + "]"; }

}  // namespace

void LocalCall::fail(const std::string& problem) const {
  std::string text = "vs::call_local(\"" + std::string(rule_) + "\"): " + problem;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    text += std::string(i == 0 ? "; the arguments are " : ", ") + std::to_string(i) + ": ";
    if (!tensors_[i].defined()) {
      text += "none";
    } else {
      text += c10::str(tensors_[i].sizes()) + " " + text_of(tensors_[i].layout());
    }
  }
  throw Error(text);
}

std::shared_ptr<LocalPlan> LocalCall::find_plan() const {
  CallKey key;
  std::size_t next = 0;
  for (const std::int64_t count : lists_) {
    if (count != single) key.add(count);
    for (std::int64_t i = 0; i < (count == single ? 1 : count); ++i) key.add(tensors_[next++]);
  }
  RulePlans& plans = plans_of(rule_);
  if (std::shared_ptr<LocalPlan> plan = plans.find(key)) return plan;
  std::shared_ptr<LocalPlan> plan = make_plan();
  plans.insert(std::move(key), plan);
  return plan;
}

std::shared_ptr<LocalPlan> LocalCall::make_plan() const {
  std::vector<sharding::Argument> arguments;
  std::vector<sharding::TensorFacts> inputs;
  std::size_t next = 0;
  for (const std::int64_t count : lists_) {
    if (count == single) {
      arguments.push_back(facts_or_nothing(tensors_[next++]));
      continue;
    }
    std::vector<std::optional<sharding::TensorFacts>> list;
    for (std::int64_t i = 0; i < count; ++i, ++next) {
      if (!tensors_[next].defined()) fail("a tensor of a list is undefined");
      list.emplace_back(facts_of(tensors_[next].local(), tensors_[next].layout()));
    }
    arguments.emplace_back(std::move(list));
  }
  for (const DTensor& x : tensors_) {
    if (x.defined()) inputs.push_back(facts_of(x.local(), x.layout()));
  }
  sharding::Resolution resolution;
  try {
    const sharding::ShardingRule rule = plans_of(rule_).notation().apply(arguments);
    resolution = *sharding::resolve(RankContext::current().mesh().shape(), rule, inputs);
  } catch (const Error& error) {
    fail(error.what());
  }
  auto plan = std::make_shared<LocalPlan>();
  std::size_t wanted = 0;
  for (const DTensor& x : tensors_) {
    plan->inputs.push_back(x.defined() ? action_for(x.layout(), resolution.inputs[wanted++]) : InputAction{});
    if (options().strict && plan->inputs.back().kind == InputAction::Kind::Redistribute) {
      const std::string to = plan->inputs.back().target->to_string();
      fail("strict: it would communicate to turn argument " + std::to_string(plan->inputs.size() - 1) +
           " into [" + to + "]; write vs::redistribute(x, \"" + to + "\") before the call");
    }
  }
  for (std::size_t i = 0; i < resolution.outputs.size(); ++i) {
    plan->results.push_back({resolution.outputs[i], resolution.output_sizes[i], nullptr, {}});
  }
  return plan;
}

void LocalCall::convert() {
  plan_ = find_plan();
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const InputAction& action = plan_->inputs[i];
    if (!tensors_[i].defined()) {
      locals_.emplace_back();
    } else {
      locals_.push_back(action.kind == InputAction::Kind::Keep ? tensors_[i].local()
                                                               : apply_action(tensors_[i], action).local());
    }
  }
}

DTensor LocalCall::wrap(at::Tensor local) {
  const std::size_t index = results_++;
  if (index >= plan_->results.size()) {
    fail("the function gives more tensors than the rule has results (" +
         std::to_string(plan_->results.size()) + ")");
  }
  if (!local.defined()) return {};
  LocalPlan::Result& result = plan_->results[index];
  if (result.layout == nullptr || local.strides() != result.local_strides) {
    result.layout = result_layout(result, local);
    result.local_strides = local.strides().vec();
  }
  const std::vector<std::int64_t>& expected = rank_layout(result.layout).local_sizes;
  if (local.sizes() != expected) {
    fail("result " + std::to_string(index) + " has sizes " + c10::str(local.sizes()) + " on rank " +
         std::to_string(RankContext::current().rank()) + ", but by the rule it is " +
         c10::str(c10::IntArrayRef(result.sizes)) + " " + text_of(result.layout) + ", so it must have " +
         c10::str(c10::IntArrayRef(expected)) + " there");
  }
  return {std::move(local), result.layout};
}

void LocalCall::finish() const {
  if (results_ == plan_->results.size()) return;
  fail("the function gives " + std::to_string(results_) + " tensors, but the rule has " +
       std::to_string(plan_->results.size()) + " results");
}

}  // namespace vescale::detail
