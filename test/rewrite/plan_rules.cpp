// RUN: rm -rf %t.dir && %split-file %s %t.dir
// RUN: %vescale-rewrite %t.dir/program.cpp --plan %t.dir/plan.json -o %t.cpp -- %flags 2> %t.err
// RUN: %strip %t.cpp > %t.stripped
// RUN: %FileCheck %t.dir/program.cpp --input-file %t.stripped
// RUN: %compile %t.cpp
// RUN: %FileCheck %s --check-prefix=NOTE --input-file %t.err
// RUN: %not %vescale-rewrite %t.dir/program.cpp --plan %t.dir/malformed.json -- %flags 2> %t.err
// RUN: grep 'malformed.json: at rules."gram": sharding rule .*at position 4, .*VS1030' %t.err
// RUN: %not %vescale-rewrite %t.dir/program.cpp --plan %t.dir/unknown.json -- %flags 2> %t.err
// RUN: grep 'at rules."grim".*did you mean "gram"?.*VS2107' %t.err
// RUN: %not %vescale-rewrite %t.dir/program.cpp --plan %t.dir/operands.json -- %flags 2> %t.err
// RUN: grep "program.cpp:5:15: error: the rule .* has 2 operands, but 'gram' takes 1 tensors.*VS1025" %t.err
// NOTE: note: the plan's rule "(n d!) -> n d" for 'scaled' takes the place of this annotation's "(n! d) -> n d" [VS2106]

//--- plan.json
{"mesh": ["dp"], "rules": {"gram": "(n d!) -> n d", "scaled": "(n d!) -> n d", "Cube": "(n d) -> n d"}}
//--- malformed.json
{"mesh": ["dp"], "rules": {"gram": "(n ] -> n"}}
//--- unknown.json
{"mesh": ["dp"], "rules": {"grim": "(n d!) -> n d"}}
//--- operands.json
{"mesh": ["dp"], "rules": {"gram": "(n d!, m) -> n d"}}
//--- program.cpp
#include <torch/torch.h>
#include <vescale/annotate.h>

// CHECK: {{^}}torch::Tensor gram(const torch::Tensor& a) { return torch::matmul(a, a); }
torch::Tensor gram(const torch::Tensor& a) { return torch::matmul(a, a); }
// CHECK: {{^}}torch::Tensor scaled(const torch::Tensor& a) { return a * 2; }
VESCALE_RULE("(n! d) -> n d") torch::Tensor scaled(const torch::Tensor& a) { return a * 2; }
// CHECK: {{^}}struct Cube : torch::autograd::Function<Cube> {
struct Cube : torch::autograd::Function<Cube> {
  static torch::Tensor forward(torch::autograd::AutogradContext*, const torch::Tensor& x) { return x; }
};

torch::Tensor use(VESCALE_PLACE("dp=S(0)") torch::Tensor x) {
  // CHECK: auto y = vs::call_local("(n d!) -> n d", gram, x);{{ +}}// dp=S(0)
  auto y = gram(x);
  // CHECK: auto z = vs::call_local("(n d!) -> n d", scaled, y);{{ +}}// dp=S(0)
  auto z = scaled(y);
  // CHECK: return vs::call_local("(n d) -> n d", [](auto&&... pieces) { return Cube::apply(pieces...); }, z);
  return Cube::apply(z);
}
