/// Views that regroup or repeat dims: view, reshape, flatten, unflatten, expand.
#include <algorithm>

#include <vescale/error.h>

#include "Sharding/Rules/Families.h"
#include "Sharding/Rules/Refine.h"

namespace vescale::sharding::rules {
namespace {

/// The sizes that a view of a tensor of `from` gets when asked for `wanted`: one -1 is inferred. If several
/// are unknown they stay unknown.
Sizes inferred(const Sizes& from, Sizes wanted, std::string_view op) {
  const std::int64_t elements = product(from);
  const auto unknown = std::count(wanted.begin(), wanted.end(), unknown_size);
  if (unknown == 1 && elements != unknown_size) {
    const auto place = std::find(wanted.begin(), wanted.end(), unknown_size);
    Sizes others = wanted;
    others.erase(others.begin() + (place - wanted.begin()));
    const std::int64_t known = product(others);
    if (known != 0 && elements % known == 0) *place = elements / known;
  }
  const std::int64_t asked = product(wanted);
  if (elements != unknown_size && asked != unknown_size && asked != elements) {
    throw Error(std::string(op) + ": " + describe(wanted) + " does not have the elements of " +
                describe(from));
  }
  return wanted;
}

ShardingRule regrouped(const Call& call, int self, const Sizes& sizes, std::string_view size_argument = {}) {
  Builder builder(call);
  Refined refined = refine(builder, call.sizes(self), sizes);
  builder.input(self, std::move(refined.input));
  builder.output(std::move(refined.output));
  builder.linear(Linearity::Movement, {self});
  if (!size_argument.empty()) builder.local(size_argument, LocalArgument::Kind::OutputSizes);
  return std::move(builder).finish();
}

}  // namespace

std::optional<ShardingRule> view(const Call& call, const Traits&) {
  const std::string_view argument = call.has_argument("shape") ? "shape" : "size";
  const std::optional<Sizes> sizes = call.integers(argument);
  if (!sizes) return std::nullopt;  // view(dtype)
  return regrouped(call, 0, inferred(call.sizes(0), *sizes, call.name()), argument);
}

std::optional<ShardingRule> view_as(const Call& call, const Traits&) {
  const int other = call.required("other");
  Builder builder(call);
  Refined refined = refine(builder, call.sizes(0), inferred(call.sizes(0), call.sizes(other), call.name()));
  builder.input(0, std::move(refined.input));
  builder.input(other, refined.output);
  builder.read(other, InputUse::Sizes);
  builder.output(std::move(refined.output));
  builder.linear(Linearity::Movement, {0});
  return std::move(builder).finish();
}

std::optional<ShardingRule> flatten(const Call& call, const Traits&) {
  const Sizes& sizes = call.sizes(0);
  if (sizes.empty()) return regrouped(call, 0, {1});
  const auto first = static_cast<std::size_t>(call.dim("start_dim", sizes.size()));
  const auto last = static_cast<std::size_t>(call.dim("end_dim", sizes.size()));
  if (first > last) throw Error("flatten: start_dim comes after end_dim");
  Builder builder(call);
  const Dims input = builder.factors(sizes);
  Dims output(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(first));
  output.emplace_back();
  for (std::size_t d = first; d <= last; ++d) {
    output.back().insert(output.back().end(), input[d].begin(), input[d].end());
  }
  output.insert(output.end(), input.begin() + static_cast<std::ptrdiff_t>(last) + 1, input.end());
  builder.input(0, input);
  builder.output(std::move(output));
  builder.linear(Linearity::Movement);
  return std::move(builder).finish();
}

std::optional<ShardingRule> atleast(const Call& call, const Traits&) {
  Sizes sizes = call.sizes(0);
  const char wanted = call.name().substr(8, 1)[0];
  if (sizes.empty()) sizes = {1};
  if (sizes.size() == 1 && wanted >= '2') sizes.insert(sizes.begin(), 1);
  if (sizes.size() == 2 && wanted == '3') sizes.push_back(1);
  return regrouped(call, 0, sizes);
}

std::optional<ShardingRule> ravel(const Call& call, const Traits&) {
  return regrouped(call, 0, {product(call.sizes(0))});
}

std::optional<ShardingRule> unflatten(const Call& call, const Traits&) {
  const Sizes& sizes = call.sizes(0);
  const auto d = static_cast<std::size_t>(call.dim("dim", sizes.size()));
  const std::optional<Sizes> parts = call.integers("sizes");
  if (!parts || d >= sizes.size()) return std::nullopt;
  Builder builder(call);
  const Sizes part_sizes = inferred({sizes[d]}, *parts, call.name());
  Dims input = builder.factors(sizes);
  Refined refined = refine(builder, {sizes[d]}, part_sizes);
  input[d] = refined.input.front();
  Dims output = input;
  output.erase(output.begin() + static_cast<std::ptrdiff_t>(d));
  output.insert(output.begin() + static_cast<std::ptrdiff_t>(d), refined.output.begin(),
                refined.output.end());
  builder.input(0, std::move(input));
  builder.output(std::move(output));
  builder.linear(Linearity::Movement);
  builder.local("sizes", LocalArgument::Kind::OutputDimsFrom, 0, static_cast<int>(d));
  return std::move(builder).finish();
}

namespace {

ShardingRule expanded(const Call& call, const Sizes& from, Sizes to, const std::optional<int>& other) {
  if (to.size() < from.size()) {
    throw Error(std::string(call.name()) + ": " + describe(from) + " has more dims than " + describe(to));
  }
  Builder builder(call);
  Dims input;
  Dims output;
  const std::size_t added = to.size() - from.size();
  for (std::size_t d = 0; d < to.size(); ++d) {
    if (d < added) {
      output.push_back({builder.factor(to[d])});
      continue;
    }
    const std::int64_t size = from[d - added];
    if (size == 1 && to[d] != 1 && (other || to[d] != unknown_size)) {
      input.emplace_back();
      output.push_back({builder.factor(to[d])});
      continue;
    }
    output.push_back({builder.factor(size)});
    if (!other || size != unknown_size) {
      if (to[d] != unknown_size) builder.learn(output.back().front(), to[d]);
    }
    input.push_back(output.back());
  }
  builder.input(0, std::move(input));
  if (other) {
    builder.input(*other, output);
    builder.read(*other, InputUse::Sizes);
  } else {
    builder.local("size", LocalArgument::Kind::OutputSizes);
  }
  builder.output(std::move(output));
  builder.linear(Linearity::Movement, {0});
  return std::move(builder).finish();
}

}  // namespace

std::optional<ShardingRule> expand(const Call& call, const Traits&) {
  const std::optional<Sizes> sizes = call.integers("size");
  if (!sizes) return std::nullopt;
  return expanded(call, call.sizes(0), *sizes, std::nullopt);
}

std::optional<ShardingRule> expand_as(const Call& call, const Traits&) {
  const int other = call.required("other");
  return expanded(call, call.sizes(0), call.sizes(other), other);
}

}  // namespace vescale::sharding::rules
