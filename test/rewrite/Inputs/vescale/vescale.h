#pragma once
// The counterparts in vs of what the mock torch/torch.h declares.
#include <torch/torch.h>

#include <string_view>
#include <utility>

namespace vescale {
#define MOCK_TENSOR DTensor
#define MOCK_CONVERSIONS \
  DTensor(const at::Tensor&) {}
#include "../mock/tensor.inc"
#define VS_MODULE(Name)                                         \
  class Name : public ::vescale::nn::ModuleHolder<Name##Impl> {   \
   public:                                                      \
    using ::vescale::nn::ModuleHolder<Name##Impl>::ModuleHolder;  \
  }
#define MOCK_MODULE VS_MODULE
#include "../mock/nn.inc"
#undef MOCK_MODULE
#undef MOCK_CONVERSIONS
#undef MOCK_TENSOR

inline DTensor redistribute(const DTensor& x, std::string_view) { return x; }
inline DTensor all_reduce(const DTensor& x, std::string_view) { return x; }
inline DTensor all_gather(const DTensor& x, std::string_view) { return x; }
inline DTensor reduce_scatter(const DTensor& x, std::string_view, std::int64_t) { return x; }
inline DTensor replicate(const DTensor& x, std::string_view) { return x; }
inline DTensor shard(const DTensor& x, std::string_view, std::int64_t) { return x; }
inline at::Tensor local_of(const DTensor&) { return {}; }
inline std::vector<at::Tensor> local_of(const std::vector<DTensor>&) { return {}; }
inline std::optional<at::Tensor> local_of(const std::optional<DTensor>&) { return {}; }
template <class Other>
const Other& local_of(const Other& x) { return x; }
inline DTensor wrapped(const at::Tensor&) { return {}; }
template <class... Ts>
auto wrapped(const std::tuple<Ts...>&) { return std::tuple<decltype(wrapped(Ts()))...>(); }
template <class Function, class... Args>
auto call_local(std::string_view, Function&& function, Args&&... args) {
  return wrapped(function(local_of(std::as_const(args))...));
}
inline void distribute_module(nn::Module&, std::initializer_list<std::pair<std::string_view, std::string_view>>) {}
inline int run(int argc, char** argv, int (*vs_main)(int, char**), std::initializer_list<const char*> = {}) {
  return vs_main(argc, argv);
}
[[noreturn]] void exit(int status);
}  // namespace vescale

namespace vs = vescale;
