#include "op_sweep.h"

#include <random>

#include "tensor/layout_table.h"

namespace vescale::test {
namespace {

using Assignment = std::vector<std::vector<Placement>>;  // per input, per axis

std::vector<Placement> choices(const at::Tensor& x) {
  std::vector<Placement> all{Placement::invariant()};
  for (std::int64_t d = 0; d < x.dim(); ++d) all.push_back(Placement::shard(d));
  if (x.is_floating_point()) {
    all.push_back(Placement::replicate());
    all.push_back(Placement::partial());
  }
  return all;
}

/// All assignments in mixed radix order, or a sample.
std::vector<Assignment> assignments(const OpCase& op, std::size_t axes, std::size_t most) {
  std::vector<std::vector<Placement>> options;
  double total = 1;
  for (const at::Tensor& x : op.inputs) {
    for (std::size_t a = 0; a < axes; ++a) {
      options.push_back(choices(x));
      total *= static_cast<double>(options.back().size());
    }
  }
  auto decode = [&](auto&& pick) {
    Assignment result(op.inputs.size());
    for (std::size_t i = 0; i < options.size(); ++i) result[i / axes].push_back(options[i][pick(i)]);
    return result;
  };
  std::vector<Assignment> all;
  if (total <= static_cast<double>(most)) {
    for (std::size_t n = 0; n < static_cast<std::size_t>(total); ++n) {
      std::size_t rest = n;
      all.push_back(decode([&](std::size_t i) {
        const std::size_t digit = rest % options[i].size();
        rest /= options[i].size();
        return digit;
      }));
    }
    return all;
  }
  std::mt19937 random(static_cast<unsigned>(std::hash<std::string>{}(op.name)));
  for (std::size_t n = 0; n < most; ++n) {
    all.push_back(decode([&](std::size_t i) { return random() % options[i].size(); }));
  }
  return all;
}

/// A Partial whose parts all differ and cancel: weights 0.7, -0.4, ... that sum to one.
DTensor true_partial(const DTensor& x, std::size_t axis) {
  std::vector<Placement> placements = x.placements();
  placements[axis] = Placement::replicate();
  const DTensor r = redistribute(x, placements);
  const std::int64_t ranks = mesh().size(static_cast<std::int64_t>(axis));
  const std::int64_t mine = mesh().coordinate(static_cast<std::int64_t>(axis));
  double weight = mine % 2 == 0 ? 0.7 : -0.4;
  if (mine == ranks - 1) {
    weight = 1;
    for (std::int64_t i = 0; i + 1 < ranks; ++i) weight -= i % 2 == 0 ? 0.7 : -0.4;
  }
  placements[axis] = Placement::partial();
  return {r.local() * weight, LayoutTable::current().with_placements(r.layout(), placements)};
}

DTensor placed(const DTensor& x, const std::vector<Placement>& placements) {
  DTensor result = x;
  for (std::size_t axis = 0; axis < placements.size(); ++axis) {
    if (placements[axis].is_partial()) {
      result = true_partial(result, axis);
    } else {
      std::vector<Placement> target = result.placements();
      target[axis] = placements[axis];
      result = redistribute(result, target);
    }
  }
  return result;
}

at::Tensor weights_like(const at::Tensor& x, std::uint64_t seed) {
  at::Generator generator = at::detail::createCPUGenerator(seed);
  return at::rand(x.sizes(), generator, x.options().requires_grad(false));
}

struct Result {
  std::vector<at::Tensor> outputs, gradients;
};

Result run_plain(const OpCase& op, bool backward) {
  std::vector<at::Tensor> leaves, inputs;
  for (const at::Tensor& x : op.inputs) {
    leaves.push_back(x.detach().clone());
    if (x.is_floating_point() && backward) leaves.back().requires_grad_();
    inputs.push_back(leaves.back().is_floating_point() ? leaves.back() * 1 : leaves.back());
  }
  Result result;
  at::Tensor loss;
  for (const at::Tensor& y : op.plain(inputs)) {
    result.outputs.push_back(y.detach());
    if (!y.requires_grad()) continue;
    const at::Tensor term = (y * weights_like(y, 40 + result.outputs.size())).sum();
    loss = loss.defined() ? loss + term : term;
  }
  if (backward && loss.defined()) loss.backward();
  for (const at::Tensor& leaf : leaves) result.gradients.push_back(leaf.grad());
  return result;
}

Result run_sharded(const OpCase& op, const Assignment& assignment, bool backward) {
  std::vector<at::Tensor> leaves;
  std::vector<DTensor> inputs;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    leaves.push_back(op.inputs[i].detach().clone());
    if (leaves[i].is_floating_point() && backward) leaves[i].requires_grad_();
    inputs.push_back(
        placed(DTensor(leaves[i].is_floating_point() ? leaves[i] * 1 : leaves[i]), assignment[i]));
  }
  Result result;
  DTensor loss;
  for (const DTensor& y : op.sharded(inputs)) {
    result.outputs.push_back(y.detach().full());
    if (!y.requires_grad()) continue;
    const at::Tensor weights = weights_like(result.outputs.back(), 40 + result.outputs.size());
    const DTensor term = sum(y.mul(DTensor(weights)));
    loss = loss.defined() ? loss.add(term) : term;
  }
  if (backward && loss.defined()) loss.backward();
  for (const at::Tensor& leaf : leaves) result.gradients.push_back(leaf.grad());
  return result;
}

std::string describe(const OpCase& op, const MeshShape& shape, const Assignment& assignment) {
  std::string text = op.name + " on " + shape.to_string() + ":";
  for (const auto& placements : assignment) {
    text += " [";
    for (std::size_t a = 0; a < placements.size(); ++a)
      text += (a == 0 ? "" : " ") + placements[a].to_string();
    text += "]";
  }
  return text;
}

void compare(const std::vector<at::Tensor>& expected, const std::vector<at::Tensor>& actual, double tolerance,
             const std::string& what) {
  ASSERT_EQ(expected.size(), actual.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const at::Tensor& e = expected[i];
    const at::Tensor& a = actual[i];
    if (!e.defined() || !a.defined()) {
      // LibTorch may leave a gradient undefined where it is zero.
      const at::Tensor& other = e.defined() ? e : a;
      EXPECT_TRUE(!other.defined() || other.abs().max().item<double>() == 0) << what << " " << i;
      continue;
    }
    ASSERT_EQ(e.sizes(), a.sizes()) << what << " " << i;
    EXPECT_TRUE(at::allclose(a, e, tolerance, tolerance, /*equal_nan=*/true))
        << what << " " << i << "\nexpected\n"
        << e << "\nactual\n"
        << a;
  }
}

}  // namespace

std::size_t sweep(const OpCase& op, const SweepOptions& options) {
  const Result expected = run_plain(op, options.backward);
  std::size_t tried = 0;
  for (const char* mesh_text : {"a=1", "a=2", "a=3", "a=4", "a=2,b=2"}) {
    const MeshShape shape = MeshShape::parse(mesh_text);
    for (const Assignment& assignment :
         assignments(op, static_cast<std::size_t>(shape.num_axes()), options.most_per_mesh)) {
      const std::string what = describe(op, shape, assignment);
      ++tried;
      try {
        run_ranks(shape,
                  [&] {
                    const Result actual = run_sharded(op, assignment, options.backward);
                    compare(expected.outputs, actual.outputs, options.tolerance, what + " output");
                    compare(expected.gradients, actual.gradients, options.tolerance, what + " gradient");
                  },
                  {60});
      } catch (const std::exception& error) {
        ADD_FAILURE() << what << "\n" << error.what();
      }
      if (::testing::Test::HasFailure()) return tried;
    }
  }
  return tried;
}

at::Tensor values(std::initializer_list<std::int64_t> sizes, std::uint64_t seed) {
  at::Generator generator = at::detail::createCPUGenerator(seed);
  return at::randn(sizes, generator, at::TensorOptions(at::kDouble));
}

at::Tensor integers(std::int64_t high, std::initializer_list<std::int64_t> sizes, std::uint64_t seed) {
  at::Generator generator = at::detail::createCPUGenerator(seed);
  return at::randint(high, sizes, generator, at::TensorOptions(at::kLong));
}

}  // namespace vescale::test
