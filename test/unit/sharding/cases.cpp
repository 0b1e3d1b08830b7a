#include "cases.h"

#include <algorithm>
#include <ostream>

namespace vescale::sharding::test {

const std::vector<MeshShape>& meshes() {
  static const std::vector<MeshShape> all{{{"a"}, {1}}, {{"a"}, {2}},         {{"a"}, {3}},
                                          {{"a"}, {4}}, {{"a", "b"}, {2, 2}}, {{"a", "b"}, {2, 3}}};
  return all;
}

TensorFacts tensor(std::vector<Placement> placements, std::vector<std::int64_t> sizes, bool differentiable) {
  TensorFacts facts;
  facts.placements = std::move(placements);
  facts.sizes = std::move(sizes);
  facts.differentiable = differentiable;
  return facts;
}

std::vector<Placement> options(const std::vector<std::int64_t>& sizes) {
  std::vector<Placement> result{Placement::invariant(), Placement::replicate(), Placement::partial(),
                                Placement::partial(ReduceOp::Max)};
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    result.push_back(Placement::shard(static_cast<std::int64_t>(d)));
    for (std::int64_t sections : {2, 3}) {
      if (sizes[d] > 0 && sizes[d] % sections == 0) {
        result.push_back(Placement::interleaved(static_cast<std::int64_t>(d), sections));
      }
    }
  }
  return result;
}

void for_assignments(const MeshShape& mesh, const std::vector<TensorFacts>& inputs, std::size_t limit,
                     const std::function<void(const std::vector<TensorFacts>&)>& visit) {
  const std::size_t axes = mesh.sizes.size();
  std::vector<std::vector<Placement>> choices;
  std::size_t total = 1;
  for (const TensorFacts& input : inputs) {
    choices.push_back(options(input.sizes));
    for (std::size_t axis = 0; axis < axes; ++axis) total *= choices.back().size();
  }
  // An odd step visits different digits in turn.
  const std::size_t step = total <= limit ? 1 : (total / limit) | 1;
  std::vector<TensorFacts> assigned = inputs;
  for (std::size_t n = 0; n < total; n += step) {
    std::size_t digits = n;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      assigned[i].placements.clear();
      for (std::size_t axis = 0; axis < axes; ++axis) {
        assigned[i].placements.push_back(choices[i][digits % choices[i].size()]);
        digits /= choices[i].size();
      }
    }
    visit(assigned);
  }
}

Layout layout_of(const MeshShape& mesh, const std::vector<Placement>& placements,
                 const std::vector<std::int64_t>& sizes) {
  Layout layout;
  layout.mesh = &mesh;
  layout.placements = placements;
  layout.sizes = sizes;
  layout.strides = contiguous_strides(sizes);
  return layout;
}

std::vector<std::vector<std::int64_t>> owned_indices(const Layout& layout,
                                                     const std::vector<std::int64_t>& coordinate) {
  std::vector<std::vector<std::int64_t>> result;
  for (const std::vector<Range>& ranges : owned_ranges(layout, coordinate)) {
    std::vector<std::int64_t>& indices = result.emplace_back();
    for (const Range& range : ranges) {
      for (std::int64_t i = 0; i < range.length; ++i) indices.push_back(range.start + i);
    }
  }
  return result;
}

std::string describe(const std::vector<TensorFacts>& inputs, const Resolution& resolution) {
  std::string text;
  const auto add = [&](const std::vector<Placement>& placements) {
    for (const Placement& placement : placements) text += placement.to_string() + " ";
    text += "| ";
  };
  for (const TensorFacts& input : inputs) add(input.placements);
  text += "as ";
  for (const auto& placements : resolution.inputs) add(placements);
  text += "-> ";
  for (const auto& placements : resolution.outputs) add(placements);
  return text;
}

std::vector<TensorFacts> RuleCase::inputs() const {
  std::vector<TensorFacts> result;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    result.push_back(tensor({}, sizes[i], differentiable.empty() || differentiable[i]));
  }
  return result;
}

ShardingRule RuleCase::rule() const { return parse_rule(notation, inputs()); }

std::ostream& operator<<(std::ostream& stream, const RuleCase& rule_case) {
  stream << rule_case.notation;
  for (const auto& sizes : rule_case.sizes) {
    stream << " [";
    for (std::size_t d = 0; d < sizes.size(); ++d) stream << (d == 0 ? "" : " ") << sizes[d];
    stream << "]";
  }
  return stream;
}

const std::vector<RuleCase>& rule_cases() {
  using V = RuleCase::Values;
  static const std::vector<RuleCase> all{
      {V::Product, "(n k, k m) -> n m ; multilinear", {{4, 6}, {6, 2}}},
      {V::Product, "(n k, k m) -> n m ; multilinear", {{5, 3}, {3, 7}}},
      {V::Product, "(n k, k m) -> n m ; multilinear", {{1, 2}, {2, 0}}},
      {V::SquaredProduct, "(n k, k m) -> n m", {{5, 3}, {3, 4}}},
      {V::Product, "(n k!, k m) -> n m ; multilinear", {{4, 6}, {6, 3}}},
      {V::Product, "(... k, o k, +o?) -> ... o ; multilinear", {{3, 2, 4}, {5, 4}, {5}}},
      {V::Product, "(... k, o k, +o?) -> ... o ; multilinear", {{3, 4}, {6, 4}, {6}}},
      {V::Product, "(... k, o k, +o?) -> ... o ; multilinear", {{3, 4}, {6, 4}}},
      {V::Product, "(v! , n) -> n v ; multilinear(0)", {{4}, {5}}, {true, false}},
      {V::Sum, "(..., ...) -> ... ; joint", {{3, 4}, {3, 4}}},
      {V::Sum, "(..., ...) -> ... ; joint", {{5, 1}, {4}}},
      {V::Sum, "(..., ...) -> ... ; joint", {{2, 1, 3}, {5, 1}}},
      {V::SquaredProduct, "(..., ...) -> ...", {{5, 6}, {6}}},
      {V::Product, "(..., ...) -> ... ; multilinear", {{5, 6}, {5, 6}}},
      {V::Sum, "(n d) -> d ; joint", {{5, 6}}},
      {V::Sum, "(n:max d) -> d", {{5, 4}}},
      {V::Sum, "(n d) -> () ; joint", {{5, 4}}},
      {V::Sum, "(n d) -> d n ; move", {{5, 6}}},
      {V::Sum, "(n h d) -> n (h d) ; move", {{3, 4, 2}}},
      {V::Sum, "(n h d) -> n (h d) ; move", {{2, 3, 5}}},
      {V::Sum, "(a b c) -> (a b c) ; move", {{2, 3, 4}}},
      {V::Product, "((a b), a, b) -> b a ; multilinear(0)", {{6}, {2}, {3}}, {true, false, false}},
      {V::SquaredProduct, "(n (h d), h k d) -> n h k", {{3, 4}, {2, 3, 2}}},
      {V::Product, "(n (h d), (h d) k, h) -> n k ; multilinear", {{3, 4}, {4, 5}, {2}}},
      {V::Product, "(n d, m d) -> (n m, n, m d) ; multilinear", {{3, 2}, {4, 2}}},
      {V::SquaredProduct, "(n 1, n) -> n 1", {{6, 1}, {6}}},
  };
  return all;
}

}  // namespace vescale::sharding::test
