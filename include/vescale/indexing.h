#pragma once
/// What goes between the brackets of `x.index({...})`: LibTorch's index types, with DTensor for Tensor.
///
///   using namespace vs::indexing;
///   x.index({0, Slice(1, None), "...", mask});
#include <ATen/TensorIndexing.h>

#include <utility>
#include <variant>

#include <vescale/dtensor.h>

namespace vescale::indexing {

using at::indexing::Ellipsis;
using at::indexing::EllipsisIndexType;
using at::indexing::None;
using at::indexing::Slice;

/// One index. Integers are global positions, slices global ranges; a bool mask has the global sizes it masks.
struct TensorIndex {
  using Value = std::variant<std::nullopt_t, EllipsisIndexType, std::int64_t, bool, Slice, DTensor>;

  TensorIndex(std::nullopt_t) : value(std::nullopt) {}
  TensorIndex(EllipsisIndexType) : value(EllipsisIndexType()) {}
  /// "...", the ellipsis; throws c10::ValueError for any other text.
  TensorIndex(const char* text);
  TensorIndex(std::int64_t position) : value(position) {}
  TensorIndex(int position) : value(std::int64_t{position}) {}
  template <class T, class = std::enable_if_t<std::is_same_v<bool, T>>>
  TensorIndex(T flag) : value(flag) {}
  TensorIndex(Slice slice) : value(std::move(slice)) {}
  TensorIndex(DTensor tensor) : value(std::move(tensor)) {}
  TensorIndex(const at::Tensor& tensor) : value(DTensor(tensor)) {}

  Value value;
};

}  // namespace vescale::indexing
