#pragma once
/// The base of layers that have options but no parameters.
#include <ostream>
#include <type_traits>
#include <utility>

#include <vescale/nn/module.h>

namespace vescale {
namespace nn {
namespace detail {

/// `Options_` is LibTorch's, `Plain` LibTorch's module of that name, which prints itself for both.
template <class Derived, class Plain, class Options_>
class Stateless : public Cloneable<Derived> {
 public:
  using Options = Options_;

  Stateless() : options() {}
  /// Whatever the options can be made of.
  template <class... Args,
            class = std::enable_if_t<(sizeof...(Args) > 0) && std::is_constructible<Options, Args...>::value>>
  explicit Stateless(Args&&... args) : options(std::forward<Args>(args)...) {}

  void reset() override {}
  void pretty_print(std::ostream& stream) const override { Plain(options).pretty_print(stream); }

  Options options;
};

/// Likewise without options.
template <class Derived, class Plain>
class WithoutOptions : public Cloneable<Derived> {
 public:
  void reset() override {}
  void pretty_print(std::ostream& stream) const override { Plain().pretty_print(stream); }
};

}  // namespace detail
}  // namespace nn
}  // namespace vescale

/// Defines the module Name, of options NameOptions, whose forward of `input` is the expression.
#define VESCALE_LAYER(Name, ...)                                                                  \
  class Name##Impl : public ::vescale::nn::detail::Stateless<Name##Impl, ::torch::nn::Name##Impl, \
                                                             ::torch::nn::Name##Options> {        \
   public:                                                                                        \
    using Stateless::Stateless;                                                                   \
    DTensor forward(DTensor input) { return __VA_ARGS__; }                                        \
  };                                                                                              \
  VS_MODULE(Name)
/// Defines the module Name, without options.
#define VESCALE_PLAIN_LAYER(Name, ...)                                                                   \
  class Name##Impl : public ::vescale::nn::detail::WithoutOptions<Name##Impl, ::torch::nn::Name##Impl> { \
   public:                                                                                               \
    DTensor forward(const DTensor& input) { return __VA_ARGS__; }                                        \
  };                                                                                                     \
  VS_MODULE(Name)
