#pragma once
/// One pass over the program; infer() repeats it until what fields hold no longer changes.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "Inference/Infer.h"
#include "Inference/Modules.h"
#include "Inference/Ops.h"
#include "Inference/StandIns.h"
#include "Sharding/Notation.h"

namespace vescale::inference {

using Environment = std::map<facts::VarId, Value>;
/// What fields of classes hold, all objects together: "Class.field".
using Store = std::map<std::string, Value>;

class Interpreter {
 public:
  Interpreter(const facts::Program& program, const Setting& setting, const Forced& forced,
              const Refused& refused, StandIns& stand_ins, Store& store)
      : program_(program),
        setting_(setting),
        forced_(forced),
        refused_(refused),
        stand_ins_(stand_ins),
        store_(store) {}

  void run();
  Trace take_trace() { return std::move(trace_); }
  bool store_changed() const { return store_changed_; }

  struct Operands;  ///< of a call under a sharding rule

 private:
  using Expr = facts::Expr;
  using ExprId = facts::ExprId;
  using Stmt = facts::Stmt;

  /// A running function.
  struct Frame {
    int context = -1;
    const facts::Function* function = nullptr;
    Value self;
    Environment variables;
    Value result;
    std::vector<Environment> exits;               ///< at returns
    std::vector<std::vector<Environment>> loops;  ///< at break and continue, per loop
    int depth() const { return static_cast<int>(loops.size()); }
  };
  struct Summary {
    Value result;
    std::vector<Value> parameters;  ///< after the call
    Environment captures;
    int context = -1;
    bool running = false;
    bool recursive = false;
    bool recorded = false;
  };
  enum class Flow { Next, Left };

  const Expr& expr(ExprId id) const { return program_.exprs[static_cast<std::size_t>(id)]; }
  const facts::Variable& variable(facts::VarId id) const {
    return program_.variables[static_cast<std::size_t>(id)];
  }
  const facts::Class* find_class(const std::string& name) const;
  const facts::Field* find_field(const std::string& class_name, const std::string& field) const;
  std::size_t axes() const { return setting_.mesh.names.size(); }

  // Roots
  void run_root(facts::FunctionId id, bool inner);
  Value root_value(facts::VarId id);

  // Statements
  Flow execute(const Stmt& stmt, Frame& frame);
  Flow execute_loop(const Stmt& stmt, Frame& frame);
  Flow execute_if(const Stmt& stmt, Frame& frame);
  void declare(const Stmt& stmt, Frame& frame);
  void bind(facts::VarId id, Value value, Frame& frame);
  void made(const facts::SourceRange& range, const Value& value, const std::string& name = {});
  bool reads_value(ExprId id) const;
  void note_branch(ExprId condition);

  // Expressions
  Value evaluate(ExprId id, Frame& frame);
  Value evaluate_kind(ExprId id, Frame& frame);
  Value finish(ExprId id, Value value, Frame& frame);
  Value typed(ExprId id, Value value);
  Value arithmetic(ExprId id, Frame& frame);
  Value size(ExprId id, Frame& frame);
  Value assign(ExprId id, Frame& frame);
  void assign_to(ExprId target, Value value, Frame& frame);
  Value index(const Value& container, const Value& position, ExprId id);
  Value element_of(const Value& container);
  Value host_access(ExprId id, Frame& frame);
  Value unknown(ExprId id, Frame& frame);
  Value construct(ExprId id, Frame& frame);
  std::vector<Value> evaluate_children(ExprId id, Frame& frame, std::size_t from = 0);

  // Ops and calls
  Value op_call(ExprId id, Frame& frame);
  /// `uses[i]` is the expression of argument i, none if there is none.
  Value apply_op(ExprId id, const std::string& name, const std::vector<Value>& arguments,
                 const std::vector<ExprId>& uses, Frame& frame);
  ExprId used_expr(const Use& use, const std::vector<ExprId>& uses) const;
  void note_use(const Use& use, const Tensor& tensor, ExprId where, ExprId call, Frame& frame);
  Value torch_function(ExprId id, Frame& frame);
  Value module_call(ExprId id, Frame& frame);
  Value call_module(ExprId id, const Value& module, std::vector<Value> inputs, std::vector<ExprId> uses,
                    Frame& frame);
  Value user_call(ExprId id, Frame& frame);
  Value call_function(ExprId id, facts::FunctionId function, const Value& self,
                      const std::vector<Value>& arguments, const std::vector<ExprId>& uses, Frame& frame);
  Summary& run_function(facts::FunctionId id, const Value& self, const std::vector<Value>& arguments,
                        const Environment& captures);
  /// Of a function or a custom autograd Function; the plan's wins. Null without one.
  const std::string* rule_of(const std::string& name,
                             const std::vector<facts::Annotation>& annotations) const;
  Value call_rule(ExprId id, const std::string& rule, const std::vector<Value>& arguments,
                  const std::vector<ExprId>& uses, Frame& frame);
  /// `stand_ins`: whether sizes that only run time tells are taken to be those that stand for them.
  Operands operands_of(const sharding::Notation& notation, const std::vector<Value>& arguments,
                       const std::vector<ExprId>& uses, bool stand_ins) const;
  /// Notes what the operands need and fills in what is known of the results.
  void apply_rule(ExprId id, const sharding::Notation& notation, const Operands& operands,
                  const std::vector<ExprId>& uses, std::vector<Value>& results, Frame& frame);

  // Modules
  Value member(ExprId id, Frame& frame);
  Value read_field(const Value& object, const std::string& name, ExprId id);
  Value parameter(const Value& module, const ModuleTensor& tensor);
  std::vector<AxisPlacement> parameter_placements(const Value& module, const std::string& fqn) const;

  // Values
  Value join(const Value& a, const Value& b, const std::string& key, const Frame* frame);
  Tensor join(const Tensor& a, const Tensor& b, const std::string& key, const Frame* frame);
  AxisPlacement want_same(const Tensor& a, const Tensor& b, std::size_t axis, const Frame& frame);
  Environment join(const Environment& a, const Environment& b, const Frame* frame);
  void write(const std::string& key, const Value& value);
  bool place(facts::VarId id, Value& value);

  void find(const std::string& id, const facts::SourceRange& range, std::string text, std::string fixit = {});

  const facts::Program& program_;
  const Setting& setting_;
  const Forced& forced_;
  const Refused& refused_;
  StandIns& stand_ins_;
  Store& store_;
  bool store_changed_ = false;
  int recording_ = 1;  ///< above 0: what is seen goes into the trace
  Trace trace_;
  std::map<std::string, Summary> summaries_;
  std::set<facts::FunctionId> reached_;
  int contexts_ = 0;
  Environment globals_;
};

}  // namespace vescale::inference
