#include "Rewrite/NameTable.h"

#include <array>
#include <utility>

namespace vescale::rewrite {
namespace {

using std::string_view;

// Namespaces whose whole content has a counterpart.
constexpr std::array<std::pair<string_view, string_view>, 4> namespaces{{
    {"torch::nn", "vs::nn"},
    {"torch::optim", "vs::optim"},
    {"torch::indexing", "vs::indexing"},
    {"at::indexing", "vs::indexing"},
}};

// What stays although its neighbours have a counterpart: host data enters by the implicit conversion.
constexpr std::array<string_view, 8> kept{{
    "torch::nn::parallel",
    "torch::from_blob",
    "at::from_blob",
    "torch::pickle_save",
    "torch::pickle_load",
    "torch::getNumThreads",
    "at::print",
    "torch::jit",
}};

// Single names: types, and functions that take no tensor.
constexpr std::array<std::pair<string_view, string_view>, 12> names{{
    {"at::Tensor", "vs::DTensor"},
    {"torch::Tensor", "vs::DTensor"},
    {"torch::autograd::Variable", "vs::DTensor"},
    {"torch::autograd::variable_list", "vs::autograd::variable_list"},
    {"torch::autograd::grad", "vs::autograd::grad"},
    {"torch::autograd::backward", "vs::autograd::backward"},
    {"torch::autograd", "vs::autograd"},
    {"at::manual_seed", "vs::manual_seed"},
    {"torch::manual_seed", "vs::manual_seed"},
    {"torch::save", "vs::save"},
    {"torch::load", "vs::load"},
    {"std::exit", "vs::exit"},
}};

bool inside(string_view name, string_view scope) {
  return name == scope || (name.size() > scope.size() && name.substr(0, scope.size()) == scope &&
                           name.substr(scope.size(), 2) == "::");
}

// What is behind "at::" or "torch::".
std::optional<string_view> member(string_view name) {
  for (string_view scope : {"torch::", "at::"}) {
    if (name.substr(0, scope.size()) == scope) return name.substr(scope.size());
  }
  return std::nullopt;
}

bool is_op_namespace(string_view name) {
  return inside(name, "fft") || inside(name, "linalg") || inside(name, "special");
}

}  // namespace

bool is_torch_name(string_view qualified) {
  return inside(qualified, "torch") || inside(qualified, "at") || inside(qualified, "c10");
}

std::optional<std::string> vs_name(string_view qualified, NameKind kind, bool takes_tensors) {
  for (string_view name : kept) {
    if (inside(qualified, name)) return std::nullopt;
  }
  for (const auto& [torch, vs] : names) {
    if (qualified == torch) return std::string(vs);
  }
  for (const auto& [torch, vs] : namespaces) {
    if (inside(qualified, torch)) return std::string(vs) + std::string(qualified.substr(torch.size()));
  }
  const auto inner = member(qualified);
  if (!inner || kind == NameKind::Type) return std::nullopt;
  const bool op = takes_tensors && inner->find("::") == string_view::npos;
  if (is_op_namespace(*inner) || (kind == NameKind::Function && op)) return "vs::" + std::string(*inner);
  return std::nullopt;
}

}  // namespace vescale::rewrite
