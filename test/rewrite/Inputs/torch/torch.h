#pragma once
// Our own declarations of the little of LibTorch that the tests need.
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace c10 {
enum class ScalarType { Float, Double, Long, Bool };
constexpr ScalarType kFloat = ScalarType::Float;
constexpr ScalarType kDouble = ScalarType::Double;
constexpr ScalarType kLong = ScalarType::Long;
constexpr ScalarType kBool = ScalarType::Bool;
enum class DeviceType { CPU };
constexpr DeviceType kCPU = DeviceType::CPU;
struct Device {
  Device(DeviceType) {}
};
struct TensorImpl {};
class Scalar {
 public:
  Scalar() = default;
  Scalar(double) {}
  Scalar(int) {}
  Scalar(std::int64_t) {}
  double toDouble() const { return 0; }
};
template <class T>
class ArrayRef {
 public:
  ArrayRef() = default;
  ArrayRef(std::initializer_list<T>) {}
  ArrayRef(const T&) {}
  ArrayRef(const std::vector<T>&) {}
  std::size_t size() const { return 0; }
  const T& operator[](std::size_t) const { return *begin_; }
  const T* begin() const { return begin_; }
  const T* end() const { return begin_; }
  friend bool operator==(ArrayRef, ArrayRef) { return true; }
  friend bool operator!=(ArrayRef, ArrayRef) { return false; }

 private:
  const T* begin_ = nullptr;
};
using IntArrayRef = ArrayRef<std::int64_t>;
struct NoGradGuard {
  NoGradGuard() {}
};
struct EllipsisIndexType {};
constexpr EllipsisIndexType Ellipsis;
constexpr std::nullopt_t None = std::nullopt;
struct Slice {
  Slice(std::optional<std::int64_t> = {}, std::optional<std::int64_t> = {}, std::optional<std::int64_t> = {}) {}
};
}  // namespace c10

namespace at {
template <class T, std::size_t>
struct TensorAccessor {
  T* operator[](std::size_t) const { return nullptr; }
};
#define MOCK_TENSOR Tensor
#define MOCK_CONVERSIONS
#define MOCK_MEMORY                     \
  template <class T>                    \
  T* data_ptr() const { return nullptr; } \
  template <class T, std::size_t N>     \
  TensorAccessor<T, N> accessor() const { return {}; }
#include "../mock/tensor.inc"
#undef MOCK_MEMORY
#undef MOCK_CONVERSIONS
#undef MOCK_TENSOR
inline Tensor from_blob(void*, c10::IntArrayRef, c10::ScalarType = c10::kFloat) { return {}; }
}  // namespace at

#define TORCH_MODULE(Name)                                    \
  class Name : public torch::nn::ModuleHolder<Name##Impl> {   \
   public:                                                    \
    using torch::nn::ModuleHolder<Name##Impl>::ModuleHolder;  \
    using Impl [[maybe_unused]] = Name##Impl;                 \
  }

namespace torch {
using namespace at;
using at::Tensor;
using c10::ArrayRef;
using c10::Device;
using c10::IntArrayRef;
using c10::kBool;
using c10::kCPU;
using c10::kDouble;
using c10::kFloat;
using c10::kLong;
using c10::NoGradGuard;
using Dtype = c10::ScalarType;
template <class Key, class Value>
class OrderedDict {
 public:
  struct Item {
    const Key& key() const { return first; }
    Value& value() { return second; }
    const Value& value() const { return second; }
    Key first;
    Value second;
  };
  Value& operator[](const Key&) { return items_.front().second; }
  Value* find(const Key&) { return nullptr; }
  bool contains(const Key&) const { return false; }
  typename std::vector<Item>::const_iterator begin() const { return items_.begin(); }
  typename std::vector<Item>::const_iterator end() const { return items_.end(); }
  typename std::vector<Item>::iterator begin() { return items_.begin(); }
  typename std::vector<Item>::iterator end() { return items_.end(); }

 private:
  std::vector<Item> items_;
};
#define MOCK_TENSOR at::Tensor
#define MOCK_MODULE TORCH_MODULE
#include "../mock/nn.inc"
#include "../mock/optim.inc"
#undef MOCK_MODULE
#undef MOCK_TENSOR
namespace autograd {
using variable_list = std::vector<at::Tensor>;
struct AutogradContext {
  void save_for_backward(variable_list) {}
  variable_list get_saved_variables() const { return {}; }
};
template <class T>
struct Function {
  template <class X = T, class... Args>
  static auto apply(Args&&... args)
      -> std::enable_if_t<std::is_same_v<X, T>,
                          decltype(X::forward(std::declval<AutogradContext*>(), std::declval<Args>()...))> {
    AutogradContext context;
    return X::forward(&context, std::forward<Args>(args)...);
  }
};
}  // namespace autograd
}  // namespace torch
#include "../mock/data.inc"
