"""Calls of LibTorch's ops on small tensors: what the rules' sizes and values are checked with."""

import torch

_generator = torch.Generator().manual_seed(7)


def f(*sizes):
    """Values that are all different and away from the ends of domains."""
    return torch.rand(sizes, generator=_generator, dtype=torch.float64) + 0.25


def i(high, *sizes):
    return torch.randint(high, sizes, generator=_generator)


def m(*sizes):
    return torch.rand(sizes, generator=_generator) > 0.5


def c(*sizes):
    return torch.complex(f(*sizes), f(*sizes))


def distinct(high, *sizes):
    """Indices of which no two along the first dim are equal."""
    rows = torch.stack([torch.randperm(high, generator=_generator) for _ in range(3)], -1)
    return rows.reshape(high, -1)[: sizes[0], : sizes[1]] if len(sizes) == 2 else rows[: sizes[0], 0]


NONE, MEAN, SUM = 0, 1, 2

# (op, arguments, named arguments); "!" before a name: the values are random, sizes alone are compared.
CALLS = []


def call(op, *arguments, **named):
    CALLS.append((op, arguments, named))


def elementwise():
    call("add.Tensor", f(4, 6), f(4, 6))
    call("add.Tensor", f(4, 6), f(6), alpha=2)
    call("add.Tensor", f(4, 1, 6), f(5, 1))
    call("add.Tensor", f(1), f(1))
    call("add.Tensor", f(), f(3))
    call("add.Scalar", f(4, 6), 2)
    call("sub.Tensor", f(4, 6), f(4, 1))
    call("rsub.Tensor", f(4, 6), f(4, 6))
    call("mul.Tensor", f(4, 6), f(4, 6))
    call("mul.Tensor", f(4, 6), f())
    call("mul.Scalar", f(4, 6), 3)
    call("div.Tensor", f(4, 6), f(6))
    call("div.Tensor_mode", f(4, 6), f(6), rounding_mode="floor")
    call("div.Scalar", f(4, 6), 3)
    call("lerp.Scalar", f(4, 6), f(4, 6), 0.3)
    call("lerp.Tensor", f(4, 6), f(4, 6), f(4, 6))
    call("where.self", m(4, 6), f(4, 6), f(6))
    call("where.ScalarSelf", m(4, 6), 2.0, f(4, 6))
    call("addcmul", f(4, 6), f(4, 6), f(6), value=2)
    call("masked_fill.Scalar", f(4, 6), m(6), 0.0)
    call("masked_fill.Tensor", f(4, 6), m(4, 6), f())
    call("maximum", f(4, 6), f(4, 1))
    call("max.other", f(4, 6), f(4, 1))
    call("pow.Tensor_Tensor", f(4, 6), f(4, 6))
    call("eq.Tensor", i(3, 4, 6), i(3, 6))
    for name in "neg relu gelu sigmoid tanh exp log sqrt abs silu clone positive deg2rad square".split():
        call(name, f(4, 6))
    call("clamp", f(4, 6), 0.4, 0.9)
    call("clamp.Tensor", f(4, 6), f(6), None)
    call("complex", f(4, 6), f(4, 6))
    call("real", c(4, 6))
    call("imag", c(4, 6))
    call("view_as_real", c(4, 6))
    call("view_as_complex", f(4, 2))
    call("frexp.Tensor", f(4, 6))
    call("_prelu_kernel", f(4, 6), f(4, 6))
    call("prelu", f(4, 6, 3) - 0.7, f(6))
    call("prelu", f(4, 6, 3) - 0.7, f(1))
    call("type_as", f(4, 6), f(3))
    call("copy", f(4, 6), f(6))
    call("fill.Scalar", f(4, 6), 2)
    call("fill.Tensor", f(4, 6), f())
    call("zeros_like", f(4, 6))
    call("full_like", f(4, 6), 3)
    call("new_zeros", f(4, 6), [2, 3])
    call("new_full", f(4, 6), [5], 2)
    call("!bernoulli", f(4, 6) / 2)
    call("!rand_like", f(4, 6))
    call("!native_dropout", f(4, 6), 0.5, True)
    call("dropout", f(4, 6), 0.5, False)


def products():
    call("mm", f(4, 6), f(6, 5))
    call("bmm", f(3, 4, 6), f(3, 6, 5))
    call("mv", f(4, 6), f(6))
    call("dot", f(6), f(6))
    for left, right in [((6,), (6,)), ((4, 6), (6,)), ((6,), (6, 5)), ((4, 6), (6, 5)), ((3, 4, 6), (6, 5)),
                        ((3, 4, 6), (3, 6, 5)), ((2, 1, 4, 6), (3, 6, 5)), ((6,), (3, 6, 5)), ((3, 4, 6), (6,)),
                        ((4, 6), (3, 6, 5))]:
        call("matmul", f(*left), f(*right))
    call("linear", f(2, 4, 6), f(5, 6))
    call("linear", f(2, 4, 6), f(5, 6), f(5))
    call("linear", f(6), f(5, 6), f(5))
    call("linear", f(4, 6), f(6))
    call("bilinear", f(4, 3), f(4, 6), f(5, 3, 6), f(5))
    call("addmm", f(5), f(4, 6), f(6, 5), beta=2, alpha=3)
    call("addmm", f(4, 5), f(4, 6), f(6, 5))
    call("addmm", f(4, 1), f(4, 6), f(6, 5))
    call("addmv", f(4), f(4, 6), f(6))
    call("addr", f(4, 6), f(4), f(6))
    call("baddbmm", f(3, 4, 5), f(3, 4, 6), f(3, 6, 5))
    call("baddbmm", f(4, 5), f(3, 4, 6), f(3, 6, 5))
    call("addbmm", f(4, 5), f(3, 4, 6), f(3, 6, 5))
    call("inner", f(2, 4, 6), f(5, 6))
    call("outer", f(4), f(6))
    call("kron", f(4, 6), f(2, 3))
    call("kron", f(6), f(2, 3))
    call("tensordot", f(3, 4, 6), f(6, 3, 5), [0, 2], [1, 0])
    call("tensordot", f(3, 4), f(4, 5), [1], [0])
    call("einsum", "ij,jk->ik", [f(4, 6), f(6, 5)])
    call("einsum", "bhld, bhsd -> bhls", [f(2, 3, 4, 6), f(2, 3, 5, 6)])
    call("einsum", "ij,jk", [f(4, 6), f(6, 5)])
    call("einsum", "...ij,...jk->...ik", [f(3, 4, 6), f(6, 5)])
    call("einsum", "ii->i", [f(4, 4)])
    call("einsum", "ij,kj,k->i", [f(4, 6), f(3, 6), f(3)])
    call("einsum", "i...->...", [f(4, 6, 3)])
    call("linalg_vecdot", f(4, 6), f(4, 6))
    call("cdist", f(2, 4, 6), f(2, 5, 6))
    call("trace", f(4, 6))
    call("linalg_inv", f(3, 4, 4) + torch.eye(4) * 5)
    call("linalg_det", f(3, 4, 4))


def reductions():
    call("sum", f(4, 6))
    call("sum.dim_IntList", f(4, 6, 3), [1])
    call("sum.dim_IntList", f(4, 6, 3), [-1, 0], True)
    call("sum.dim_IntList", f(4, 6, 3), None)
    call("sum.dim_IntList", f(4, 6, 3), [], True)
    call("mean", f(4, 6))
    call("mean.dim", f(4, 6, 3), [1, 2], True)
    call("prod", f(4, 6))
    call("prod.dim_int", f(4, 6), 1)
    call("amax", f(4, 6), [0])
    call("amin", f(4, 6), [0], True)
    call("max", f(4, 6))
    call("max.dim", f(4, 6), 1)
    call("min.dim", f(4, 6), 0, True)
    call("median.dim", f(4, 6), 0)
    call("argmax", f(4, 6))
    call("argmax", f(4, 6), 1)
    call("argmin", f(4, 6), 1, True)
    call("all.dim", m(4, 6), 1)
    call("any", m(4, 6))
    call("logsumexp", f(4, 6), [1])
    call("var.correction", f(4, 6), [1], keepdim=True)
    call("std", f(4, 6))
    call("var_mean.correction", f(4, 6), [0])
    call("std_mean", f(4, 6))
    call("norm.Scalar", f(4, 6))
    call("norm.ScalarOpt_dim", f(4, 6), 2, [1])
    call("linalg_vector_norm", f(4, 6), 2, [1], True)
    call("linalg_matrix_norm.str_ord", f(3, 4, 6))
    call("nansum", f(4, 6), [1])
    call("count_nonzero.dim_IntList", i(2, 4, 6), [1])
    call("aminmax", f(4, 6), dim=1)
    call("kthvalue", f(4, 6), 2)
    call("mode", i(3, 4, 6))
    call("cosine_similarity", f(4, 6), f(4, 6))
    call("pairwise_distance", f(4, 6), f(4, 6))
    call("dist", f(4, 6), f(4, 6))
    for name in "cumsum cumprod logcumsumexp cummax".split():
        call(name, f(4, 6), 1)
    call("sort", f(4, 6))
    call("sort.stable", f(4, 6), stable=True, dim=0)
    call("argsort", f(4, 6), 0)
    call("msort", f(4, 6))
    call("topk", f(4, 6), 3)
    call("topk", f(4, 6), 3, 0)
    call("softmax.int", f(4, 6), 1)
    call("log_softmax.int", f(4, 6), -1)
    call("_softmax", f(4, 6, 3), 1, False)
    call("linalg_cross", f(4, 3), f(1, 3))
    call("glu", f(4, 6))
    call("glu", f(4, 6), 0)
    call("sum", f())
    call("softmax.int", f(), 0)


VIEWS = [((12, 8), (16, 6)), ((12, 8), (96,)), ((96,), (12, 8)), ((6, 256), (-1,)), ((4, 6), (4, 2, 3)),
         ((4, 2, 3), (4, 6)), ((4, 6), (6, 4)), ((6, 4), (4, 6)), ((2, 3, 4), (6, 4)), ((2, 3, 4), (2, 12)),
         ((1, 4), (4,)), ((4,), (1, 4, 1)), ((1, 4), (1, 1, 4)), ((8, 9), (12, 6)), ((9, 8), (6, 12)),
         ((4, 6, 10), (2, 12, 10)), ((), (1, 1)), ((1,), ()), ((0, 4), (0, 2, 2)), ((4, 0), (0,)),
         ((3, 0, 5), (5, 0)), ((5, 7), (7, 5)), ((30, 42), (70, 18))]


def views():
    for before, after in VIEWS:
        call("view", f(*before), list(after))
    call("reshape", f(4, 6), [2, 2, -1])
    call("view_as", f(4, 6), f(2, 2, 6))
    call("flatten.using_ints", f(2, 3, 4, 5), 1)
    call("flatten.using_ints", f(2, 3, 4, 5), 1, 2)
    call("flatten.using_ints", f())
    call("ravel", f(2, 3))
    call("unflatten.int", f(4, 6, 2), 1, [3, -1])
    call("unflatten.int", f(4, 12, 2), 1, [2, 2, 3])
    call("expand", f(4, 1), [3, -1, 5])
    call("expand", f(1, 6), [4, 6])
    call("broadcast_to", f(6), [4, 6])
    call("expand_as", f(4, 1), f(4, 6))
    call("permute", f(2, 3, 4), [2, 0, 1])
    call("transpose.int", f(2, 3, 4), 0, -1)
    call("swapaxes", f(2, 3, 4), 0, 1)
    call("t", f(2, 3))
    call("t", f(3))
    call("mT", f(5, 2, 3))
    call("movedim.int", f(2, 3, 4), 0, 2)
    call("movedim.intlist", f(2, 3, 4, 5), [0, 3], [2, 0])
    call("squeeze", f(4, 1, 6, 1))
    call("squeeze.dim", f(4, 1, 6, 1), 1)
    call("squeeze.dim", f(4, 1, 6, 1), 0)
    call("squeeze.dims", f(4, 1, 6, 1), [1, -1])
    call("unsqueeze", f(4, 6), 1)
    call("unsqueeze", f(4, 6), -1)
    call("slice.Tensor", f(4, 6), 1, 1, 4)
    call("slice.Tensor", f(4, 6), 1, None, None)
    call("slice.Tensor", f(4, 6), 0, -3, -1)
    call("slice.Tensor", f(4, 6), 1, 0, 100, 2)
    call("slice.Tensor", f(4, 6), 1, 5, 2)
    call("narrow", f(4, 6), 1, 2, 3)
    call("narrow", f(4, 6), 1, 0, 6)
    call("select.int", f(4, 6, 2), 1, -1)
    call("diagonal", f(4, 6, 5), 1, 0, 2)
    call("diagonal", f(4, 6), -2)
    call("unfold", f(4, 9), 1, 3, 2)
    call("split.Tensor", f(4, 6), 3, 1)
    call("split.Tensor", f(4, 7), 3, 1)
    call("split_with_sizes", f(4, 6), [3, 3], 1)
    call("split_with_sizes", f(4, 6), [1, 5], 1)
    call("split.sizes", f(4, 6), [2, 2, 2], -1)
    call("chunk", f(4, 6), 3, 1)
    call("chunk", f(4, 7), 3, 1)
    call("chunk", f(4, 6), 4)
    call("tensor_split.sections", f(4, 7), 3, 1)
    call("tensor_split.indices", f(4, 7), [2, 5], 1)
    call("unbind.int", f(3, 4), 0)
    call("atleast_2d", f(4))
    call("atleast_3d", f(4, 6))


def joins():
    call("cat", [f(4, 6), f(4, 6)], 1)
    call("cat", [f(4, 6), f(4, 3), f(4, 1)], 1)
    call("cat", [f(4, 6), f(0), f(2, 6)])
    call("stack", [f(4, 6), f(4, 6), f(4, 6)], 1)
    call("stack", [f(4, 6), f(4, 6)], -1)
    call("hstack", [f(4), f(4)])
    call("vstack", [f(4), f(4)])
    call("hstack", [f(4, 2), f(4, 3)])
    call("vstack", [f(4, 2), f(3, 2)])
    call("repeat", f(4, 6), [3, 1, 2])
    call("tile", f(4, 6), [2])
    call("roll", f(4, 6), [2], [1])
    call("roll", f(4, 6), [2])
    call("flip", f(4, 6), [0])
    call("rot90", f(4, 6, 2))
    call("triu", f(3, 4, 6), 1)
    call("tril", f(4, 6))
    call("constant_pad_nd", f(4, 6), [1, 2], 0.5)
    call("pad", f(4, 6), [0, 0, 1, 0])
    call("reflection_pad2d", f(2, 3, 4, 6), [1, 1, 2, 0])
    call("replication_pad1d", f(2, 3, 6), [1, 1])


def layers():
    call("layer_norm", f(4, 6, 5), [5], f(5), f(5))
    call("layer_norm", f(4, 6, 5), [6, 5], f(6, 5))
    call("native_layer_norm", f(4, 6, 5), [6, 5], None, None, 1e-5)
    call("rms_norm", f(4, 6), [6], f(6), 1e-5)
    call("group_norm", f(4, 6, 5), 3, f(6), f(6))
    call("instance_norm", f(4, 6, 5), f(6), f(6), None, None, True, 0.1, 1e-5, False)
    call("batch_norm", f(4, 6, 5), f(6), f(6), f(6), f(6), False, 0.1, 1e-5, False)
    call("batch_norm", f(4, 6, 5), f(6), f(6), None, None, True, 0.1, 1e-5, False)
    call("batch_norm", f(4, 6), None, None, f(6), f(6), False, 0.1, 1e-5, False)
    call("conv1d", f(2, 3, 9), f(4, 3, 3))
    call("conv2d", f(2, 3, 9, 8), f(4, 3, 3, 2), f(4), [2, 1], [1, 0], [2, 1])
    call("conv2d", f(2, 4, 9, 8), f(6, 2, 3, 3), f(6), groups=2)
    call("conv2d", f(3, 9, 8), f(4, 3, 3, 3), f(4))
    call("conv2d.padding", f(2, 3, 9, 8), f(4, 3, 3, 3), padding="same")
    call("conv2d.padding", f(2, 3, 9, 8), f(4, 3, 3, 3))
    call("conv3d", f(2, 3, 4, 5, 6), f(4, 3, 2, 2, 2), f(4))
    call("conv_transpose1d", f(2, 3, 5), f(3, 4, 3), f(4), [2], [1], [1])
    call("conv_transpose2d.input", f(2, 4, 5, 5), f(4, 3, 3, 3), groups=2)
    call("convolution", f(2, 3, 9), f(4, 3, 3), f(4), [1], [0], [1], False, [0], 1)
    call("max_pool1d", f(2, 3, 9), 2)
    call("max_pool2d", f(2, 3, 9, 8), [3, 2], [2, 2], [1, 1], [1, 1], True)
    call("max_pool2d", f(3, 9, 8), [2])
    call("max_pool2d_with_indices", f(2, 3, 9, 8), [2, 2])
    call("avg_pool2d", f(2, 3, 9, 8), [3, 3], [2, 2], [1, 1], True)
    call("avg_pool1d", f(2, 3, 9), 2)
    call("adaptive_avg_pool2d", f(2, 3, 9, 8), [3, 2])
    call("adaptive_max_pool1d", f(2, 3, 9), [3])
    call("upsample_nearest2d", f(2, 3, 4, 5), [8, 10])
    call("upsample_bilinear2d", f(2, 3, 4, 5), [8, 10], False)
    call("pixel_shuffle", f(2, 8, 3, 4), 2)
    call("pixel_unshuffle", f(2, 2, 6, 4), 2)
    call("grid_sampler", f(2, 3, 4, 5), f(2, 6, 7, 2), 0, 0, False)
    call("im2col", f(2, 3, 6, 5), [2, 3], [1, 1], [0, 1], [1, 1])
    call("col2im", f(2, 18, 25), [6, 5], [2, 3], [1, 1], [0, 1], [1, 1])


def lookups():
    call("embedding", f(7, 6), i(7, 4, 3))
    call("index_select", f(4, 6), 1, i(6, 5))
    call("gather", f(4, 6), 1, i(6, 4, 3))
    call("gather", f(4, 6), 1, i(6, 2, 3))
    call("take_along_dim", f(4, 6), i(6, 4, 1), 1)
    call("scatter.src", f(6, 4), 0, distinct(6, 3, 3), f(3, 3))
    call("scatter.value", f(6, 3), 0, distinct(6, 3, 3), 2)
    call("scatter_add", f(4, 6), 1, i(6, 4, 3), f(4, 3))
    call("scatter_reduce.two", f(4, 6), 1, i(6, 4, 3), f(4, 3), "amax")
    call("index_add", f(4, 6), 1, i(6, 5), f(4, 5))
    call("index_copy", f(4, 6), 1, distinct(6, 3), f(4, 3))
    call("index_fill.int_Scalar", f(4, 6), 1, distinct(6, 3), 2)
    call("index.Tensor", f(4, 6, 5), [i(4, 3)])
    call("index.Tensor", f(4, 6, 5), [None, i(6, 3, 2)])
    call("index.Tensor", f(4, 6, 5), [i(4, 3), None, i(5, 3)])
    call("index.Tensor", f(4, 6, 5), [i(4, 3, 1), i(6, 2)])
    call("index_put", f(4, 6, 5), [i(4, 1)], f(6, 5))
    call("index_put", f(4, 6), [None, distinct(6, 3)], f(4, 3))
    call("bucketize.Tensor", f(4, 6), f(3).sort().values)
    call("searchsorted.Tensor", f(4, 7).sort().values, f(4, 3))
    call("searchsorted.Tensor", f(7).sort().values, f(4, 3))
    call("isin.Tensor_Tensor", i(5, 4, 6), i(5, 2))


def losses():
    for how in (NONE, MEAN, SUM):
        call("mse_loss", f(4, 6), f(4, 6), how)
        call("nll_loss", f(4, 6), i(6, 4), None, how)
        call("nll_loss_nd", f(4, 6, 3), i(6, 4, 3), f(6), how)
        call("cross_entropy_loss", f(4, 6), i(6, 4), None, how)
        call("cross_entropy_loss", f(4, 6, 3), i(6, 4, 3), f(6), how, label_smoothing=0.1)
        call("cross_entropy_loss", f(4, 6), f(4, 6), None, how)
        call("binary_cross_entropy_with_logits", f(4, 6), f(4, 6), None, f(6), how)
        call("kl_div", f(4, 6), f(4, 6), how)
        call("triplet_margin_loss", f(4, 6), f(4, 6), f(4, 6), reduction=how)
    call("cross_entropy_loss", f(6), i(6))
    call("l1_loss", f(4, 6), f(4, 6))


def attention():
    call("scaled_dot_product_attention", f(2, 4, 5, 6), f(2, 4, 7, 6), f(2, 4, 7, 3))
    call("scaled_dot_product_attention", f(2, 4, 5, 6), f(2, 4, 7, 6), f(2, 4, 7, 3), f(5, 7))
    call("scaled_dot_product_attention", f(2, 4, 5, 6), f(2, 4, 7, 6), f(2, 4, 7, 3), f(2, 1, 5, 7))
    call("scaled_dot_product_attention", f(2, 4, 5, 6), f(2, 4, 5, 6), f(2, 4, 5, 6), is_causal=True)
    call("scaled_dot_product_attention", f(2, 4, 5, 6), f(2, 2, 7, 6), f(2, 2, 7, 3), enable_gqa=True)
    call("scaled_dot_product_attention", f(4, 5, 6), f(4, 7, 6), f(4, 7, 3))


for family in (elementwise, products, reductions, views, joins, layers, lookups, losses, attention):
    family()


def operator(name):
    base, _, overload = name.lstrip("!").partition(".")
    return getattr(getattr(torch.ops.aten, base), overload or "default")


def arguments_in_order(op, given, named):
    """All of the schema's arguments, defaults filled in."""
    result = []
    for place, argument in enumerate(op._schema.arguments):
        if place < len(given):
            result.append(given[place])
        elif argument.name in named:
            result.append(named[argument.name])
        else:
            result.append(argument.default_value if argument.has_default_value() else None)
    return result


def run(op, values):
    """The outputs as a list."""
    schema = op._schema.arguments
    positional = [v for v, a in zip(values, schema) if not a.kwarg_only]
    named = {a.name: v for v, a in zip(values, schema) if a.kwarg_only}
    result = op(*positional, **named)
    return list(result) if isinstance(result, (list, tuple)) else [result]
