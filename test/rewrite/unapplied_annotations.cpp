// RUN: %check_rewrite
// RUN: %vescale-rewrite %s --check -- %flags 2> %t.err
// RUN: %FileCheck %s --check-prefix=CHECK-WARN --input-file %t.err
// What the output does not carry out is said; the annotations are gone from it.
// CHECK-NOT: VESCALE_
#include <torch/torch.h>
#include <vescale/annotate.h>

struct NetImpl : torch::nn::Module {
  // CHECK: {{^}}  vs::nn::Linear first{4, 4};
  // CHECK-WARN: :[[@LINE+1]]:3: warning: VESCALE_STAGE has no effect in the output: {{.*}} [VS1023]
  VESCALE_STAGE(0) torch::nn::Linear first{4, 4};
  // CHECK: {{^}}  vs::nn::Linear second{4, 4};
  // CHECK-WARN: :[[@LINE+1]]:3: warning: VESCALE_CHECKPOINT has no effect in the output: {{.*}} [VS1023]
  VESCALE_CHECKPOINT torch::nn::Linear second{4, 4};
};
