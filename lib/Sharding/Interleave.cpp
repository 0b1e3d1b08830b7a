#include "Sharding/Interleave.h"

namespace vescale::sharding {
namespace {

/// Whether the factors of a dim have a prefix of `sections` elements.
bool shows_sections(const ShardingRule& rule, const DimFactors& dim, std::int64_t sections) {
  std::int64_t product = 1;
  for (int f : dim) {
    if (product == sections) return true;
    const std::int64_t size = rule.factors[static_cast<std::size_t>(f)].size;
    if (size == unknown_size) return false;
    product *= size;
  }
  return false;
}

void split_everywhere(std::vector<TensorFactors>& tensors, int factor, int rest) {
  for (TensorFactors& tensor : tensors) {
    for (DimFactors& dim : tensor.dims) {
      for (std::size_t i = 0; i < dim.size(); ++i) {
        if (dim[i] == factor) dim.insert(dim.begin() + static_cast<std::ptrdiff_t>(++i), rest);
      }
    }
  }
}

void split(ShardingRule& rule, int factor, std::int64_t sections) {
  Factor& whole = rule.factors[static_cast<std::size_t>(factor)];
  const bool divides = whole.size == unknown_size || (whole.size > sections && whole.size % sections == 0);
  // A size that pieces must not have would mean another one after the split.
  if (!divides || whole.never >= 0) return;
  Factor rest = whole;
  if (rest.size != unknown_size) rest.size /= sections;
  whole.size = sections;
  whole.shardable = false;  // an input that splits across sections goes the way of the one that does not
  rule.factors.push_back(rest);
  const int added = static_cast<int>(rule.factors.size()) - 1;
  split_everywhere(rule.inputs, factor, added);
  split_everywhere(rule.outputs, factor, added);
}

}  // namespace

ShardingRule with_sections(ShardingRule rule, const std::vector<TensorFacts>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (const Placement& p : inputs[i].placements) {
      if (p.kind != Placement::Kind::Interleaved) continue;
      const DimFactors dim = rule.inputs[i].dims[static_cast<std::size_t>(p.dim)];
      if (!dim.empty() && !shows_sections(rule, dim, p.sections)) split(rule, dim.front(), p.sections);
    }
  }
  return rule;
}

}  // namespace vescale::sharding
