// A sample of the op surface with every kind of argument, called as LibTorch programs call it. Only compiled.
#include <vescale/generated/ops_internal.h>
#include <vescale/ops.h>

#include <map>
#include <type_traits>

namespace {

using vs::DTensor;
using namespace vs::indexing;  // NOLINT: as programs do

static_assert(std::is_nothrow_move_constructible_v<DTensor>);
static_assert(std::is_same_v<decltype(vs::mm(DTensor(), DTensor())), DTensor>);
static_assert(std::is_same_v<decltype(vs::max(DTensor(), 0)), std::tuple<DTensor, DTensor>>);
static_assert(std::is_same_v<decltype(DTensor().chunk(2)), std::vector<DTensor>>);
static_assert(std::is_same_v<decltype(DTensor().add_(1)), DTensor&>);
static_assert(std::is_same_v<decltype(vs::equal(DTensor(), DTensor())), bool>);
static_assert(std::is_same_v<decltype(vs::result_type(DTensor(), DTensor())), at::ScalarType>);
static_assert(!std::is_convertible_v<DTensor, at::Tensor>,
              "what was not rewritten must not touch a sharded tensor");
static_assert(std::is_convertible_v<at::Tensor, DTensor>);

[[maybe_unused]] void factories() {
  auto a = vs::zeros({2, 3});
  a = vs::ones({2, 3}, at::kDouble);
  a = vs::empty({2, 3}, at::TensorOptions().dtype(at::kFloat).requires_grad(true));
  a = vs::full({2}, 1.5);
  a = vs::arange(10);
  a = vs::arange(0, 10, 2, at::kLong);
  a = vs::linspace(0, 1, 5);
  a = vs::eye(3);
  a = vs::rand({2, 3});
  a = vs::randn({2, 3}, at::kCPU);
  a = vs::randint(10, {4});
  a = vs::randint(0, 10, {4}, at::kLong);
  a = vs::randperm(5);
  a = vs::normal(0.0, 1.0, {3});
  a = vs::zeros_like(a);
  a = vs::randn_like(a, at::TensorOptions().dtype(at::kDouble), at::MemoryFormat::Contiguous);
  a = vs::empty({1, 2, 3, 4}, at::kFloat, at::MemoryFormat::ChannelsLast);
  a = vs::zeros({2}, at::kFloat, at::kStrided, at::Device(at::kCPU), false);
  a = a.new_zeros({3});
  a = a.new_full({3}, 2, at::kLong);
  a = vs::tril(vs::ones({3, 3}));
  a = vs::rand({2}, at::make_generator<at::CPUGeneratorImpl>());
}

[[maybe_unused]] void arithmetic(DTensor x, const DTensor& y, const at::Tensor& host) {
  auto z = x + y - 2 * x / 3.0 + host;
  z = 1 - x;
  z = host * x;
  z = -x % 2;
  z += y;
  z -= 1;
  z *= 0.5;
  z /= y;
  z = (x > 0) & (y <= x) | ~(x == y) ^ (1 != y);
  z = vs::add(x, y, 0.5);
  z = x.add(y).sub(1, 2).mul(y).div(y, "floor");
  x.add_(y).mul_(2).clamp_(0, 1).copy_(y).zero_().fill_(3);
  z = vs::clamp(x, 0);
  z = vs::clamp(x, std::nullopt, 1);
  z = vs::clamp(x, y);
  z = x.pow(2) + vs::pow(2, x) + vs::pow(x, y);
  z = vs::where(x > 0, x, y) + vs::where(x > 0, 1.0, y);
  z = x.to(at::kDouble).to(at::kCPU).to(y).to(at::Device(at::kCPU), at::kFloat).to(x.options());
  z = x.toType(at::kLong).cpu();
  z = x.masked_fill(x > 0, 0).contiguous().clone();
  vs::add_out(z, x, y);
  vs::add_outf(x, y, 1, z);
}

[[maybe_unused]] void shapes(const DTensor& x) {
  auto y = x.view({2, -1}).reshape({-1}).unsqueeze(0).squeeze(0).squeeze();
  y = x.permute({1, 0}).transpose(0, 1).t().flatten().flatten(1, -1).expand({4, 4}).expand_as(y);
  y = vs::cat({x, x}, 1);
  y = vs::stack(std::vector<DTensor>{x, x});
  auto [a, b] = std::tuple<DTensor, DTensor>(x.sort(-1, true));
  auto parts = x.split(2, 1);
  parts = x.split({1, 2}, 0);
  parts = vs::meshgrid({x, x}, "ij");
  std::tie(a, b) = x.topk(3);
  std::tie(a, b) = vs::max(x, 1, true);
  y = x.narrow(0, 1, 2).select(0, 1).slice(0, 1, 3).index_select(0, y).gather(0, y).scatter_(0, y, 1.0);
  y = vs::roll(x, {1}, {0}) + vs::pad(x, {1, 1}, "constant", 0) + x.repeat({2, 2}) + vs::flip(x, {0});
  std::vector<std::int64_t> sizes = x.sizes().vec();
  y = vs::zeros(sizes).view(sizes).sum(sizes);
  y = vs::einsum("ij,jk->ik", {x, x});
}

[[maybe_unused]] void reductions(const DTensor& x, const DTensor& target) {
  auto y = x.sum() + x.sum(0) + x.sum({0, 1}, true) + x.mean() + x.mean(-1) + vs::mean(x, {0, 2}, true);
  y = x.std() + vs::std(x, 0) + x.var({0}, false) + vs::var(x, 1) + vs::var(x, false);
  y = x.norm() + x.norm(2, {0}, true) + vs::norm(x) + vs::linalg::norm(x) + vs::linalg_vector_norm(x, 2);
  y = x.argmax(1) + x.max() + vs::max(x, target) + x.all() + x.any(0) + x.prod() + x.logsumexp(1) +
      x.cumsum(0);
  y = x.softmax(-1) + vs::log_softmax(x, 1, at::kFloat) + vs::_softmax(x, 1, false);
  y = vs::mse_loss(x, target) + vs::nll_loss(x, target, {}, at::Reduction::Sum) +
      vs::cross_entropy_loss(x, target);
  y = vs::fft::rfft(x) + vs::special::expit(x);
}

[[maybe_unused]] void modules(const DTensor& x, const DTensor& w, const DTensor& b) {
  auto y = vs::linear(x, w, b) + vs::linear(x, w) + vs::addmm(b, x, w.t()) + x.matmul(w) + vs::bmm(x, w);
  y = vs::conv2d(x, w, b, 1, 1) + vs::conv2d(x, w, {}, {1, 2}, "same") + vs::conv_transpose2d(x, w);
  y = vs::max_pool2d(x, 2) + vs::avg_pool2d(x, {2, 2}, 1) + vs::adaptive_avg_pool2d(x, {1, 1});
  y = vs::layer_norm(x, {8}, w, b, 1e-5) + vs::group_norm(x, 2, w, b) + vs::rms_norm(x, {8});
  y = vs::batch_norm(x, w, b, {}, {}, true, 0.1, 1e-5, false) + vs::embedding(w, x);
  y = vs::dropout(x, 0.5, true) + vs::relu(x) + vs::gelu(x, "tanh") + vs::leaky_relu(x, 0.2) + vs::sigmoid(x);
  y = vs::scaled_dot_product_attention(x, x, x, {}, 0.0, true);
  y = vs::upsample_nearest2d(x, at::IntArrayRef{8, 8}) + vs::softplus(x) + vs::hardtanh(x);
  auto [out, hidden, cell] = vs::lstm(x, {x, x}, {w, w, b, b}, true, 1, 0.0, false, false, true);
  y.uniform_(-1, 1).normal_().bernoulli_(0.5).random_(10);
  y.detach_();
  y = y.detach();
}

[[maybe_unused]] void indexing(DTensor x, const DTensor& mask, const DTensor& y) {
  auto z = x[0] + x[0][1] + x[y] + x.index({0}) + x.index({"...", Slice(1, None), None, true});
  z = x.index({mask}) + x.index({Slice(None, None, 2), mask, -1, Ellipsis}) + vs::index(x, {y, std::nullopt});
  x[0] = y;
  x[1] = 1.5;
  x[1][2] += 2;
  x.index({Slice(), 0}) = y[0];
  x.slice(0, 1, 2) = 0;
  x.index({mask}) = 3;
  x.index_put_({0, Slice()}, y);
  x.index_put_({mask}, 1);
  x.index_put_({y, std::nullopt}, x, true);
  x = y;
  x = z.t();
  std::swap(x, z);
}

[[maybe_unused]] void containers(const DTensor& x) {
  std::map<std::string, DTensor> by_name{{"x", x}};
  by_name["y"] = x;
  std::optional<DTensor> maybe = x;
  maybe = x + 1;
  std::vector<DTensor> list(2);
  list[0] = x;
  list.push_back(x);
  list = {x, x};
  auto pair = std::make_pair(x, x);
  pair.first = x;
  DTensor a, b;
  std::tie(a, b) = pair;
}

}  // namespace
