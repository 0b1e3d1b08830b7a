#pragma once
// The counterparts in vs of what the mock torch/torch.h declares.
#include <torch/torch.h>

#include <string_view>
#include <utility>

namespace vescale {
#define MOCK_TENSOR DTensor
#define MOCK_CONVERSIONS \
  DTensor(const at::Tensor&) {}
#define MOCK_MEMORY                        \
  at::Tensor full() const { return {}; }   \
  at::Tensor local() const { return {}; }
#include "../mock/tensor.inc"
#define VS_MODULE(Name)                                         \
  class Name : public ::vescale::nn::ModuleHolder<Name##Impl> {   \
   public:                                                      \
    using ::vescale::nn::ModuleHolder<Name##Impl>::ModuleHolder;  \
    using Impl [[maybe_unused]] = Name##Impl;                   \
  }
#define MOCK_MODULE VS_MODULE
using torch::OrderedDict;
#include "../mock/nn.inc"
#include "../mock/optim.inc"
#undef MOCK_MODULE
#undef MOCK_MEMORY
#undef MOCK_CONVERSIONS
#undef MOCK_TENSOR

enum class Gradient { Same, Partial };
inline DTensor redistribute(const DTensor& x, std::string_view) { return x; }
inline DTensor all_reduce(const DTensor& x, std::string_view) { return x; }
inline DTensor all_gather(const DTensor& x, std::string_view, Gradient = Gradient::Same) { return x; }
inline DTensor reduce_scatter(const DTensor& x, std::string_view, std::int64_t) { return x; }
inline DTensor all_to_all(const DTensor& x, std::string_view, std::int64_t) { return x; }
inline DTensor replicate(const DTensor& x, std::string_view) { return x; }
inline DTensor partial(const DTensor& x, std::string_view) { return x; }
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
using PlacementTable = std::vector<std::pair<std::string, std::string>>;
inline void distribute_module(nn::Module&, const PlacementTable&) {}
template <class Contained>
void distribute_module(const nn::ModuleHolder<Contained>&, const PlacementTable&) {}
inline int run(int argc, char** argv, int (*vs_main)(int, char**), std::initializer_list<const char*> = {}) {
  return vs_main(argc, argv);
}
std::ostream& cout();
[[noreturn]] void exit(int status);
}  // namespace vescale

namespace vs = vescale;
