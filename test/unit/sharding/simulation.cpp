#include "simulation.h"

#include <algorithm>
#include <limits>

namespace vescale::sharding::test {
namespace {

using Indices = std::vector<std::vector<std::int64_t>>;  // per dim

std::int64_t count(const std::vector<std::int64_t>& sizes) {
  std::int64_t product = 1;
  for (std::int64_t size : sizes) product *= size;
  return product;
}

// Row-major position `flat` as an index per dim, and back.
std::vector<std::int64_t> unflatten(std::int64_t flat, const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> index(sizes.size());
  for (std::size_t d = sizes.size(); d-- > 0;) {
    index[d] = flat % sizes[d];
    flat /= sizes[d];
  }
  return index;
}

std::int64_t flatten(const std::vector<std::int64_t>& index, const std::vector<std::int64_t>& sizes) {
  std::int64_t flat = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) flat = flat * sizes[d] + index[d];
  return flat;
}

// Positions along the placement's dim that one of `pieces` keeps.
std::vector<std::int64_t> kept(const Placement& placement, std::int64_t size, std::int64_t pieces,
                               std::int64_t piece) {
  std::vector<std::int64_t> result;
  for (const Range& range : piece_ranges({{0, size}}, placement, pieces, piece)) {
    for (std::int64_t i = 0; i < range.length; ++i) result.push_back(range.start + i);
  }
  return result;
}

Value taken(const Value& value, std::int64_t dim, const std::vector<std::int64_t>& positions) {
  Value result;
  result.sizes = value.sizes;
  result.sizes[dim] = static_cast<std::int64_t>(positions.size());
  for (std::int64_t i = 0; i < count(result.sizes); ++i) {
    std::vector<std::int64_t> index = unflatten(i, result.sizes);
    index[dim] = positions[index[dim]];
    result.data.push_back(value.data[flatten(index, value.sizes)]);
  }
  return result;
}

Value share(const Value& value, const Placement& placement, std::int64_t pieces, std::int64_t piece) {
  if (placement.is_sharded())
    return taken(value, placement.dim, kept(placement, value.sizes[placement.dim], pieces, piece));
  Value result = value;
  if (!placement.is_partial()) return result;
  for (std::size_t i = 0; i < result.data.size(); ++i) {
    const auto n = static_cast<std::int64_t>(i);
    if (placement.reduce == ReduceOp::Max) {
      if (n % pieces != piece) result.data[i] -= 1 + static_cast<double>(piece);
    } else if (piece > 0) {
      result.data[i] = static_cast<double>((n * 3 + piece) % 5 - 2);
    } else {
      for (std::int64_t other = 1; other < pieces; ++other) {
        result.data[i] -= static_cast<double>((n * 3 + other) % 5 - 2);
      }
    }
  }
  return result;
}

void distribute_from(const MeshShape& mesh, const std::vector<Placement>& placements, std::size_t axis,
                     const Value& value, std::vector<Value>& locals) {
  if (axis == placements.size()) {
    locals.push_back(value);
    return;
  }
  for (std::int64_t piece = 0; piece < mesh.sizes[axis]; ++piece) {
    distribute_from(mesh, placements, axis + 1, share(value, placements[axis], mesh.sizes[axis], piece),
                    locals);
  }
}

double reduced(ReduceOp op, double a, double b) { return op == ReduceOp::Max ? std::max(a, b) : a + b; }

Collected joined(const Placement& placement, const std::vector<std::int64_t>& sizes,
                 const std::vector<Value>& parts) {
  Collected result{parts.front(), ""};
  if (placement.is_sharded()) {
    result.value = {sizes, std::vector<double>(count(sizes), 0)};
    for (std::size_t piece = 0; piece < parts.size(); ++piece) {
      const auto at = kept(placement, sizes[placement.dim], parts.size(), piece);
      for (std::int64_t i = 0; i < count(parts[piece].sizes); ++i) {
        std::vector<std::int64_t> index = unflatten(i, parts[piece].sizes);
        index[placement.dim] = at[index[placement.dim]];
        result.value.data[flatten(index, sizes)] = parts[piece].data[i];
      }
    }
    return result;
  }
  for (std::size_t piece = 1; piece < parts.size(); ++piece) {
    if (placement.is_replicated() && parts[piece].data != parts.front().data)
      result.error = "replicas differ";
    for (std::size_t i = 0; placement.is_partial() && i < parts[piece].data.size(); ++i) {
      result.value.data[i] = reduced(placement.reduce, result.value.data[i], parts[piece].data[i]);
    }
  }
  return result;
}

Collected collect_from(const MeshShape& mesh, const std::vector<Placement>& placements, std::size_t axis,
                       const std::vector<std::int64_t>& sizes, const Value*& next) {
  if (axis == placements.size()) {
    const Value& local = *next++;
    return {local, local.sizes == sizes ? "" : "local sizes are wrong"};
  }
  std::vector<Value> parts;
  for (std::int64_t piece = 0; piece < mesh.sizes[axis]; ++piece) {
    std::vector<std::int64_t> local = sizes;
    const Placement& placement = placements[axis];
    if (placement.is_sharded()) {
      local[placement.dim] =
          static_cast<std::int64_t>(kept(placement, sizes[placement.dim], mesh.sizes[axis], piece).size());
    }
    Collected part = collect_from(mesh, placements, axis + 1, local, next);
    if (!part.error.empty()) return part;
    parts.push_back(std::move(part.value));
  }
  return joined(placements[axis], sizes, parts);
}

Indices all_indices(const std::vector<std::int64_t>& sizes) {
  Indices result;
  for (std::int64_t size : sizes) {
    std::vector<std::int64_t>& dim = result.emplace_back();
    for (std::int64_t i = 0; i < size; ++i) dim.push_back(i);
  }
  return result;
}

// A rank's part of a tensor, found by global index.
struct Part {
  const Value* value;
  Indices owned;

  // The position of factors `at` in the local data; -1 if another rank has it.
  std::int64_t position(const ShardingRule& rule, const TensorFactors& tensor,
                        const std::vector<std::int64_t>& at) const {
    std::int64_t flat = 0;
    for (std::size_t d = 0; d < tensor.dims.size(); ++d) {
      std::int64_t global = 0;
      for (int factor : tensor.dims[d]) global = global * rule.factors[factor].size + at[factor];
      const auto found = std::find(owned[d].begin(), owned[d].end(), global);
      if (found == owned[d].end()) return -1;
      flat = flat * static_cast<std::int64_t>(owned[d].size()) + (found - owned[d].begin());
    }
    return flat;
  }
};

class Evaluation {
 public:
  Evaluation(const RuleCase& rule_case, const ShardingRule& rule, std::size_t output,
             std::vector<Part> inputs)
      : mode_(rule_case.values), rule_(rule), tensor_(rule.outputs[output]), inputs_(std::move(inputs)) {
    std::vector<bool> in_output(rule.factors.size(), false);
    std::vector<bool> in_input(rule.factors.size(), false);
    for (const DimFactors& dim : tensor_.dims) {
      for (int factor : dim) in_output[factor] = true;
    }
    for (const TensorFactors& input : rule.inputs) {
      for (const DimFactors& dim : input.dims) {
        for (int factor : dim) in_input[factor] = true;
      }
    }
    for (std::size_t f = 0; f < rule.factors.size(); ++f) {
      if (in_input[f] && !in_output[f]) reduced_.push_back(static_cast<int>(f));
    }
  }

  Value at(const Indices& owned) {
    Value result;
    for (const auto& dim : owned) result.sizes.push_back(static_cast<std::int64_t>(dim.size()));
    for (std::int64_t i = 0; i < count(result.sizes); ++i) {
      const std::vector<std::int64_t> local = unflatten(i, result.sizes);
      at_.assign(rule_.factors.size(), 0);
      for (std::size_t d = 0; d < owned.size(); ++d) {
        std::int64_t rest = owned[d][local[d]];
        for (std::size_t j = tensor_.dims[d].size(); j-- > 0;) {
          const int factor = tensor_.dims[d][j];
          at_[factor] = rest % rule_.factors[factor].size;
          rest /= rule_.factors[factor].size;
        }
      }
      result.data.push_back(element());
    }
    return result;
  }

 private:
  double element() {
    const ReduceOp op = reduced_.empty() ? ReduceOp::Sum : rule_.factors[reduced_.front()].reduce;
    double total = op == ReduceOp::Max ? -std::numeric_limits<double>::infinity() : 0;
    std::int64_t combinations = 1;
    for (int factor : reduced_) combinations *= rule_.factors[factor].size;
    for (std::int64_t n = 0; n < combinations; ++n) {
      std::int64_t rest = n;
      for (int factor : reduced_) {
        at_[factor] = rest % rule_.factors[factor].size;
        rest /= rule_.factors[factor].size;
      }
      double value = 0;
      if (term(value)) total = reduced(op, total, value);
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (rule_.inputs[i].additive)
        total += inputs_[i].value->data[inputs_[i].position(rule_, rule_.inputs[i], at_)];
    }
    return total;
  }

  bool term(double& value) const {
    value = mode_ == RuleCase::Values::Sum ? 0 : 1;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (rule_.inputs[i].additive) continue;
      const std::int64_t position = inputs_[i].position(rule_, rule_.inputs[i], at_);
      if (position < 0) return false;
      const double element = inputs_[i].value->data[position];
      if (mode_ == RuleCase::Values::Sum) value += element;
      if (mode_ == RuleCase::Values::Product) value *= element;
      if (mode_ == RuleCase::Values::SquaredProduct) value *= element * element;
    }
    return true;
  }

  RuleCase::Values mode_;
  const ShardingRule& rule_;
  const TensorFactors& tensor_;
  std::vector<Part> inputs_;
  std::vector<int> reduced_;
  std::vector<std::int64_t> at_;  // per factor
};

}  // namespace

Value numbers(const std::vector<std::int64_t>& sizes, std::uint32_t seed) {
  Value value{sizes, {}};
  std::uint32_t state = seed * 2654435761u + 1;
  for (std::int64_t i = 0; i < count(sizes); ++i) {
    state = state * 1664525u + 1013904223u;
    value.data.push_back(static_cast<double>(state >> 24) / 32 - 4);
    value.data.back() = static_cast<double>(static_cast<int>(value.data.back()));
  }
  return value;
}

std::vector<Value> distribute(const MeshShape& mesh, const std::vector<Placement>& placements,
                              const Value& value) {
  std::vector<Value> locals;
  distribute_from(mesh, placements, 0, value, locals);
  return locals;
}

Collected collect(const MeshShape& mesh, const std::vector<Placement>& placements,
                  const std::vector<std::int64_t>& sizes, const std::vector<Value>& locals) {
  const Value* next = locals.data();
  return collect_from(mesh, placements, 0, sizes, next);
}

Value evaluate(const RuleCase& rule_case, const ShardingRule& rule, std::size_t output,
               const std::vector<Value>& inputs) {
  std::vector<Part> parts;
  for (const Value& input : inputs) parts.push_back({&input, all_indices(input.sizes)});
  return Evaluation(rule_case, rule, output, std::move(parts)).at(all_indices(rule.output_sizes[output]));
}

std::vector<Value> evaluate_locally(const RuleCase& rule_case, const ShardingRule& rule, std::size_t output,
                                    const MeshShape& mesh, const Resolution& resolution,
                                    const std::vector<std::vector<Value>>& inputs) {
  std::vector<Value> locals;
  for (std::int64_t rank = 0; rank < mesh.num_ranks(); ++rank) {
    const std::vector<std::int64_t> coordinate = mesh.coordinate(rank);
    std::vector<Part> parts;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Layout layout = layout_of(mesh, resolution.inputs[i], rule_case.sizes[i]);
      parts.push_back({&inputs[i][rank], owned_indices(layout, coordinate)});
    }
    const Layout layout = layout_of(mesh, resolution.outputs[output], rule.output_sizes[output]);
    locals.push_back(
        Evaluation(rule_case, rule, output, std::move(parts)).at(owned_indices(layout, coordinate)));
  }
  return locals;
}

}  // namespace vescale::sharding::test
