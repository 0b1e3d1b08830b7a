// RUN: %check_rewrite
// RUN: %vescale-rewrite %s --check --strict -- %flags 2> %t.err
// RUN: test ! -s %t.err
// A function with a sharding rule stays as it is, and so does what only it calls; its calls run it on pieces.
// CHECK-NOT: VESCALE_
#include <torch/torch.h>
#include <vescale/annotate.h>
VESCALE_MESH(dp, tp)

// CHECK: {{^}}torch::Tensor row_norm(const torch::Tensor& x) { return torch::matmul(x, x); }
torch::Tensor row_norm(const torch::Tensor& x) { return torch::matmul(x, x); }

// CHECK: {{^}}torch::Tensor distances(const torch::Tensor& x, const torch::Tensor& y) {
// CHECK-NEXT: torch::Tensor z = row_norm(x) + row_norm(y);
// CHECK-NEXT: float* memory = z.data_ptr<float>();
VESCALE_RULE("(n d!, m d!) -> n m")
torch::Tensor distances(const torch::Tensor& x, const torch::Tensor& y) {
  torch::Tensor z = row_norm(x) + row_norm(y);
  float* memory = z.data_ptr<float>();
  return memory ? torch::matmul(x, y) : z;
}

// CHECK: {{^}}std::tuple<torch::Tensor, torch::Tensor> split(torch::Tensor x, double by = 2) {
VESCALE_RULE("(n d) -> (n d, n d)") std::tuple<torch::Tensor, torch::Tensor> split(torch::Tensor x, double by = 2) {
  return std::make_tuple(x * by, torch::relu(x));
}

// CHECK: torch::Tensor joined(const std::vector<torch::Tensor>& list, std::optional<torch::Tensor> bias, c10::IntArrayRef) {
VESCALE_RULE("([n d], d?) -> n d")
torch::Tensor joined(const std::vector<torch::Tensor>& list, std::optional<torch::Tensor> bias, c10::IntArrayRef) {
  return bias ? list[0] + *bias : list[0];
}

VESCALE_RULE("(...) -> ...") torch::Tensor twice(torch::Tensor x) { return x * 2; }
VESCALE_RULE("(...) -> ...") torch::Tensor twice(torch::Tensor x, int) { return x * 2; }
template <class T>
VESCALE_RULE("(...) -> ...") torch::Tensor scaled(torch::Tensor x, T by) { return x * by; }

struct Scorer {
  // CHECK: {{^}}  torch::Tensor score(torch::Tensor x) const { return x * by; }
  VESCALE_RULE("(n d) -> n d") torch::Tensor score(torch::Tensor x) const { return x * by; }
  // CHECK: {{^}}  static torch::Tensor plain(torch::Tensor x) { return x; }
  VESCALE_RULE("(n d) -> n d") static torch::Tensor plain(torch::Tensor x) { return x; }
  // CHECK: vs::DTensor again(vs::DTensor x) const { return vs::call_local("(n d) -> n d", [&](auto&&... pieces) { return score(pieces...); }, x); }
  torch::Tensor again(torch::Tensor x) const { return score(x); }
  double by = 2;
};
// CHECK: auto act = [](const vs::DTensor& x) { return vs::call_local("(n d) -> n d", Scorer::plain, x); };
auto act = [](const torch::Tensor& x) { return Scorer::plain(x); };

// CHECK: vs::DTensor use(vs::DTensor x, vs::DTensor y, Scorer scorer, Scorer& pieces) {
torch::Tensor use(torch::Tensor x, torch::Tensor y, Scorer scorer, Scorer& pieces) {
  // CHECK: vs::DTensor d = vs::call_local("(n d!, m d!) -> n m", distances, vs::relu(x), y);
  torch::Tensor d = distances(torch::relu(x), y);
  // CHECK: auto [a, b] = vs::call_local("(n d) -> (n d, n d)", [](auto&&... pieces) { return split(pieces...); }, d);
  auto [a, b] = split(d);
  // CHECK: a = std::get<0>(vs::call_local("(n d) -> (n d, n d)", split, a, 3));
  a = std::get<0>(split(a, 3));
  // CHECK: a = vs::call_local("([n d], d?) -> n d", joined, std::vector<vs::DTensor>{a, b}, std::optional<vs::DTensor>{}, std::vector<std::int64_t>{1, 2});
  a = joined({a, b}, {}, {1, 2});
  // CHECK: b = vs::call_local("(...) -> ...", [](auto&&... pieces) { return twice(pieces...); }, vs::call_local("(...) -> ...", [](auto&&... pieces) { return twice(pieces...); }, b, 1));
  b = twice(twice(b, 1));
  // CHECK: b = vs::call_local("(...) -> ...", [](auto&&... pieces) { return scaled<double>(pieces...); }, b, 2);
  b = scaled<double>(b, 2);
  // CHECK: b = vs::call_local("(n d) -> n d", [&](auto&&... pieces) { return scorer.score(pieces...); }, b);
  b = scorer.score(b);
  // CHECK: b = vs::call_local("(n d) -> n d", [&](auto&&... pieces_) { return pieces.score(pieces_...); }, b);
  b = pieces.score(b);
  // CHECK: b = vs::call_local("(n d) -> n d", Scorer::plain, b);
  b = Scorer::plain(b);
  return a + act(b);
}

// A call in a template whose argument's type is not known yet.
template <class T>
auto in_template(const T& x) {
  // CHECK: return vs::call_local("(n d!, m d!) -> n m", [&](auto&&... pieces) { return distances(pieces...); }, x, x);
  return distances(x, x);
}
torch::Tensor instance(torch::Tensor x) { return in_template(x); }
