// RUN: %not %vescale-rewrite %s -o %t.cpp -- %flags 2> %t.err
// RUN: %FileCheck %s --input-file %t.err
// RUN: %not ls %t.cpp
// What is wrong with a rule is told where it is wrong.
#include <torch/torch.h>
#include <vescale/annotate.h>

// CHECK: malformed_rules.cpp:[[@LINE+3]]:20: error: sharding rule "(n d -> n", at position 6, '-> n': expected a dim, ',' or ')' [VS1025]
// CHECK-NEXT: VESCALE_RULE("(n d -> n")
// CHECK-NEXT: {{^ *\^}}
VESCALE_RULE("(n d -> n") torch::Tensor unclosed(torch::Tensor x) { return x; }

// CHECK: malformed_rules.cpp:[[@LINE+1]]:22: error: sharding rule "(n) -> m": 'm' is in a result but in no operand{{.*}} [VS1025]
VESCALE_RULE("(n) -> m") torch::Tensor unknown_size(torch::Tensor x) { return x; }

// CHECK: malformed_rules.cpp:[[@LINE+1]]:15: error: sharding rule "", at its end: expected '(' before the operands [VS1025]
VESCALE_RULE("") torch::Tensor empty(torch::Tensor x) { return x; }

// CHECK: malformed_rules.cpp:[[@LINE+1]]:1: error: the rule "(n, n) -> n" has 2 operands, but 'one' takes 1 tensors; {{.*}} [VS1025]
VESCALE_RULE("(n, n) -> n") torch::Tensor one(torch::Tensor x, double) { return x; }

// CHECK: malformed_rules.cpp:[[@LINE+1]]:1: error: VESCALE_RULE belongs before a function, or between 'struct' and {{.*}} [VS1026]
VESCALE_RULE("(n) -> n") struct Outside : torch::autograd::Function<Outside> {
  static torch::Tensor forward(torch::autograd::AutogradContext*, torch::Tensor x) { return x; }
};

// CHECK: malformed_rules.cpp:[[@LINE+1]]:8: error: the rule "(n, n) -> n" has 2 operands, but 'Inside::forward' takes 1 tensors; {{.*}} [VS1025]
struct VESCALE_RULE("(n, n) -> n") Inside : torch::autograd::Function<Inside> {
  static torch::Tensor forward(torch::autograd::AutogradContext*, torch::Tensor x) { return x; }
};

// CHECK: malformed_rules.cpp:[[@LINE+1]]:8: error: VESCALE_RULE belongs before a function{{.*}} [VS1026]
struct VESCALE_RULE("(n) -> n") NoFunction {};
// CHECK: malformed_rules.cpp:[[@LINE+1]]:1: error: VESCALE_RULE belongs before a function{{.*}} [VS1026]
VESCALE_RULE("(n) -> n") int variable = 0;

VESCALE_RULE("(n) -> n") torch::Tensor fine(torch::Tensor x, std::pair<int, int> = {}) { return x; }
#define CALL fine(
// CHECK: malformed_rules.cpp:[[@LINE+1]]:15: error: 'shared' is called by host code and by code that is distributed; {{.*}} [VS1002]
torch::Tensor shared(torch::Tensor x) { return x; }
VESCALE_RULE("(n) -> n") torch::Tensor calls_shared(torch::Tensor x) { return shared(x); }

void use(torch::Tensor x) {
  shared(x);
  // CHECK: malformed_rules.cpp:[[@LINE+1]]:15: error: this function has a sharding rule and is named here without being called; {{.*}} [VS1027]
  auto kept = fine;
  // CHECK: malformed_rules.cpp:[[@LINE+1]]:11: error: the type of these braces is not known{{.*}} [VS1027]
  fine(x, {1, 2});
  // CHECK: malformed_rules.cpp:[[@LINE+1]]:3: error: this call of a function with a sharding rule is made by a macro{{.*}} [VS1027]
  CALL x);
  kept(x, {});
}
