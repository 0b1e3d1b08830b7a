#pragma once
/// What an op does to shardings, free of tensors and of clang: the one truth that the tool and the runtime
/// share.
///
/// A rule names *factors*: independent index ranges that the dims of inputs and outputs are made of.
/// mm is "(n k, k m) -> n m": three factors; sharding n shards input 0 and the output; sharding k, which no
/// output has, leaves the output Partial(sum). A dim may be a product of factors (a flattened dim), major
/// first.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <vescale/sharding/layout.h>

namespace vescale::sharding {

/// A size that is not known (the tool, before run time).
inline constexpr std::int64_t unknown_size = -1;

/// What a rule may know of a tensor argument.
struct TensorFacts {
  std::vector<Placement> placements;  ///< per mesh axis
  std::vector<std::int64_t> sizes;    ///< global; unknown_size allowed
  bool differentiable = true;         ///< floating point or complex: only then R and R+ differ
  bool mask = false;                  ///< boolean or byte: as an index it picks elements, as many as are true
};

/// An argument of a call, in schema order.
using Argument = std::variant<std::monostate,  // none: absent optional, or irrelevant to sharding
                              TensorFacts,     // a tensor
                              std::vector<std::optional<TensorFacts>>,  // a list of (optional) tensors
                              std::int64_t, bool, double, std::vector<std::int64_t>, std::string>;

/// An argument whose value exists but is not known to the tool.
struct UnknownArgument {};

/// A call of an op: its name without namespace and overload ("add"), the overload ("Tensor"), the arguments.
struct OpCall {
  std::string_view name;
  std::string_view overload;
  std::vector<Argument> arguments;
  std::vector<bool> known;  ///< per argument; empty means all known
};

/// An index range that dims are made of.
struct Factor {
  std::int64_t size = unknown_size;
  bool shardable = true;
  ReduceOp reduce = ReduceOp::Sum;  ///< how an output that lacks the factor combines over its shards
  /// Not sharded where a rank's piece would have just so many elements, since the op then fails or means
  /// something else: 1 for squeeze, which would drop the dim; 0 for a convolution's channels.
  std::int64_t never = -1;
};

/// The factors of a dim, major first; empty for a dim of size 1 that no factor runs along (broadcast).
using DimFactors = std::vector<int>;

struct TensorFactors {
  std::vector<DimFactors> dims;
  /// The input is added to the result (a bias): where the result is Partial it must be Partial too.
  bool additive = false;
};

/// Which Partial inputs an op lets pass to its outputs.
enum class Linearity : std::uint8_t {
  None,         ///< no Partial passes
  Movement,     ///< moves elements only (view, cat of one): every kind of Partial passes
  Joint,        ///< linear in all inputs together (add, cat, where on values): all Partial(sum) or none
  Multilinear,  ///< linear in each input by itself (mul, mm): one input Partial(sum), others replicated
};

/// What an op reads of an input.
enum class InputUse : std::uint8_t {
  Values,   ///< the usual
  Sizes,    ///< its (local) sizes and dtype only: R, R+ and Partial are alike and are never converted
            ///< (zeros_like)
  Nothing,  ///< its dtype at most: any placement is kept as it is (new_zeros)
  Lookup,   ///< its values, as indices into a table: where they are R+, so is what is looked up
};

/// A local argument that must differ from the global one on a rank.
struct LocalArgument {
  enum class Kind : std::uint8_t {
    OutputSizes,     ///< the int list becomes the local sizes of output `output` (view, expand, reshape)
    OutputDim,       ///< the int becomes the local size of dim `dim` of output `output`
    OutputDimsFrom,  ///< the int list becomes the local sizes of as many dims of output `output`, from `dim`
                     ///< on
    OutputDimList,   ///< the int list becomes the local sizes of dim `dim` of outputs 0, 1, ... (split sizes)
  };
  int argument = 0;
  Kind kind = Kind::OutputSizes;
  int output = 0;
  int dim = 0;
};

/// A rule applied to the shapes of one call.
struct ShardingRule {
  std::vector<Factor> factors;
  std::vector<TensorFactors>
      inputs;  ///< in order of tensors in the arguments, lists flattened, absent ones skipped
  std::vector<TensorFactors> outputs;
  std::vector<std::vector<std::int64_t>> output_sizes;  ///< global; unknown_size allowed
  Linearity linearity = Linearity::None;
  std::vector<bool> linear_inputs;  ///< which inputs Linearity speaks of; empty means all
  std::vector<LocalArgument> local_arguments;
  std::vector<InputUse> input_uses;  ///< per input; empty means all Values. What is not read gets no gradient
};

/// The rule for a call, from the one table. nullopt: no rule; replicate the inputs.
/// Throws vescale::Error where the arguments contradict the op (dim out of range, sizes that don't match).
std::optional<ShardingRule> find_rule(const OpCall& call);

/// Whether the table has a line for an op: for any of its overloads, or for this one.
bool has_rule(std::string_view name);
bool has_rule(std::string_view name, std::string_view overload);

/// Whether the sizes of a result depend on values of the inputs (an index by a mask).
bool has_dynamic_shape(const OpCall& call);

/// A user's rule in the einsum-like notation, e.g. "(n d, m d) -> n m". Throws vescale::Error with the
/// position.
ShardingRule parse_rule(std::string_view notation, const std::vector<TensorFacts>& inputs);

/// What to do with the inputs of a call, and what comes out.
struct Resolution {
  std::vector<std::vector<Placement>>
      inputs;  ///< per tensor input (flattened) the placement per axis it must have
  std::vector<std::vector<Placement>>
      outputs;  ///< per tensor output; when there was no rule: one entry, all outputs alike
  std::vector<std::vector<std::int64_t>> output_sizes;  ///< global; empty without rule
  std::vector<LocalArgument> local_arguments;
  bool has_rule = true;
  bool size_dependent = false;  ///< unknown sizes were assumed to divide
};

/// Chooses placements axis by axis: least bytes forward, then fewest inputs cut locally, then least bytes
/// backward, then the order of factors. Inputs that already fit are never changed. Deterministic.
/// `fixed_output`: placements that output 0 must get (in-place ops, out=); nullopt result if impossible. If
/// input 0 has these placements it is self of an in-place op and must not move.
std::optional<Resolution> resolve(const MeshShape& mesh, const OpCall& call,
                                  const std::vector<Placement>* fixed_output = nullptr);

/// The same for a rule at hand: a user's, or one that was found before.
std::optional<Resolution> resolve(const MeshShape& mesh, const ShardingRule& rule,
                                  const std::vector<TensorFacts>& inputs,
                                  const std::vector<Placement>* fixed_output = nullptr);

/// For diagnostics: a line for each input that resolve() moves, with the axis, the movements and why; empty
/// if all fit.
std::string explain(const MeshShape& mesh, const OpCall& call,
                    const std::vector<Placement>* fixed_output = nullptr);
std::string explain(const MeshShape& mesh, const ShardingRule& rule, const std::vector<TensorFacts>& inputs,
                    const std::vector<Placement>* fixed_output = nullptr);

/// The tensors among the arguments of a call, lists flattened, absent ones left out.
std::vector<TensorFacts> tensor_inputs(const OpCall& call);

}  // namespace vescale::sharding
