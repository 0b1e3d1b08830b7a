#pragma once
// Our own declarations of the little of LibTorch that the tests need.
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace c10 {
enum class ScalarType { Float, Double, Long, Bool };
constexpr ScalarType kFloat = ScalarType::Float;
constexpr ScalarType kDouble = ScalarType::Double;
constexpr ScalarType kLong = ScalarType::Long;
template <class T>
class ArrayRef {
 public:
  ArrayRef() = default;
  ArrayRef(std::initializer_list<T>) {}
  ArrayRef(const std::vector<T>&) {}
};
using IntArrayRef = ArrayRef<std::int64_t>;
struct NoGradGuard {
  NoGradGuard() {}
};
}  // namespace c10

namespace at {
#define MOCK_TENSOR Tensor
#define MOCK_CONVERSIONS
#include "../mock/tensor.inc"
#undef MOCK_CONVERSIONS
#undef MOCK_TENSOR
}  // namespace at

#define TORCH_MODULE(Name)                                    \
  class Name : public torch::nn::ModuleHolder<Name##Impl> {   \
   public:                                                    \
    using torch::nn::ModuleHolder<Name##Impl>::ModuleHolder;  \
  }

namespace torch {
using namespace at;
using at::Tensor;
using c10::ArrayRef;
using c10::IntArrayRef;
using c10::kDouble;
using c10::kFloat;
using c10::kLong;
using c10::NoGradGuard;
using Dtype = c10::ScalarType;
#define MOCK_TENSOR at::Tensor
#define MOCK_MODULE TORCH_MODULE
#include "../mock/nn.inc"
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
namespace data {
template <class Data = Tensor, class Target = Tensor>
struct Example {
  Data data;
  Target target;
};
namespace datasets {
template <class Self, class Batch = Example<>>
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual Example<> get(std::size_t) = 0;
};
}  // namespace datasets
}  // namespace data
}  // namespace torch
