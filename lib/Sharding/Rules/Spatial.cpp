/// Pooling, resizing and other ops whose last dims are space: what comes before passes.
#include "Sharding/Rules/Spatial.h"

#include <vescale/error.h>

#include "Sharding/Rules/Families.h"

namespace vescale::sharding::rules {

Sizes per_dim(const std::optional<Sizes>& given, std::size_t dims, std::int64_t otherwise) {
  if (!given || given->empty()) return Sizes(dims, otherwise);
  return given->size() == 1 ? Sizes(dims, given->front()) : *given;
}

std::int64_t windows_in(const Window& window, std::size_t d, std::int64_t size) {
  if (size == unknown_size || window.kernel.at(d) == unknown_size) return unknown_size;
  const std::int64_t stride = window.stride.at(d);
  const std::int64_t padding = window.padding.at(d);
  const std::int64_t span = size + 2 * padding - window.dilation.at(d) * (window.kernel[d] - 1) - 1;
  if (stride < 1 || span < 0)
    throw Error("the window is larger than the input, or its stride is not positive");
  std::int64_t count = (span + (window.ceil_mode ? stride - 1 : 0)) / stride + 1;
  // The last window must start inside the input or its left padding.
  if (window.ceil_mode && (count - 1) * stride >= size + padding) --count;
  return count;
}

namespace {

std::size_t leading_dims(const Call& call, const Traits& traits) {
  const std::size_t rank = call.sizes(0).size();
  const auto spatial = static_cast<std::size_t>(traits.spatial);
  if (rank < spatial + 1) throw Error(std::string(call.name()) + ": the input has too few dims");
  return rank - spatial;
}

/// The dims before space pass; space gets new sizes.
ShardingRule with_space(const Call& call, const Traits& traits, const Sizes& space) {
  const std::size_t leading = leading_dims(call, traits);
  Builder builder(call);
  Dims dims = builder.factors(call.sizes(0));
  for (std::size_t d = leading; d < dims.size(); ++d) builder.unshardable(dims[d]);
  builder.never(0, dims[leading - 1]);  // no channels are refused, an empty batch is not
  builder.input(0, dims);
  dims.resize(leading);
  dims = concat({dims, builder.fixed_dims(space)});
  for (int i = 0; i < traits.outputs; ++i) builder.output(dims);
  if (traits.linearity != Linearity::None) builder.linear(traits.linearity, {0});
  return std::move(builder).finish();
}

}  // namespace

std::optional<ShardingRule> pool(const Call& call, const Traits& traits) {
  const auto spatial = static_cast<std::size_t>(traits.spatial);
  const std::size_t leading = leading_dims(call, traits);
  Window window;
  window.kernel = per_dim(call.integers("kernel_size"), spatial, 1);
  const std::optional<Sizes> stride = call.integers("stride");
  window.stride = stride && !stride->empty() ? per_dim(stride, spatial, 1) : window.kernel;
  window.padding = per_dim(call.integers("padding"), spatial, 0);
  window.dilation = per_dim(call.integers("dilation"), spatial, 1);
  window.ceil_mode = call.boolean("ceil_mode").value_or(false);
  Sizes space;
  for (std::size_t d = 0; d < spatial; ++d) {
    space.push_back(windows_in(window, d, call.sizes(0)[leading + d]));
  }
  return with_space(call, traits, space);
}

std::optional<ShardingRule> resize(const Call& call, const Traits& traits) {
  // With scale factors, which rules do not see, the sizes stay unknown.
  Sizes space(static_cast<std::size_t>(traits.spatial), unknown_size);
  if (const std::optional<Sizes> given = call.integers("output_size")) {
    space = per_dim(given, space.size(), unknown_size);
  }
  const std::size_t leading = leading_dims(call, traits);
  for (std::size_t d = 0; d < space.size(); ++d) {
    if (call.name().substr(0, 8) == "adaptive" && space[d] == -1) space[d] = call.sizes(0)[leading + d];
  }
  return with_space(call, traits, space);
}

std::optional<ShardingRule> pixel_shuffle(const Call& call, const Traits&) {
  const bool up = call.has_argument("upscale_factor");
  const std::int64_t r = call.integer(up ? "upscale_factor" : "downscale_factor").value_or(1);
  const Sizes& sizes = call.sizes(0);
  if (sizes.size() < 3 || r < 1)
    throw Error(std::string(call.name()) + ": expected 3 or more dims and a factor");
  Builder builder(call);
  const Dims batch = builder.factors(Sizes(sizes.begin(), sizes.end() - 3));
  const auto part = [&](std::int64_t size, std::int64_t by) {
    if (size != unknown_size && size % by != 0) {
      throw Error(std::string(call.name()) + ": " + std::to_string(size) + " is not divisible by " +
                  std::to_string(by));
    }
    return builder.factor(size == unknown_size ? size : size / by);
  };
  const int c = part(sizes.end()[-3], up ? r * r : 1);
  const int h = part(sizes.end()[-2], up ? 1 : r);
  const int w = part(sizes.end()[-1], up ? 1 : r);
  const int below = builder.factor(r, false);
  const int beside = builder.factor(r, false);
  builder.never(0, concat({batch, {{c, h, w}}}));  // LibTorch forgets the factor in empty ones
  const Dims deep = concat({batch, {{c, below, beside}, {h}, {w}}});
  const Dims wide = concat({batch, {{c}, {h, below}, {w, beside}}});
  builder.input(0, up ? deep : wide);
  builder.output(up ? wide : deep);
  builder.linear(Linearity::Movement);
  return std::move(builder).finish();
}

std::optional<ShardingRule> grid_sampler(const Call& call, const Traits&) {
  const int x = call.required("input");
  const int grid = call.required("grid");
  const Sizes& sizes = call.sizes(x);
  const Sizes& points = call.sizes(grid);
  if (sizes.size() < 3 || points.size() != sizes.size()) {
    throw Error("grid_sampler: input and grid must have as many dims, 4 or 5");
  }
  Builder builder(call);
  const DimFactors n{builder.factor(sizes[0])};
  const DimFactors c{builder.factor(sizes[1])};
  builder.learn(n.front(), points[0]);
  const Dims space = builder.factors(Sizes(points.begin() + 1, points.end() - 1));
  builder.input(x, concat({{n, c}, builder.fixed_dims(Sizes(sizes.begin() + 2, sizes.end()))}));
  builder.input(grid, concat({{n}, space, {builder.fixed(points.back())}}));
  builder.output(concat({{n, c}, space}));
  builder.linear(Linearity::Multilinear, {x});
  return std::move(builder).finish();
}

std::optional<ShardingRule> im2col(const Call& call, const Traits&) {
  const Sizes& sizes = call.sizes(0);
  if (sizes.size() < 3) throw Error("im2col: expected 3 or 4 dims");
  const Window window{per_dim(call.integers("kernel_size"), 2, 1), per_dim(call.integers("stride"), 2, 1),
                      per_dim(call.integers("padding"), 2, 0), per_dim(call.integers("dilation"), 2, 1)};
  const std::size_t leading = sizes.size() - 2;
  Builder builder(call);
  const Dims before = builder.factors(Sizes(sizes.begin(), sizes.end() - 2));
  builder.never(0, before.back());
  builder.input(0, concat({before, builder.fixed_dims({sizes[leading], sizes[leading + 1]})}));
  Dims output = before;
  output.back().push_back(builder.factor(product(window.kernel), false));
  output.push_back(builder.fixed(
      product({windows_in(window, 0, sizes[leading]), windows_in(window, 1, sizes[leading + 1])})));
  builder.output(std::move(output));
  builder.linear(Linearity::Joint);
  return std::move(builder).finish();
}

std::optional<ShardingRule> col2im(const Call& call, const Traits&) {
  const Sizes& sizes = call.sizes(0);
  const Sizes kernel = per_dim(call.integers("kernel_size"), 2, 1);
  const Sizes space = per_dim(call.integers("output_size"), 2, unknown_size);
  if (sizes.size() < 2) throw Error("col2im: expected 2 or 3 dims");
  const std::int64_t channels = sizes[sizes.size() - 2];
  const std::int64_t window = product(kernel);
  Builder builder(call);
  Dims output = builder.factors(Sizes(sizes.begin(), sizes.end() - 2));
  output.push_back({builder.factor(channels == unknown_size ? channels : channels / window)});
  builder.never(0, output.back());
  Dims input = output;
  input.back().push_back(builder.factor(window, false));
  input.push_back(builder.fixed(sizes.back()));
  builder.input(0, std::move(input));
  builder.output(concat({output, builder.fixed_dims(space)}));
  builder.linear(Linearity::Joint);
  return std::move(builder).finish();
}

}  // namespace vescale::sharding::rules
