// Module: names, order, modes, printing, cloning, containers.
#include <vector>

#include "module_sweep.h"

namespace vescale::test {
namespace {

struct InnerImpl : nn::Module {
  InnerImpl() : up(register_module("up", nn::Linear(3, 4))) {
    scale = register_parameter("scale", vescale::ones({4}));
    steps = register_buffer("steps", vescale::zeros({1}));
  }
  DTensor forward(const DTensor& x) { return up(x) * scale; }
  nn::Linear up;
  DTensor scale, steps;
};
VS_MODULE(Inner);

struct OuterImpl : nn::Module {
  OuterImpl() {
    blocks = register_module("blocks", nn::ModuleList());
    for (int i = 0; i < 2; ++i) blocks->push_back(Inner());
    head = register_module("head", nn::Linear(nn::LinearOptions(4, 2).bias(false)));
  }
  nn::ModuleList blocks{nullptr};
  nn::Linear head{nullptr};
};
VS_MODULE(Outer);

TEST(Module, names_in_order_of_registration) {
  Outer model;
  const std::vector<std::string> parameters = {"blocks.0.scale", "blocks.0.up.weight", "blocks.0.up.bias",
                                               "blocks.1.scale", "blocks.1.up.weight", "blocks.1.up.bias",
                                               "head.weight"};
  EXPECT_EQ(model->named_parameters().keys(), parameters);
  EXPECT_EQ(model->parameters().size(), parameters.size());
  EXPECT_TRUE(model->parameters(/*recurse=*/false).empty());
  EXPECT_EQ(model->named_buffers().keys(), (std::vector<std::string>{"blocks.0.steps", "blocks.1.steps"}));
  EXPECT_EQ(model->named_modules("m").keys(),
            (std::vector<std::string>{"m", "m.blocks", "m.blocks.0", "m.blocks.0.up", "m.blocks.1",
                                      "m.blocks.1.up", "m.head"}));
  EXPECT_EQ(model->named_children().keys(), (std::vector<std::string>{"blocks", "head"}));
  EXPECT_EQ(model->children().size(), 2u);
}

TEST(Module, modes_casts_and_gradients) {
  Outer model;
  model->eval();
  for (const auto& module : model->modules()) EXPECT_FALSE(module->is_training());
  model->train();
  for (const auto& module : model->modules()) EXPECT_TRUE(module->is_training());
  model->to(torch::kDouble);
  for (const DTensor& p : model->parameters()) EXPECT_EQ(p.scalar_type(), torch::kDouble);
  auto* inner = model->blocks[0]->as<Inner>();
  ASSERT_NE(inner, nullptr);
  EXPECT_EQ(inner, model->blocks[0]->as<InnerImpl>());
  EXPECT_EQ(model->blocks[0]->as<nn::Linear>(), nullptr);
  EXPECT_EQ(inner->scale.scalar_type(), torch::kDouble) << "members are handles of what is registered";
  inner->forward(DTensor(values({5, 3}))).sum().backward();
  EXPECT_TRUE(inner->up->weight.grad().defined());
  model->zero_grad();
  EXPECT_FALSE(inner->up->weight.grad().defined());
}

TEST(Module, apply_reaches_every_module_once) {
  Outer model;
  int linears = 0;
  model->apply([&](nn::Module& module) { linears += module.as<nn::Linear>() != nullptr; });
  EXPECT_EQ(linears, 3);
  std::vector<std::string> names;
  model->apply([&](const std::string& name, nn::Module&) { names.push_back(name); }, "m");
  EXPECT_EQ(names, model->named_modules("m").keys());
}

TEST(Module, bad_registrations_are_errors) {
  InnerImpl module;
  EXPECT_ANY_THROW(module.register_parameter("a.b", vescale::ones({1})));
  EXPECT_ANY_THROW(module.register_parameter("", vescale::ones({1})));
  EXPECT_ANY_THROW(module.register_parameter("scale", vescale::ones({1})));
  EXPECT_ANY_THROW(module.register_module("up", nn::Linear(1, 1)));
  EXPECT_ANY_THROW(module.clone());
  EXPECT_ANY_THROW(nn::Linear(nullptr)->forward(DTensor()));
}

TEST(Module, clones_are_deep) {
  nn::Sequential model(nn::Linear(3, 4), nn::ReLU(), nn::Linear(4, 2));
  const auto copy = std::dynamic_pointer_cast<nn::SequentialImpl>(model->clone());
  ASSERT_NE(copy, nullptr);
  EXPECT_EQ(copy->named_parameters().keys(), model->named_parameters().keys());
  const DTensor x(values({2, 3}).to(torch::kFloat));
  EXPECT_TRUE(at::equal(copy->forward(x).full(), model->forward(x).full()));
  {
    const at::NoGradGuard no_grad;
    copy->parameters()[0].zero_();
  }
  EXPECT_FALSE(at::equal(copy->parameters()[0].full(), model->parameters()[0].full()));
}

struct PairImpl : nn::Module {
  DTensor forward(const DTensor& a, std::int64_t b) { return a * b; }
};
VS_MODULE(Pair);

TEST(Containers, sequential_passes_any_arguments) {
  nn::Sequential model{{{"pair", Pair()}, {"tanh", nn::Tanh()}}};
  EXPECT_EQ(model->size(), 2u);
  const DTensor x(values({2, 3}));
  EXPECT_TRUE(at::equal(model->forward(x, std::int64_t{2}).full(), (values({2, 3}) * 2).tanh()));
  EXPECT_TRUE(at::equal(model->forward(values({2, 3}), std::int64_t{2}).full(), (values({2, 3}) * 2).tanh()))
      << "a plain tensor serves as a DTensor";
  EXPECT_ANY_THROW(model->forward(x));
  EXPECT_ANY_THROW(model->forward(x, 2.0));
  EXPECT_ANY_THROW(model->forward<int>(x, std::int64_t{2}));
  EXPECT_ANY_THROW(nn::Sequential()->forward(x));
  EXPECT_NE(model->at<nn::TanhImpl>(1).name(), "");
  EXPECT_ANY_THROW(model->at<nn::TanhImpl>(0));
  EXPECT_ANY_THROW(model->ptr(2));
}

DTensor scaled_sum(const DTensor& x, double scale, std::int64_t dim) { return (x * scale).sum(dim); }

TEST(Containers, functions_are_modules) {
  const at::Tensor x = at::arange(-3, 3, at::kDouble).view({2, 3});
  nn::Sequential model(nn::Functional(vescale::relu), nn::Functional(scaled_sum, 2.0, 1),
                       nn::Functional([](const DTensor& y) { return y.unsqueeze(0); }));
  EXPECT_TRUE(at::equal(model->forward(DTensor(x)).full(), (x.relu() * 2).sum(1).unsqueeze(0)));
  EXPECT_FALSE(nn::Functional(vescale::relu)->is_serializable());
  std::ostringstream text;
  text << nn::Functional(vescale::relu);
  EXPECT_EQ(text.str(), "torch::nn::Functional()");
}

TEST(Containers, lists_and_dicts) {
  nn::ModuleList list(nn::Linear(1, 2), nn::ReLU());
  list->insert(1, nn::Linear(2, 3));
  EXPECT_EQ(list->named_children().keys(), (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(list->at<nn::LinearImpl>(1).options.out_features(), 3);
  EXPECT_NE(list->named_children()["2"]->as<nn::ReLU>(), nullptr);
  nn::ModuleDict dict(std::vector<std::pair<std::string, std::shared_ptr<nn::Module>>>{
      {"a", nn::Linear(1, 2).ptr()}, {"b", nn::ReLU().ptr()}});
  EXPECT_EQ(dict->keys(), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(dict->contains("a"));
  EXPECT_EQ(dict->named_parameters().keys(), (std::vector<std::string>{"a.weight", "a.bias"}));
  nn::ParameterList parameters(vescale::ones({2}), vescale::zeros({3}));
  EXPECT_EQ(parameters->named_parameters().keys(), (std::vector<std::string>{"0", "1"}));
  nn::ParameterDict named;
  named->insert("w", vescale::ones({2}));
  EXPECT_EQ(named->keys(), std::vector<std::string>{"w"});
}

}  // namespace
}  // namespace vescale::test
