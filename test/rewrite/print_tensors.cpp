// RUN: %check_all_rewritten
// RUN: %vescale-rewrite %s --check --remarks -- %flags > %t.remarks 2>&1
// RUN: %FileCheck %s --check-prefix=REMARK --input-file %t.remarks
// A printed tensor is made whole, once, on every rank; rank 0 prints.
#include <torch/torch.h>
#include <vescale/annotate.h>

#include <iostream>
VESCALE_MESH(dp)

void f(VESCALE_PLACE("dp=S(0); b d") torch::Tensor x) {
  // CHECK: std::cout << "x is " << x << ", of size " << x.size(0) << "\n";
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: print gathers over dp [VS3011]
  std::cout << "x is " << x << ", of size " << x.size(0) << "\n";
  // CHECK: std::cerr << x.sum() << std::endl;
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: print reduces over dp [VS3011]
  std::cerr << x.sum() << std::endl;
}
