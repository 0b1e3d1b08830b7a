/// Parts of a tensor: slices, selections, splits.
#include <algorithm>
#include <limits>

#include <vescale/error.h>

#include "Sharding/Rules/Families.h"

namespace vescale::sharding::rules {
namespace {

/// A dim that is cut to `size`; the rest passes.
ShardingRule with_cut_dim(const Call& call, std::size_t dim, std::int64_t size) {
  Builder builder(call);
  Dims dims = builder.factors(call.sizes(0));
  builder.unshardable(dims[dim]);
  builder.input(0, dims);
  dims[dim] = builder.fixed(size);
  builder.output(std::move(dims));
  builder.linear(Linearity::Movement, {0});
  return std::move(builder).finish();
}

ShardingRule unchanged(const Call& call) {
  Builder builder(call);
  const Dims dims = builder.factors(call.sizes(0));
  builder.input(0, dims);
  builder.output(dims);
  builder.linear(Linearity::Movement, {0});
  return std::move(builder).finish();
}

std::size_t checked_dim(const Call& call, std::string_view argument = "dim") {
  const std::size_t rank = call.sizes(0).size();
  if (rank == 0) throw Error(std::string(call.name()) + ": a scalar has no dims");
  return static_cast<std::size_t>(call.dim(argument, rank));
}

/// An end, counted from the front and cut to the dim.
std::int64_t clamped(std::int64_t index, std::int64_t size) {
  return std::clamp<std::int64_t>(index < 0 ? index + size : index, 0, size);
}

/// Nothing if the value is not known.
std::optional<std::int64_t> if_known(const Call& call, std::string_view argument) {
  try {
    return call.integer(argument);
  } catch (const UnknownValue&) {
    return std::nullopt;
  }
}

bool is_unknown(const Call& call, std::string_view argument) {
  try {
    call.integer(argument);
    return false;
  } catch (const UnknownValue&) {
    return true;
  }
}

}  // namespace

std::optional<ShardingRule> slice(const Call& call, const Traits&) {
  constexpr std::int64_t to_the_end = std::numeric_limits<std::int64_t>::max();
  const std::size_t d = checked_dim(call);
  const std::int64_t size = call.sizes(0)[d];
  if (is_unknown(call, "start") || is_unknown(call, "end") || is_unknown(call, "step")) {
    return with_cut_dim(call, d, unknown_size);
  }
  const std::int64_t start = call.integer("start").value_or(0);
  const std::int64_t end = call.integer("end").value_or(to_the_end);
  const std::int64_t step = call.integer("step").value_or(1);
  if (step < 1) throw Error("slice: the step must be positive");
  const bool whole_end = end == to_the_end || (size != unknown_size && end >= size);
  if (step == 1 && whole_end && (start == 0 || (size != unknown_size && start <= -size)))
    return unchanged(call);
  if (size == unknown_size) return with_cut_dim(call, d, unknown_size);
  const std::int64_t length = std::max<std::int64_t>(0, clamped(end, size) - clamped(start, size));
  return with_cut_dim(call, d, (length + step - 1) / step);
}

std::optional<ShardingRule> narrow(const Call& call, const Traits&) {
  const std::size_t d = checked_dim(call);
  const std::optional<std::int64_t> length = if_known(call, "length");
  const bool whole =
      length && *length == call.sizes(0)[d] && *length != unknown_size && !call.tensor("start");
  if (!whole) return with_cut_dim(call, d, length.value_or(unknown_size));
  ShardingRule rule = unchanged(call);
  rule.local_arguments.push_back(
      {call.position("length"), LocalArgument::Kind::OutputDim, 0, static_cast<int>(d)});
  return rule;
}

std::optional<ShardingRule> select(const Call& call, const Traits&) {
  Builder builder(call);
  const std::size_t d = checked_dim(call);
  Dims dims = builder.factors(call.sizes(0));
  builder.unshardable(dims[d]);
  builder.input(0, dims);
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(d));
  builder.output(std::move(dims));
  builder.linear(Linearity::Movement);
  return std::move(builder).finish();
}

std::optional<ShardingRule> diagonal(const Call& call, const Traits&) {
  Builder builder(call);
  const std::size_t first = checked_dim(call, "dim1");
  const std::size_t second = checked_dim(call, "dim2");
  const std::int64_t offset = call.integer("offset").value_or(0);
  const std::int64_t rows = call.sizes(0)[first];
  const std::int64_t columns = call.sizes(0)[second];
  const Dims input = builder.factors(call.sizes(0));
  Dims output;
  for (std::size_t d = 0; d < input.size(); ++d) {
    if (d == first || d == second) {
      builder.unshardable(input[d]);
    } else {
      output.push_back(input[d]);
    }
  }
  const bool known = rows != unknown_size && columns != unknown_size;
  const std::int64_t length =
      std::min(rows + std::min<std::int64_t>(offset, 0), columns - std::max<std::int64_t>(offset, 0));
  output.push_back(builder.fixed(known ? std::max<std::int64_t>(length, 0) : unknown_size));
  builder.input(0, input);
  builder.output(std::move(output));
  builder.linear(Linearity::Movement);
  return std::move(builder).finish();
}

std::optional<ShardingRule> unfold(const Call& call, const Traits&) {
  if (call.sizes(0).empty()) return std::nullopt;
  const std::size_t d = checked_dim(call, "dimension");
  const std::optional<std::int64_t> length = call.integer("size");
  const std::optional<std::int64_t> step = call.integer("step");
  if (!length || !step || *step < 1) return std::nullopt;
  const std::int64_t size = call.sizes(0)[d];
  ShardingRule rule =
      with_cut_dim(call, d, size == unknown_size ? unknown_size : (size - *length) / *step + 1);
  rule.factors.push_back({*length, false, ReduceOp::Sum});
  rule.outputs[0].dims.push_back({static_cast<int>(rule.factors.size()) - 1});
  rule.output_sizes[0].push_back(*length);
  return rule;
}

namespace {

/// Sizes of pieces of at most `piece`; at least one, if empty.
Sizes pieces_of(std::int64_t size, std::int64_t piece) {
  Sizes pieces;
  for (std::int64_t start = 0; start < size && piece > 0; start += piece) {
    pieces.push_back(std::min(piece, size - start));
  }
  if (pieces.empty()) pieces.push_back(size);
  return pieces;
}

/// torch.tensor_split's: the first ones one longer.
Sizes balanced(std::int64_t size, std::int64_t sections) {
  Sizes pieces;
  for (std::int64_t i = 0; i < sections; ++i)
    pieces.push_back(size / sections + (i < size % sections ? 1 : 0));
  return pieces;
}

Sizes between(std::int64_t size, const Sizes& indices) {
  Sizes pieces;
  std::int64_t start = 0;
  for (std::int64_t index : indices) {
    const std::int64_t end = clamped(index, size);
    pieces.push_back(std::max<std::int64_t>(end - start, 0));
    start = end;
  }
  pieces.push_back(std::max<std::int64_t>(size - start, 0));
  return pieces;
}

struct Pieces {
  Sizes sizes;
  /// The argument that gives the pieces' size or sizes and how it becomes a local one.
  std::string_view argument = {};
  LocalArgument::Kind kind = LocalArgument::Kind::OutputDim;
};

std::optional<Pieces> pieces_for(const Call& call, std::int64_t size) {
  const bool known = size != unknown_size;
  if (call.has_argument("chunks")) {
    const std::optional<std::int64_t> chunks = call.integer("chunks");
    if (!chunks || *chunks < 1) return std::nullopt;
    if (!known) return Pieces{Sizes(static_cast<std::size_t>(*chunks), unknown_size)};
    if (size == 0) return Pieces{Sizes(static_cast<std::size_t>(*chunks), 0)};
    return Pieces{pieces_of(size, (size + *chunks - 1) / *chunks)};
  }
  if (call.has_argument("sections")) {
    const std::optional<std::int64_t> sections = call.integer("sections");
    if (!sections || *sections < 1) return std::nullopt;
    if (!known) return Pieces{Sizes(static_cast<std::size_t>(*sections), unknown_size)};
    return Pieces{balanced(size, *sections)};
  }
  if (call.has_argument("indices")) {
    const std::optional<Sizes> indices = call.integers("indices");
    if (!indices || !known) return std::nullopt;
    return Pieces{between(size, *indices), "indices", LocalArgument::Kind::OutputDim};
  }
  const std::string_view argument = call.has_argument("split_sizes") ? "split_sizes" : "split_size";
  const std::optional<Sizes> sizes = call.integers(argument);
  if (!sizes) return std::nullopt;
  if (call.is_list(argument)) return Pieces{*sizes, argument, LocalArgument::Kind::OutputDimList};
  if (!known) return std::nullopt;
  return Pieces{pieces_of(size, sizes->front()), argument, LocalArgument::Kind::OutputDim};
}

}  // namespace

std::optional<ShardingRule> split(const Call& call, const Traits&) {
  const std::size_t d = checked_dim(call);
  const std::optional<Pieces> pieces = pieces_for(call, call.sizes(0)[d]);
  if (!pieces) return std::nullopt;
  const Sizes& sizes = pieces->sizes;
  const bool equal =
      pieces->argument != "indices" && std::equal(sizes.begin() + 1, sizes.end(), sizes.begin());
  Builder builder(call);
  Dims dims = builder.factors(call.sizes(0));
  Dims outputs;
  if (equal) {
    // Which piece is the major factor, so a shard of the minor one is a shard of each piece.
    const DimFactors piece{builder.factor(sizes.front())};
    dims[d] = piece;
    if (sizes.size() > 1) {
      dims[d].insert(dims[d].begin(), builder.factor(static_cast<std::int64_t>(sizes.size()), false));
    }
    outputs.assign(sizes.size(), piece);
    // Pieces of size 0 are one piece.
    if (pieces->kind == LocalArgument::Kind::OutputDim && !pieces->argument.empty()) builder.never(0, piece);
    if (!pieces->argument.empty()) builder.local(pieces->argument, pieces->kind, 0, static_cast<int>(d));
  } else {
    builder.unshardable(dims[d]);
    outputs = builder.fixed_dims(sizes);
  }
  builder.input(0, dims);
  for (const DimFactors& piece : outputs) {
    dims[d] = piece;
    builder.output(dims);
  }
  builder.linear(Linearity::Movement);
  return std::move(builder).finish();
}

std::optional<ShardingRule> unbind(const Call& call, const Traits&) {
  const std::size_t d = checked_dim(call);
  const std::int64_t count = call.sizes(0)[d];
  if (count == unknown_size) return std::nullopt;
  Builder builder(call);
  Dims dims = builder.factors(call.sizes(0));
  builder.unshardable(dims[d]);
  builder.input(0, dims);
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(d));
  for (std::int64_t i = 0; i < count; ++i) builder.output(dims);
  builder.linear(Linearity::Movement);
  return std::move(builder).finish();
}

}  // namespace vescale::sharding::rules
