#include "Inference/Value.h"

namespace vescale::inference {
namespace {

std::string text_of(const Tensor& tensor) {
  std::string text = "tensor(";
  for (const AxisPlacement& placement : tensor.placements) {
    text += (placement ? placement->to_string() : "?") + " ";
  }
  if (tensor.sizes) {
    for (const std::int64_t size : *tensor.sizes) text += "," + std::to_string(size);
  } else {
    text += "rank?";
  }
  return text + (tensor.exact ? "!" : "") + std::to_string(static_cast<int>(tensor.dtype)) + tensor.leaf +
         ")";
}

}  // namespace

std::string Value::to_string() const {
  std::string text = std::to_string(static_cast<int>(kind));
  if (is_tensor()) return text + text_of(tensor);
  if (kind == Kind::Integer || kind == Kind::Bool) text += ":" + std::to_string(integer) + (exact ? "!" : "");
  text += name + "@" + fqn;
  for (const auto& [pattern, placements] : table) text += "{" + pattern + ":" + placements + "}";
  if (function != facts::none) text += "f" + std::to_string(function);
  if (!elements.empty()) text += "(";
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (i < names.size()) text += names[i] + "=";
    text += elements[i].to_string() + ";";
  }
  return elements.empty() ? text : text + ")";
}

Value make_unknown() {
  Value value;
  value.kind = Value::Kind::Unknown;
  return value;
}

Value make_integer(std::int64_t integer, bool exact) {
  Value value;
  value.kind = Value::Kind::Integer;
  value.integer = integer;
  value.exact = exact;
  return value;
}

Value make_tensor(std::size_t axes, AxisPlacement placement, std::optional<std::vector<std::int64_t>> sizes) {
  Value value;
  value.kind = Value::Kind::Tensor;
  value.tensor.placements.assign(axes, placement);
  value.tensor.sizes = std::move(sizes);
  return value;
}

std::string layout_text(const std::vector<AxisPlacement>& placements, const std::vector<std::string>& axes) {
  std::string text;
  for (std::size_t axis = 0; axis < placements.size(); ++axis) {
    if (placements[axis] && placements[axis]->is_invariant()) continue;
    text += (text.empty() ? "" : " ") + axes[axis] + "=" +
            (placements[axis] ? placements[axis]->to_string() : "?");
  }
  return text.empty() ? "R" : text;
}

}  // namespace vescale::inference
