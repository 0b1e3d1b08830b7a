#pragma once
/// Binary operators of DTensors and scalars, with LibTorch's meaning: a scalar on the left of - / % & | ^
/// takes the tensor's dtype.
#include <vescale/generated/ops.h>

namespace vescale {

#define VESCALE_BINARY_OPERATOR(op, method, reversed)                                       \
  inline DTensor operator op(const DTensor& x, const DTensor& y) { return x.method(y); }    \
  inline DTensor operator op(const DTensor& x, const at::Scalar& y) { return x.method(y); } \
  inline DTensor operator op(const at::Scalar& x, const DTensor& y) { return reversed; }

VESCALE_BINARY_OPERATOR(+, add, y.add(x))
VESCALE_BINARY_OPERATOR(*, mul, y.mul(x))
VESCALE_BINARY_OPERATOR(-, sub, full_like(y, x).sub(y))
VESCALE_BINARY_OPERATOR(/, div, full_like(y, x).div(y))
VESCALE_BINARY_OPERATOR(%, remainder, full_like(y, x).remainder(y))
VESCALE_BINARY_OPERATOR(&, bitwise_and, y.bitwise_and(x))
VESCALE_BINARY_OPERATOR(|, bitwise_or, y.bitwise_or(x))
VESCALE_BINARY_OPERATOR(^, bitwise_xor, y.bitwise_xor(x))
VESCALE_BINARY_OPERATOR(<, lt, y.gt(x))
VESCALE_BINARY_OPERATOR(<=, le, y.ge(x))
VESCALE_BINARY_OPERATOR(>, gt, y.lt(x))
VESCALE_BINARY_OPERATOR(>=, ge, y.le(x))
VESCALE_BINARY_OPERATOR(==, eq, y.eq(x))
VESCALE_BINARY_OPERATOR(!=, ne, y.ne(x))

#undef VESCALE_BINARY_OPERATOR

}  // namespace vescale
