// RUN: %split-file %s %t.dir
// RUN: %vescale-rewrite %t.dir/program.cpp --plan %t.dir/plan.json -o %t.cpp -- %flags
// RUN: %strip %t.cpp > %t.stripped
// RUN: %FileCheck %t.dir/program.cpp --input-file %t.stripped
// RUN: %compile %t.cpp
// RUN: %not %vescale-rewrite %t.dir/program.cpp --plan %t.dir/wrong.json -- %flags 2> %t.err
// RUN: grep VS1030 %t.err
// RUN: %not %vescale-rewrite %t.dir/program.cpp --plan %t.dir/nothing.json -- %flags 2> %t.err
// RUN: grep 'other.weight.*did you mean .*VS2104' %t.err

//--- plan.json
{"mesh": ["dp", "tp"],
 "parameters": {"up.*": "tp=S(0)"},
 "values": {"NetImpl::forward.x": "dp=S(0)", "train.y": "tp=R"}}
//--- wrong.json
{"mesh": ["dp", "tp"], "parameters": {"up.*": "zz=S(0)"}}
//--- nothing.json
{"mesh": ["dp", "tp"], "parameters": {"up.*": "tp=S(0)", "other.weight": "tp=S(0)"}}
//--- program.cpp
#include <torch/torch.h>
#include <vescale/annotate.h>

struct NetImpl : torch::nn::Module {
  NetImpl() : up(register_module("up", torch::nn::Linear(4, 4))), down(register_module("down", torch::nn::Linear(4, 4))) {}
  // CHECK: vs::DTensor forward(vs::DTensor x) {
  // CHECK-NEXT:   x = vs::redistribute(x, "dp=S(0)");
  torch::Tensor forward(torch::Tensor x) {
    return down(up(x));
  }
  VESCALE_PLACE("weight: tp=S(1)") torch::nn::Linear up{nullptr};
  VESCALE_PLACE("weight: tp=S(1)") torch::nn::Linear down{nullptr};
};
TORCH_MODULE(Net);

torch::Tensor train(torch::Tensor x) {
  // CHECK: vs::distribute_module(*net, {{[{][{]}}"down.weight", "tp=S(1)"},
  // CHECK-NEXT: {"up.*", "tp=S(0)"}});
  Net net;
  // CHECK: auto y = vs::redistribute(net->forward(x), "tp=R");
  auto y = net->forward(x);
  return y;
}

int main(int, char**) {}
// CHECK: vs::run(argc, argv, vs_main, {"dp", "tp"})
