// distribute_module: tables, tied tensors, errors, and the bits of the values drawn on pieces.
#include <vescale/rank_context.h>

#include "module_sweep.h"

namespace vescale::test {
namespace {

struct TiedImpl : nn::Module {
  TiedImpl() {
    token = register_module("token", nn::Embedding(6, 4));
    tied = register_parameter("tied", token->weight);
  }
  nn::Embedding token{nullptr};
  DTensor tied;
};
VS_MODULE(Tied);

void on_ranks(const std::string& mesh, const std::function<void()>& body) {
  run_ranks(MeshShape::parse(mesh), body, {60});
}

std::string error_of(const PlacementTable& table) {
  std::string message;
  on_ranks("dp=2,tp=2", [&] {
    nn::Sequential model(nn::Linear(6, 4), nn::Linear(4, 3));
    std::string mine;
    try {
      distribute_module(model, table);
    } catch (const Error& error) {
      mine = error.what();
    }
    if (rank() == 0) message = mine;
  });
  return message;
}

TEST(Distribute, pieces_and_globs) {
  on_ranks("dp=2,tp=2", [] {
    nn::ModuleList model(nn::ModuleList(nn::Linear(6, 4), nn::ReLU()), nn::Linear(4, 3));
    const DTensor held = model->parameters()[0];  // a handle from before
    distribute_module(model, {{"**.weight", "tp=S(0)"}, {"*.weight", "tp=S(1)"}, {"0.*.bias", "dp=S(0)"}});
    const auto parameters = model->named_parameters();
    EXPECT_EQ(parameters["0.0.weight"].local().sizes(), (std::vector<std::int64_t>{2, 6}));
    EXPECT_EQ(held.local().sizes(), (std::vector<std::int64_t>{2, 6}));
    EXPECT_EQ(parameters["1.weight"].local().sizes(), (std::vector<std::int64_t>{3, 2}))
        << "a later line wins";
    EXPECT_EQ(parameters["0.0.bias"].local().sizes(), (std::vector<std::int64_t>{2}));
    EXPECT_EQ(parameters["1.bias"].local().sizes(), (std::vector<std::int64_t>{3}));
    EXPECT_EQ(parameters["0.0.weight"].sizes(), (std::vector<std::int64_t>{4, 6}));
    for (const DTensor& p : model->parameters()) EXPECT_TRUE(p.is_leaf() && p.requires_grad());
  });
}

TEST(Distribute, a_line_places_fused_weights) {
  on_ranks("dp=1,tp=2", [] {
    nn::Linear qkv(4, 12);
    distribute_module(qkv, {{"weight", "tp=S(0,3)"}});
    EXPECT_EQ(qkv->weight.local().sizes(), (std::vector<std::int64_t>{6, 4}));
  });
}

TEST(Distribute, tied_tensors_are_placed_once) {
  on_ranks("dp=1,tp=2", [] {
    Tied named_once;
    distribute_module(named_once, {{"token.weight", "tp=S(0)"}});
    EXPECT_EQ(named_once->tied.local().sizes(), (std::vector<std::int64_t>{3, 4}));
    EXPECT_TRUE(named_once->tied.is_same(named_once->token->weight));
    Tied named_twice;
    EXPECT_THROW(distribute_module(named_twice, {{"token.weight", "tp=S(0)"}, {"tied", "tp=S(1)"}}), Error);
  });
}

TEST(Distribute, values_that_exist_are_cut) {
  on_ranks("dp=1,tp=2", [] {
    nn::Linear linear(3, 4);
    const at::Tensor before = linear->weight.full().clone();
    distribute_module(linear, {{"weight", "tp=S(0)"}});
    EXPECT_EQ(linear->weight.local().size(0), 2);
    EXPECT_TRUE(at::equal(linear->weight.full(), before));
  });
}

TEST(Distribute, errors_name_what_is_wrong) {
  EXPECT_NE(error_of({{"2.weight", "tp=S(0)"}}).find("2.weight"), std::string::npos);
  EXPECT_NE(error_of({{"2.weight", "tp=S(0)"}}).find("1.bias"), std::string::npos)
      << "lists the names there are";
  EXPECT_NE(error_of({{"0.bias", "tp=S(1)"}}).find("0.bias"), std::string::npos);
  EXPECT_NE(error_of({{"0.weight", "pp=S(0)"}}).find("pp"), std::string::npos);
  EXPECT_NE(error_of({{"0.weight", "tp=P"}}).find("0.weight"), std::string::npos);
  EXPECT_NE(error_of({{"1.weight", "tp=S(0,2)"}}).find("sections"), std::string::npos);
  EXPECT_EQ(error_of({{"*.weight", "tp=S(0)"}}), "");
}

}  // namespace
}  // namespace vescale::test
