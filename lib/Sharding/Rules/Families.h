#pragma once
/// The families of rules: each computes the rule of one call from its shapes and arguments.
#include "Sharding/Rules/Builder.h"
#include "Sharding/Rules/Table.h"

namespace vescale::sharding::rules {

#define VESCALE_FAMILY(name) std::optional<ShardingRule> name(const Call& call, const Traits& traits)

// Pointwise.cpp
VESCALE_FAMILY(pointwise);  ///< all tensors broadcast together
VESCALE_FAMILY(
    sized_as_self);  ///< result sized as self, the other tensors broadcast to it (dropout, masked_fill)
VESCALE_FAMILY(overwrite);     ///< the same, and self is not read (fill, copy, zero)
VESCALE_FAMILY(like);          ///< new values sized as self (zeros_like)
VESCALE_FAMILY(ignores_self);  ///< new values of given sizes (new_zeros)
VESCALE_FAMILY(type_as);       ///< self; the other input gives its dtype only
VESCALE_FAMILY(prelu);

// Matmul.cpp
VESCALE_FAMILY(matmul);
VESCALE_FAMILY(linear);
VESCALE_FAMILY(bilinear);
VESCALE_FAMILY(addmm);  ///< addmm, addmv, addr, baddbmm, addbmm
VESCALE_FAMILY(inner);
VESCALE_FAMILY(outer);
VESCALE_FAMILY(tensordot);
VESCALE_FAMILY(kron);

// Einsum.cpp
VESCALE_FAMILY(einsum);

// Reductions.cpp
VESCALE_FAMILY(reduction);       ///< over `dim` (one, several, or all), `keepdim`
VESCALE_FAMILY(pair_reduction);  ///< of tensors that broadcast together
VESCALE_FAMILY(glu);
VESCALE_FAMILY(along_dim);  ///< works along `dim`, sizes stay
VESCALE_FAMILY(topk);
VESCALE_FAMILY(msort);
VESCALE_FAMILY(along_all);  ///< works along all dims, sizes stay

// Views.cpp
VESCALE_FAMILY(view);  ///< view, reshape
VESCALE_FAMILY(view_as);
VESCALE_FAMILY(flatten);
VESCALE_FAMILY(unflatten);
VESCALE_FAMILY(ravel);
VESCALE_FAMILY(atleast);
VESCALE_FAMILY(expand);
VESCALE_FAMILY(expand_as);

// Permutes.cpp
VESCALE_FAMILY(permute);
VESCALE_FAMILY(swap_dims);       ///< transpose, swapaxes
VESCALE_FAMILY(transpose_last);  ///< t, mT
VESCALE_FAMILY(reverse_dims);    ///< numpy_T
VESCALE_FAMILY(movedim);
VESCALE_FAMILY(squeeze);
VESCALE_FAMILY(unsqueeze);
VESCALE_FAMILY(view_as_real);
VESCALE_FAMILY(view_as_complex);

// Slices.cpp
VESCALE_FAMILY(slice);
VESCALE_FAMILY(narrow);
VESCALE_FAMILY(select);
VESCALE_FAMILY(diagonal);
VESCALE_FAMILY(unfold);
VESCALE_FAMILY(split);  ///< split, chunk, tensor_split
VESCALE_FAMILY(unbind);

// Joins.cpp
VESCALE_FAMILY(cat);
VESCALE_FAMILY(stack);
VESCALE_FAMILY(repeat);
VESCALE_FAMILY(rot90);
VESCALE_FAMILY(pad);
VESCALE_FAMILY(triangle);  ///< triu, tril

// Norms.cpp
VESCALE_FAMILY(layer_norm);
VESCALE_FAMILY(group_norm);
VESCALE_FAMILY(instance_norm);
VESCALE_FAMILY(batch_norm);

// Convolution.cpp
VESCALE_FAMILY(convolution);

// Spatial.cpp
VESCALE_FAMILY(pool);
VESCALE_FAMILY(resize);  ///< adaptive pooling, upsampling: to a given size
VESCALE_FAMILY(pixel_shuffle);
VESCALE_FAMILY(grid_sampler);
VESCALE_FAMILY(im2col);
VESCALE_FAMILY(col2im);

// Indexing.cpp
VESCALE_FAMILY(embedding);
VESCALE_FAMILY(index_select);
VESCALE_FAMILY(gather);
VESCALE_FAMILY(scatter);
VESCALE_FAMILY(index_add);  ///< index_add, index_copy, index_fill
VESCALE_FAMILY(index);
VESCALE_FAMILY(index_put);
VESCALE_FAMILY(searchsorted);
VESCALE_FAMILY(isin);

// Losses.cpp
VESCALE_FAMILY(pointwise_loss);
VESCALE_FAMILY(class_loss);  ///< nll_loss, cross_entropy
VESCALE_FAMILY(row_loss);    ///< a loss per row of the last dim

// Attention.cpp
VESCALE_FAMILY(attention);

#undef VESCALE_FAMILY

/// Marks the inputs that an op is linear in, as its traits say.
void set_linearity(Builder& builder, const Call& call, const Traits& traits);

}  // namespace vescale::sharding::rules
