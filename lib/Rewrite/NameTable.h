#pragma once
/// Which names of LibTorch have a counterpart in namespace vs. The one table that decides.
#include <optional>
#include <string>
#include <string_view>

namespace vescale::rewrite {

enum class NameKind { Type, Function, Namespace };

/// The vs name of an entity of LibTorch, e.g. "vs::DTensor" for at::Tensor, "vs::nn::Linear" for
/// torch::nn::Linear; nothing if it stays as it is (torch::kFloat, torch::data, c10::Scalar).
/// `qualified`: as declared ("at::matmul"). `takes_tensors`: a function that takes or returns tensors.
std::optional<std::string> vs_name(std::string_view qualified, NameKind kind, bool takes_tensors = false);

/// In one of LibTorch's own namespaces.
bool is_torch_name(std::string_view qualified);

}  // namespace vescale::rewrite
