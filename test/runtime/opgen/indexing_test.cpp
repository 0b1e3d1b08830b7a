// Indexing, writes through views and operators against plain LibTorch, on every placement of 1 to 4 ranks.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <functional>
#include <string>
#include <vector>

#include <vescale/mesh.h>
#include <vescale/ops.h>
#include <vescale/redistribute.h>
#include <vescale/run.h>

namespace {

using vs::DTensor;

/// Programs that differ from LibTorch's only in the types: run once with each.
struct Plain {
  using Tensor = at::Tensor;
  using Index = at::indexing::TensorIndex;
};
struct Distributed {
  using Tensor = DTensor;
  using Index = vs::indexing::TensorIndex;
};

using at::indexing::Ellipsis;
using at::indexing::None;
using at::indexing::Slice;

template <class P>
using Program = std::function<typename P::Tensor(typename P::Tensor x, typename P::Tensor y)>;

struct Case {
  std::string name;
  Program<Plain> plain;
  Program<Distributed> distributed;
};

// x: float64 [5, 4, 3], y: float64 [4, 3].
#define CASE(name, ...)                                                                        \
  Case {                                                                                       \
    name,                                                                                      \
        [](at::Tensor x, at::Tensor y) -> at::Tensor {                                         \
          using P = Plain;                                                                     \
          [[maybe_unused]] const auto tensor = [](const at::Tensor& t) { return t; };          \
          (void)sizeof(P);                                                                     \
          __VA_ARGS__                                                                          \
        },                                                                                     \
        [](DTensor x, DTensor y) -> DTensor {                                                  \
          using P = Distributed;                                                               \
          [[maybe_unused]] const auto tensor = [](const at::Tensor& t) { return DTensor(t); }; \
          (void)sizeof(P);                                                                     \
          __VA_ARGS__                                                                          \
        }                                                                                      \
  }

const at::Tensor rows = torch::tensor({3, 0, 3});
const at::Tensor values = torch::arange(60, at::kDouble);
const at::Tensor row = torch::tensor(2);

std::vector<Case> reads() {
  return {
    CASE("integer", return x[2];), CASE("negative", return x[-1];), CASE("twice", return x[1][3];),
        CASE("integers", return x.index({1, 2});), CASE("slice", return x.index({Slice(1, 4)});),
        CASE("empty_slice", return x.index({Slice(3, 3)});),
        CASE("step", return x.index({Slice(None, None, 2)});), CASE("last", return x.index({Ellipsis, -1});),
        CASE("text", return x.index({"...", Slice(0, 2)});), CASE("all", return x.index({"..."});),
        CASE("none", return x.index({None, 1, None});), CASE("middle", return x.index({0, "...", 2});),
        CASE("beyond", return x.index({Slice(2, 100), Slice(-2)});), CASE("true", return x.index({true});),
        CASE("false", return x.index({false});), CASE("true_inside", return x.index({0, true});),
        CASE("tensor", return x.index({tensor(rows)});),
        CASE("tensor_inside", return x.index({Slice(), tensor(rows)});),
        CASE("tensor_and_integer", return x.index({tensor(rows), 1});),
        CASE("zero_dim_tensor", return x.index({tensor(row)});),
        CASE("bracket_tensor", return x[tensor(row)];), CASE("mask", return x.index({x > 0});),
        CASE("row_mask", return x.index({x.sum({1, 2}) > 0});),
        CASE("mask_inside", return x.index({Slice(), y > 0});),
        CASE("slice_then_none", return x.index({Slice(1), None});),
        CASE("narrow_tensor", return x.narrow(0, tensor(row), 2);),
        CASE("tensors", return x.index({tensor(rows), tensor(rows)});),
  };
}

std::vector<Case> writes() {
  return {
    CASE("integer", x[1] = y; return x;), CASE("integer_scalar", x[1] = 2.5; return x;),
        CASE("nested", x[1][2] = y[0]; return x;), CASE("add", x[1] += y; return x;),
        CASE("add_scalar", x[0] += 1; return x;), CASE("multiply", x[-1] *= y; return x;),
        CASE("slice", x.index({Slice(1, 3)}) = y; return x;),
        CASE("column", x.index({Slice(), 0}) = y[0]; return x;),
        CASE("view", x.slice(1, 0, 2) = 0; return x;), CASE("select", x.select(2, 1) = 7; return x;),
        CASE("dead_store", x.index({x > 0}) = 3; return x;), CASE("put", x.index_put_({1}, y); return x;),
        CASE("put_scalar", x.index_put_({Slice(), 1}, 4); return x;),
        CASE("put_mask", x.index_put_({x > 0}, 4); return x;),
        CASE("put_mask_inside", x.index_put_({Slice(), y > 0}, -1); return x;),
        CASE("put_masked_values",
             x.index_put_({x > 0}, tensor(values).slice(0, 0, (x > 0).sum().item<std::int64_t>()));
             return x;),
        CASE("put_columns", x.index_put_({Slice(), tensor(rows)}, y[0]); return x;),
        CASE("accumulate", x.index_put_({std::optional(tensor(rows))}, y, true); return x;),
        CASE("add_slice", x.index({Slice(0, 4, 3)}) += y; return x;),
        CASE("fill_part", x.narrow(0, 1, 3).slice(1, 1).fill_(3); return x;),
        CASE("kept_view", auto z = x[3]; z.mul_(2); z[0] += 1; return x;),
        CASE("view_of_view", x[2].t()[1].zero_(); return x;), CASE("twice", x[0] = y; x[0][1] = 3; return x;),
        CASE("put_rows", x.index_put_({tensor(rows)}, y); return x;),
        CASE("put_leading_ones", x.index_put_({Slice(0, 2)}, y.unsqueeze(0).unsqueeze(0)); return x;),
        CASE("put_true", x.index_put_({true}, y); return x;),
        CASE("put_false", x.index_put_({false}, y); return x;), CASE("rebind", auto z = x; z = y; return x;),
        CASE("rebind_view", auto z = x[0]; z = y; return x;),
        CASE("alias", auto z = x.index({"..."}); z.zero_(); return x;),
  };
}

std::vector<Case> operators() {
  return {
    CASE("add", return x + y;), CASE("sub", return x - y;), CASE("mul", return x * y;),
        CASE("div", return x / y;), CASE("remainder", return x % 2;), CASE("scalar_add", return 2 + x;),
        CASE("scalar_sub", return 2 - x;), CASE("scalar_mul", return 2 * x;),
        CASE("scalar_div", return 2 / x;), CASE("scalar_rem", return 5 % y;),
        CASE("sub_scalar", return x - 1.5;), CASE("neg", return -x;), CASE("less", return x < y;),
        CASE("scalar_less", return 0 < x;), CASE("greater_equal", return x >= 0;),
        CASE("equal", return x == y;), CASE("unequal", return 1 != x;), CASE("not", return ~(x > 0);),
        CASE("and", return (x > 0) & (y > 0);), CASE("or", return (x > 0) | (y > 0);),
        CASE("xor", return (x > 0) ^ (y > 0);), CASE("keeps_dtype", return 2.5 - x.to(at::kLong);),
        CASE("and_assign", auto m = x > 0; m &= y > 0; return m;),
        CASE("div_assign", auto z = x.clone(); z /= y; return z;),
        CASE("chain", auto z = x * 2 + y; z -= 1; z *= z; return z;),
  };
}

struct Inputs {
  at::Tensor x, y;
};

Inputs inputs() {
  torch::manual_seed(1);
  return {torch::randn({5, 4, 3}, at::kDouble), torch::randn({4, 3}, at::kDouble)};
}

const std::vector<std::string> x_placements = {"a=R", "a=S(0)", "a=S(1)", "a=S(2)"};
const std::vector<std::string> y_placements = {"a=R", "a=S(0)"};

void check_case(const Case& c, const Inputs& in, const std::string& px, const std::string& py) {
  const at::Tensor expected = c.plain(in.x.clone(), in.y.clone());
  const DTensor x = vs::redistribute(DTensor(in.x.clone()), px),
                y = vs::redistribute(DTensor(in.y.clone()), py);
  try {
    const DTensor result = c.distributed(x, y);
    EXPECT_EQ(result.sizes(), expected.sizes());
    EXPECT_EQ(result.scalar_type(), expected.scalar_type());
    EXPECT_TRUE(at::allclose(result.full(), expected, 1e-12, 1e-12, /*equal_nan=*/true));
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
  }
}

/// Runs every case on `ranks` ranks for each pair of placements.
void check(const std::vector<Case>& cases, int ranks) {
  const Inputs in = inputs();
  vs::run_ranks(
      vs::MeshShape::parse("a=" + std::to_string(ranks)),
      [&] {
        for (const Case& c : cases) {
          for (const std::string& px : x_placements) {
            for (const std::string& py : y_placements) {
              SCOPED_TRACE(c.name + ": x " + px + ", y " + py + ", " + std::to_string(ranks) + " ranks");
              check_case(c, in, px, py);
            }
          }
        }
      },
      {.timeout = 20});
}

class OnRanks : public testing::TestWithParam<int> {};

TEST_P(OnRanks, Reads) { check(reads(), GetParam()); }
TEST_P(OnRanks, Writes) { check(writes(), GetParam()); }
TEST_P(OnRanks, Operators) { check(operators(), GetParam()); }

INSTANTIATE_TEST_SUITE_P(Ranks, OnRanks, testing::Values(1, 2, 3, 4));

TEST(Indexing, ReportsMistakes) {
  const DTensor x(torch::zeros({2, 3}));
  EXPECT_THROW(x.index({0, 0, 0}), c10::IndexError);
  EXPECT_THROW(x.index({2}), c10::IndexError);
  EXPECT_THROW(x.index({0, -4}), c10::IndexError);
  EXPECT_THROW(x.index({".."}), c10::ValueError);
  EXPECT_THROW(x[at::Scalar(0.5)], c10::IndexError);
  EXPECT_THROW(x[DTensor(torch::zeros({1}, at::kLong))], c10::IndexError);
  EXPECT_THROW(x[DTensor()], c10::IndexError);
}

TEST(Indexing, RefusesWritesThatWouldBeLost) {
  vs::run_ranks(vs::MeshShape::parse("a=2"), [] {
    const DTensor x = vs::shard(DTensor(torch::zeros({4, 4})), "a", 0);
    DTensor diagonal = x.diagonal();
    EXPECT_THROW(diagonal.fill_(1), vs::Error);
    EXPECT_TRUE(at::equal(x.full(), torch::zeros({4, 4})));
  });
}

/// d(sum of the written tensor squared)/d(x, y): gradients flow through writes to parts.
TEST_P(OnRanks, GradientsOfWrites) {
  const Inputs in = inputs();
  const auto plain = [&](at::Tensor x, at::Tensor y) {
    auto z = x * 2;
    z[1] = y;
    z.index({Slice(2, 5, 2), 1}) += y[3];
    return (z * z).sum();
  };
  const at::Tensor x = in.x.clone().requires_grad_(), y = in.y.clone().requires_grad_();
  plain(x, y).backward();
  vs::run_ranks(vs::MeshShape::parse("a=" + std::to_string(GetParam())),
                [&] {
                  for (const std::string& px : x_placements) {
                    SCOPED_TRACE(px);
                    const DTensor dx(in.x.clone().requires_grad_()), dy(in.y.clone().requires_grad_());
                    auto z = vs::redistribute(dx, px) * 2;
                    z[1] = dy;
                    z.index({Slice(2, 5, 2), 1}) += dy[3];
                    (z * z).sum().backward();
                    EXPECT_TRUE(at::allclose(dx.grad().full(), x.grad(), 1e-12, 1e-12));
                    EXPECT_TRUE(at::allclose(dy.grad().full(), y.grad(), 1e-12, 1e-12));
                  }
                },
                {.timeout = 20});
}

}  // namespace
