#pragma once
/// LibTorch's operators on DTensors: functions, methods, operators, indexing.
///
///   auto y = vs::relu(vs::linear(x, weight, bias)) + 1;
#include <vescale/dtensor.h>
#include <vescale/generated/namespaces.h>
#include <vescale/generated/ops.h>
#include <vescale/indexing.h>
#include <vescale/operators.h>

namespace vescale {

// Functions that LibTorch, too, writes by hand.
inline std::int64_t numel(const DTensor& x) { return x.numel(); }
inline std::int64_t size(const DTensor& x, std::int64_t dim) { return x.size(dim); }
inline std::int64_t stride(const DTensor& x, std::int64_t dim) { return x.stride(dim); }
inline bool is_complex(const DTensor& x) { return x.is_complex(); }
inline bool is_floating_point(const DTensor& x) { return x.is_floating_point(); }
inline bool is_signed(const DTensor& x) { return x.is_signed(); }
inline bool is_conj(const DTensor& x) { return x.local().is_conj(); }
inline bool is_neg(const DTensor& x) { return x.local().is_neg(); }
inline bool is_inference(const DTensor& x) { return x.local().is_inference(); }
inline bool is_same_size(const DTensor& x, const DTensor& y) { return x.sizes() == y.sizes(); }
inline DTensor detach(const DTensor& x) { return x.detach(); }

/// Over one dim. An int would otherwise choose the overload with `unbiased`.
inline DTensor var(const DTensor& x, int dim) { return var(x, at::IntArrayRef{dim}); }
inline DTensor std(const DTensor& x, int dim) { return std(x, at::IntArrayRef{dim}); }
inline std::tuple<DTensor, DTensor> var_mean(const DTensor& x, int dim) {
  return var_mean(x, at::IntArrayRef{dim});
}
inline std::tuple<DTensor, DTensor> std_mean(const DTensor& x, int dim) {
  return std_mean(x, at::IntArrayRef{dim});
}

}  // namespace vescale
