// Initializers draw LibTorch's bits, whether the tensor is placed yet or not.
#include "module_sweep.h"

namespace vescale::test {
namespace {

/// `plain` and `ours` fill a weight [6, 4, 3] or [6, 4] and leave the generator where they leave it.
template <class Plain, class Ours>
void compare_init(const std::vector<std::int64_t>& sizes, const Plain& plain, const Ours& ours) {
  torch::manual_seed(5);
  at::Tensor expected = torch::empty(sizes);
  plain(expected);
  const at::Tensor after = torch::rand({4});
  for (const std::string& mesh : meshes()) {
    for (const char* placement : {"tp=R", "tp=S(0)", "dp=S(1), tp=S(0)"}) {
      run_ranks(MeshShape::parse(mesh),
                [&] {
                  manual_seed(5);
                  {
                    const nn::ConstructionGuard constructing;
                    nn::ModuleDict module;
                    const DTensor weight = module->register_parameter("weight", vescale::empty(sizes));
                    ours(weight);
                    distribute_module(module, {{"weight", placement}});
                    EXPECT_TRUE(at::equal(weight.full(), expected)) << mesh << " unplaced, " << placement;
                    EXPECT_TRUE(weight.requires_grad());
                  }
                  EXPECT_TRUE(at::equal(vescale::rand({4}).full(), after)) << mesh;
                  manual_seed(5);
                  const DTensor placed = redistribute(vescale::empty(sizes), placement).clone();
                  ours(placed);
                  EXPECT_TRUE(at::equal(placed.full(), expected)) << mesh << " placed, " << placement;
                },
                {60});
    }
  }
}

#define INIT(test, sizes, ...)                  \
  TEST(Init, test) {                            \
    compare_init(                               \
        std::vector<std::int64_t> sizes,        \
        [](auto& w) {                           \
          namespace init = torch::nn::init;     \
          __VA_ARGS__;                          \
        },                                      \
        [](auto& w) {                           \
          namespace init = ::vescale::nn::init; \
          __VA_ARGS__;                          \
        });                                     \
  }
INIT(constant, ({6, 4}), init::constant_(w, 3))
INIT(ones, ({6, 4}), init::ones_(w))
INIT(zeros, ({6, 4}), init::zeros_(w))
INIT(normal, ({6, 4}), init::normal_(w, 1, 2))
INIT(uniform, ({6, 4, 3}), init::uniform_(w, -1, 2))
INIT(kaiming_normal, ({6, 4, 3}), init::kaiming_normal_(w, 0, torch::kFanOut, torch::kReLU))
INIT(kaiming_uniform, ({6, 4, 3}), init::kaiming_uniform_(w))
INIT(xavier_normal, ({6, 4}), init::xavier_normal_(w, 2))
INIT(xavier_uniform, ({6, 4}), init::xavier_uniform_(w))
INIT(eye, ({6, 4}), init::eye_(w))
INIT(dirac, ({6, 4, 3}), init::dirac_(w))
INIT(orthogonal, ({6, 4}), init::orthogonal_(w))
INIT(orthogonal_wide, ({4, 6}), init::orthogonal_(w))
INIT(sparse, ({6, 4}), init::sparse_(w, 0.4))

}  // namespace
}  // namespace vescale::test
