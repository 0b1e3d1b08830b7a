#pragma once
#include <c10/core/DispatchKey.h>

namespace vescale::detail {

/// Included for LibTorch's dispatcher on the threads of ranks, so that ops can be seen there before
/// LibTorch's own kernels. It is the key that no part of LibTorch uses outside its tests; it comes before
/// autograd.
inline constexpr c10::DispatchKey rank_dispatch_key = c10::DispatchKey::TESTING_ONLY_GenericMode;

}  // namespace vescale::detail
