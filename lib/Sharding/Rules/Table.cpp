#include "Sharding/Rules/Table.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "Sharding/Rules/Families.h"

namespace vescale::sharding::rules {
namespace {

#define RULE(name, family, ...) \
  Entry { name, family, Traits{__VA_ARGS__}, {}, #family }

constexpr Linearity moves = Linearity::Movement;
constexpr Linearity joint = Linearity::Joint;
constexpr Linearity multilinear = Linearity::Multilinear;

// One line an op. Every other op that LibTorch calls pointwise follows from Pointwise.def, without linearity.
const Entry table[] = {
    // Elementwise, linear.
    RULE("add", pointwise, .linearity = joint, .linear = {"self", "other"}),
    RULE("sub", pointwise, .linearity = joint, .linear = {"self", "other"}),
    RULE("subtract", pointwise, .linearity = joint, .linear = {"self", "other"}),
    RULE("rsub", pointwise, .linearity = joint, .linear = {"self", "other"}),
    RULE("lerp", pointwise, .linearity = joint, .linear = {"self", "end"}),
    RULE("where", pointwise, .linearity = joint, .linear = {"self", "other"}),
    RULE("complex", pointwise, .linearity = joint),
    RULE("mul", pointwise, .linearity = multilinear),
    RULE("multiply", pointwise, .linearity = multilinear),
    RULE("div", pointwise, .linearity = multilinear, .linear = {"self"}),
    RULE("divide", pointwise, .linearity = multilinear, .linear = {"self"}),
    RULE("true_divide", pointwise, .linearity = multilinear, .linear = {"self"}),
    RULE("neg", pointwise, .linearity = joint),
    RULE("negative", pointwise, .linearity = joint),
    RULE("deg2rad", pointwise, .linearity = joint),
    RULE("rad2deg", pointwise, .linearity = joint),
    RULE("conj", pointwise, .linearity = joint),
    RULE("conj_physical", pointwise, .linearity = joint),
    RULE("resolve_conj", pointwise, .linearity = joint),
    RULE("resolve_neg", pointwise, .linearity = joint),
    RULE("real", pointwise, .linearity = joint),
    RULE("imag", pointwise, .linearity = joint),
    RULE("positive", pointwise, .linearity = moves),
    RULE("clone", pointwise, .linearity = moves),
    RULE("contiguous", pointwise, .linearity = moves),
    RULE("alias", pointwise, .linearity = moves),
    RULE("detach", pointwise, .linearity = moves),
    RULE("detach_copy", pointwise, .linearity = moves),
    RULE("lift", pointwise, .linearity = moves),
    RULE("lift_fresh", pointwise, .linearity = moves),
    RULE("view_as_real", view_as_real, .linearity = joint),
    RULE("view_as_complex", view_as_complex, .linearity = joint),
    // Elementwise, beyond what is tagged.
    RULE("to", pointwise),
    RULE("type_as", type_as),
    RULE("_to_copy", pointwise),
    RULE("cpu", pointwise),
    RULE("cuda", pointwise),
    RULE("frexp", pointwise, .outputs = 2),
    RULE("rrelu", sized_as_self),
    RULE("fake_quantize_per_tensor_affine", sized_as_self),
    RULE("prelu", prelu),
    // In place from something else.
    RULE("fill", overwrite),
    RULE("zero", overwrite),
    RULE("copy", overwrite, .linearity = moves, .linear = {"src"}),
    RULE("uniform", overwrite),
    RULE("normal_functional", overwrite),
    RULE("random", overwrite),
    RULE("exponential", overwrite),
    RULE("geometric", overwrite),
    RULE("cauchy", overwrite),
    RULE("log_normal", overwrite),
    // Elementwise random; the runtime draws each piece's values of the whole.
    RULE("dropout", sized_as_self),
    RULE("native_dropout", sized_as_self, .outputs = 2),
    RULE("feature_dropout", sized_as_self),
    RULE("alpha_dropout", sized_as_self),
    RULE("feature_alpha_dropout", sized_as_self),
    RULE("bernoulli", sized_as_self),
    RULE("poisson", sized_as_self),
    // Only the shape of an input.
    RULE("zeros_like", like),
    RULE("ones_like", like),
    RULE("full_like", like),
    RULE("empty_like", like),
    RULE("rand_like", like),
    RULE("randn_like", like),
    RULE("randint_like", like),
    RULE("new_zeros", ignores_self),
    RULE("new_ones", ignores_self),
    RULE("new_full", ignores_self),
    RULE("new_empty", ignores_self),
    // Products.
    RULE("mm", matmul),
    RULE("bmm", matmul),
    RULE("matmul", matmul),
    RULE("linalg_matmul", matmul),
    RULE("mv", matmul),
    RULE("dot", matmul),
    RULE("vdot", matmul),
    RULE("linear", linear),
    RULE("bilinear", bilinear),
    RULE("addmm", addmm),
    RULE("addmv", addmm),
    RULE("addr", addmm),
    RULE("baddbmm", addmm),
    RULE("addbmm", addmm),
    RULE("inner", inner),
    RULE("outer", outer),
    RULE("ger", outer),
    RULE("tensordot", tensordot),
    RULE("kron", kron),
    RULE("einsum", einsum),
    // Reductions; what is not a sum keeps the reduced dims whole.
    RULE("sum", reduction, .linearity = joint, .sums = true),
    RULE("nansum", reduction, .sums = true),
    RULE("count_nonzero", reduction, .sums = true),
    RULE("mean", reduction, .linearity = joint),
    RULE("nanmean", reduction),
    RULE("prod", reduction),
    RULE("amax", reduction),
    RULE("amin", reduction),
    RULE("aminmax", reduction, .outputs = 2),
    RULE("max", reduction),
    RULE("max.dim", reduction, .outputs = 2),
    RULE("max.dim_max", reduction, .outputs = 2),
    RULE("min", reduction),
    RULE("min.dim", reduction, .outputs = 2),
    RULE("min.dim_min", reduction, .outputs = 2),
    RULE("median", reduction),
    RULE("median.dim", reduction, .outputs = 2),
    RULE("median.dim_values", reduction, .outputs = 2),
    RULE("nanmedian", reduction),
    RULE("nanmedian.dim", reduction, .outputs = 2),
    RULE("nanmedian.dim_values", reduction, .outputs = 2),
    RULE("mode", reduction, .outputs = 2),
    RULE("kthvalue", reduction, .outputs = 2),
    RULE("argmax", reduction),
    RULE("argmin", reduction),
    RULE("all", reduction),
    RULE("any", reduction),
    RULE("logsumexp", reduction),
    RULE("special_logsumexp", reduction),
    RULE("var", reduction),
    RULE("std", reduction),
    RULE("var_mean", reduction, .outputs = 2),
    RULE("std_mean", reduction, .outputs = 2),
    RULE("norm", reduction),
    RULE("frobenius_norm", reduction),
    RULE("linalg_vector_norm", reduction),
    RULE("linalg_norm", reduction),
    RULE("linalg_matrix_norm", reduction),
    // Along a dim that keeps its size.
    RULE("cumsum", along_dim, .linearity = joint),
    RULE("cumprod", along_dim),
    RULE("logcumsumexp", along_dim),
    RULE("cummax", along_dim, .outputs = 2),
    RULE("cummin", along_dim, .outputs = 2),
    RULE("sort", along_dim, .outputs = 2),
    RULE("msort", msort),
    RULE("argsort", along_dim),
    RULE("topk", topk, .outputs = 2),
    RULE("softmax", along_dim),
    RULE("_softmax", along_dim),
    RULE("special_softmax", along_dim),
    RULE("log_softmax", along_dim),
    RULE("_log_softmax", along_dim),
    RULE("special_log_softmax", along_dim),
    RULE("_softmax_backward_data", along_dim),
    RULE("_log_softmax_backward_data", along_dim),
    RULE("linalg_cross", along_dim),
    RULE("flip", along_dim, .linearity = moves),
    RULE("roll", along_dim, .linearity = moves),
    RULE("rot90", rot90, .linearity = moves),
    RULE("triu", triangle, .linearity = joint),
    RULE("tril", triangle, .linearity = joint),
    // Views.
    RULE("view", view),
    RULE("reshape", view),
    RULE("_unsafe_view", view),
    RULE("view_copy", view),
    RULE("_reshape_alias", view),
    RULE("view_as", view_as),
    RULE("reshape_as", view_as),
    RULE("flatten", flatten),
    RULE("ravel", ravel),
    RULE("unflatten", unflatten),
    RULE("expand", expand),
    RULE("broadcast_to", expand),
    RULE("expand_as", expand_as),
    RULE("permute", permute),
    RULE("transpose", swap_dims),
    RULE("swapaxes", swap_dims),
    RULE("swapdims", swap_dims),
    RULE("t", transpose_last),
    RULE("mT", transpose_last),
    RULE("mH", transpose_last),
    RULE("adjoint", transpose_last),
    RULE("numpy_T", reverse_dims),
    RULE("matrix_H", transpose_last),
    RULE("movedim", movedim),
    RULE("moveaxis", movedim),
    RULE("squeeze", squeeze),
    RULE("unsqueeze", unsqueeze),
    RULE("slice", slice),
    RULE("narrow", narrow),
    RULE("narrow_copy", narrow),
    RULE("select", select),
    RULE("diagonal", diagonal),
    RULE("linalg_diagonal", diagonal),
    RULE("unfold", unfold),
    RULE("split", split),
    RULE("split_with_sizes", split),
    RULE("unsafe_split", split),
    RULE("unsafe_split_with_sizes", split),
    RULE("chunk", split),
    RULE("unsafe_chunk", split),
    RULE("tensor_split.sections", split),
    RULE("tensor_split.indices", split),
    RULE("unbind", unbind),
    // Joins and repeats.
    RULE("cat", cat),
    RULE("concat", cat),
    RULE("concatenate", cat),
    RULE("hstack", cat),
    RULE("vstack", cat),
    RULE("row_stack", cat),
    RULE("stack", stack),
    RULE("repeat", repeat),
    RULE("tile", repeat),
    RULE("pad", pad),
    RULE("constant_pad_nd", pad),
    RULE("reflection_pad1d", pad),
    RULE("reflection_pad2d", pad),
    RULE("reflection_pad3d", pad),
    RULE("replication_pad1d", pad),
    RULE("replication_pad2d", pad),
    RULE("replication_pad3d", pad),
};

constexpr std::string_view pointwise_ops[] = {
#define VESCALE_POINTWISE(name) name,
#include "Sharding/Rules/Pointwise.def"
#undef VESCALE_POINTWISE
};

class Index {
 public:
  Index() {
    for (const Entry& entry : table) entries_.emplace(entry.name, &entry);
    for (std::string_view name : pointwise_ops) {
      if (entries_.count(name.substr(0, name.find('.'))) > 0 && name.find('.') == std::string_view::npos)
        continue;
      followers_.push_back(RULE(name, pointwise));
    }
    for (const Entry& entry : followers_) entries_.emplace(entry.name, &entry);
  }

  const Entry* find(std::string_view name) const {
    const auto found = entries_.find(name);
    return found == entries_.end() ? nullptr : found->second;
  }

  std::vector<const Entry*> all() const {
    std::vector<const Entry*> result;
    for (const auto& [name, entry] : entries_) result.push_back(entry);
    std::sort(result.begin(), result.end(), [](auto* a, auto* b) { return a->name < b->name; });
    return result;
  }

 private:
  std::unordered_map<std::string_view, const Entry*> entries_;
  std::vector<Entry> followers_;
};

const Index& index() {
  static const Index built;
  return built;
}

const Entry* find_exact(std::string_view name, std::string_view overload) {
  if (!overload.empty()) {
    if (const Entry* entry = index().find(std::string(name) + "." + std::string(overload))) return entry;
  }
  return index().find(name);
}

}  // namespace

const Entry* find_entry(std::string_view name, std::string_view overload) {
  if (const Entry* entry = find_exact(name, overload)) return entry;
  if (name.size() > 1 && name.back() == '_') return find_exact(name.substr(0, name.size() - 1), overload);
  return nullptr;
}

std::vector<const Entry*> all_entries() { return index().all(); }

}  // namespace vescale::sharding::rules
