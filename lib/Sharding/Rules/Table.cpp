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

#define NOTATION(name, text)          \
  Entry {                             \
    name, nullptr, Traits{}, text, {} \
  }

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
    RULE("where.self", pointwise, .linearity = joint, .linear = {"self", "other"}),
    RULE("where.self_out", pointwise, .linearity = joint, .linear = {"self", "other"}),
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
    RULE("to.other", type_as),
    RULE("type_as", type_as),
    RULE("_to_copy", pointwise),
    RULE("frexp", pointwise, .outputs = 2),
    RULE("rrelu", sized_as_self),
    RULE("fake_quantize_per_tensor_affine", sized_as_self),
    RULE("prelu", prelu),
    RULE("_prelu_kernel", pointwise),
    // In place from something else.
    RULE("fill", overwrite),
    RULE("zero", overwrite),
    RULE("copy", overwrite, .linearity = moves, .linear = {"src"}),
    RULE("uniform", overwrite),
    RULE("normal_", overwrite),
    RULE("normal_functional", overwrite),
    RULE("normal.Tensor_float", pointwise),
    RULE("normal.float_Tensor", pointwise),
    RULE("normal.Tensor_Tensor", pointwise),
    RULE("bernoulli_", overwrite),
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
    RULE("linalg_vecdot", pair_reduction, .linearity = multilinear, .sums = true),
    NOTATION("cdist", "(... n d!, ... m d!) -> ... n m"),
    NOTATION("trace", "(n! m!) -> ; joint"),
    NOTATION("inverse", "(... n! m!) -> ... n m"),
    NOTATION("linalg_inv", "(... n! m!) -> ... n m"),
    NOTATION("linalg_pinv", "(... n! m!) -> ... m n"),
    NOTATION("cholesky", "(... n! m!) -> ... n m"),
    NOTATION("linalg_cholesky", "(... n! m!) -> ... n m"),
    NOTATION("matrix_exp", "(... n! m!) -> ... n m"),
    NOTATION("linalg_matrix_exp", "(... n! m!) -> ... n m"),
    NOTATION("matrix_power", "(... n! m!) -> ... n m"),
    NOTATION("linalg_matrix_power", "(... n! m!) -> ... n m"),
    NOTATION("det", "(... n! m!) -> ..."),
    NOTATION("linalg_det", "(... n! m!) -> ..."),
    NOTATION("logdet", "(... n! m!) -> ..."),
    NOTATION("slogdet", "(... n! m!) -> (..., ...)"),
    NOTATION("linalg_slogdet", "(... n! m!) -> (..., ...)"),
    NOTATION("linalg_eigh", "(... n! m!) -> (... n, ... n m)"),
    NOTATION("linalg_eigvalsh", "(... n! m!) -> ... n"),
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
    RULE("cosine_similarity", pair_reduction),
    RULE("pairwise_distance", pair_reduction),
    RULE("dist", pair_reduction),
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
    RULE("glu", glu),
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
    RULE("atleast_1d", atleast),
    RULE("atleast_2d", atleast),
    RULE("atleast_3d", atleast),
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
    // Normalisation.
    RULE("layer_norm", layer_norm),
    RULE("native_layer_norm", layer_norm, .outputs = 3),
    RULE("rms_norm", layer_norm),
    RULE("group_norm", group_norm),
    RULE("instance_norm", instance_norm),
    RULE("batch_norm", batch_norm),
    // Convolution.
    RULE("conv1d", convolution),
    RULE("conv2d", convolution),
    RULE("conv3d", convolution),
    RULE("conv_transpose1d", convolution),
    RULE("conv_transpose2d", convolution),
    RULE("conv_transpose3d", convolution),
    RULE("convolution", convolution),
    RULE("_convolution", convolution),
    // Pooling and resizing.
    RULE("max_pool1d", pool, .spatial = 1),
    RULE("max_pool2d", pool, .spatial = 2),
    RULE("max_pool3d", pool, .spatial = 3),
    RULE("max_pool1d_with_indices", pool, .outputs = 2, .spatial = 1),
    RULE("max_pool2d_with_indices", pool, .outputs = 2, .spatial = 2),
    RULE("max_pool3d_with_indices", pool, .outputs = 2, .spatial = 3),
    RULE("avg_pool1d", pool, .linearity = joint, .spatial = 1),
    RULE("avg_pool2d", pool, .linearity = joint, .spatial = 2),
    RULE("avg_pool3d", pool, .linearity = joint, .spatial = 3),
    RULE("adaptive_avg_pool1d", resize, .linearity = joint, .spatial = 1),
    RULE("adaptive_avg_pool2d", resize, .linearity = joint, .spatial = 2),
    RULE("adaptive_avg_pool3d", resize, .linearity = joint, .spatial = 3),
    RULE("adaptive_max_pool1d", resize, .outputs = 2, .spatial = 1),
    RULE("adaptive_max_pool2d", resize, .outputs = 2, .spatial = 2),
    RULE("adaptive_max_pool3d", resize, .outputs = 2, .spatial = 3),
    RULE("upsample_nearest1d", resize, .linearity = joint, .spatial = 1),
    RULE("upsample_nearest2d", resize, .linearity = joint, .spatial = 2),
    RULE("upsample_nearest3d", resize, .linearity = joint, .spatial = 3),
    RULE("_upsample_nearest_exact1d", resize, .linearity = joint, .spatial = 1),
    RULE("_upsample_nearest_exact2d", resize, .linearity = joint, .spatial = 2),
    RULE("_upsample_nearest_exact3d", resize, .linearity = joint, .spatial = 3),
    RULE("upsample_linear1d", resize, .linearity = joint, .spatial = 1),
    RULE("upsample_bilinear2d", resize, .linearity = joint, .spatial = 2),
    RULE("upsample_trilinear3d", resize, .linearity = joint, .spatial = 3),
    RULE("upsample_bicubic2d", resize, .linearity = joint, .spatial = 2),
    RULE("_upsample_bilinear2d_aa", resize, .linearity = joint, .spatial = 2),
    RULE("_upsample_bicubic2d_aa", resize, .linearity = joint, .spatial = 2),
    RULE("pixel_shuffle", pixel_shuffle),
    RULE("pixel_unshuffle", pixel_shuffle),
    RULE("grid_sampler", grid_sampler),
    RULE("grid_sampler_2d", grid_sampler),
    RULE("grid_sampler_3d", grid_sampler),
    RULE("im2col", im2col),
    RULE("col2im", col2im),
    // Lookups.
    RULE("embedding", embedding),
    RULE("index_select", index_select),
    RULE("gather", gather),
    RULE("take_along_dim", gather),
    RULE("scatter", scatter),
    RULE("scatter_add", scatter, .linearity = joint, .linear = {"self", "src"}),
    RULE("scatter_reduce", scatter),
    RULE("index_add", index_add, .linearity = joint, .linear = {"self", "source"}),
    RULE("index_copy", index_add, .linearity = joint, .linear = {"self", "source"}),
    RULE("index_fill", index_add),
    RULE("index", index),
    RULE("index_put", index_put),
    RULE("bucketize", searchsorted),
    RULE("searchsorted", searchsorted),
    RULE("isin", isin),
    // Losses; the runtime computes global means and sharded classes by itself.
    RULE("mse_loss", pointwise_loss),
    RULE("l1_loss", pointwise_loss),
    RULE("smooth_l1_loss", pointwise_loss),
    RULE("huber_loss", pointwise_loss),
    RULE("soft_margin_loss", pointwise_loss),
    RULE("binary_cross_entropy", pointwise_loss),
    RULE("binary_cross_entropy_with_logits", pointwise_loss),
    RULE("kl_div", pointwise_loss),
    RULE("poisson_nll_loss", pointwise_loss),
    RULE("margin_ranking_loss", pointwise_loss),
    RULE("hinge_embedding_loss", pointwise_loss),
    RULE("triplet_margin_loss", row_loss),
    RULE("nll_loss", class_loss),
    RULE("nll_loss2d", class_loss),
    RULE("nll_loss_nd", class_loss),
    RULE("cross_entropy_loss", class_loss),
    RULE("scaled_dot_product_attention", attention),
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
    for (const auto& [name, entry] : entries_) by_base_name_.emplace(name.substr(0, name.find('.')), entry);
  }

  const Entry* find(std::string_view name) const {
    const auto found = entries_.find(name);
    return found == entries_.end() ? nullptr : found->second;
  }

  const Entry* find_any(std::string_view name) const {
    const auto found = by_base_name_.find(name);
    return found == by_base_name_.end() ? nullptr : found->second;
  }

  std::vector<const Entry*> all() const {
    std::vector<const Entry*> result;
    for (const auto& [name, entry] : entries_) result.push_back(entry);
    std::sort(result.begin(), result.end(), [](auto* a, auto* b) { return a->name < b->name; });
    return result;
  }

 private:
  std::unordered_map<std::string_view, const Entry*> entries_;
  std::unordered_map<std::string_view, const Entry*> by_base_name_;
  std::vector<Entry> followers_;
};

const Index& table_index() {
  static const Index built;
  return built;
}

const Entry* find_exact(std::string_view name, std::string_view overload) {
  if (!overload.empty()) {
    if (const Entry* entry = table_index().find(std::string(name) + "." + std::string(overload)))
      return entry;
  }
  return table_index().find(name);
}

}  // namespace

const Entry* find_entry(std::string_view name, std::string_view overload) {
  if (const Entry* entry = find_exact(name, overload)) return entry;
  if (name.size() > 1 && name.back() == '_') return find_exact(name.substr(0, name.size() - 1), overload);
  return nullptr;
}

const Entry* find_any_entry(std::string_view name) {
  if (const Entry* entry = table_index().find_any(name)) return entry;
  return name.size() > 1 && name.back() == '_' ? table_index().find_any(name.substr(0, name.size() - 1))
                                               : nullptr;
}

std::vector<const Entry*> all_entries() { return table_index().all(); }

}  // namespace vescale::sharding::rules
