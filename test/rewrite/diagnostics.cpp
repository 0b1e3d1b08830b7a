// RUN: %not %vescale-rewrite %s -o %t.cpp -- %flags 2> %t.err
// RUN: %FileCheck %s --input-file %t.err
// RUN: %not ls %t.cpp
// Errors name the place and the way out, and nothing is written.
#include <torch/torch.h>
#include <vescale/annotate.h>

// CHECK: diagnostics.cpp:[[@LINE+1]]:15: error: 'both' is called by host code and by code that is distributed; {{.*}}VESCALE_HOST [VS1002]
torch::Tensor both(torch::Tensor x) { return x; }

class Numbers : public torch::data::datasets::Dataset<Numbers> {
 public:
  torch::data::Example<> get(std::size_t) override { return {both(torch::zeros({1})), torch::zeros({1})}; }
};

void f(torch::Tensor x) {
  both(x);
  // CHECK: diagnostics.cpp:[[@LINE+1]]:48: error: {{.*}} [VS1020]
  VESCALE_PLACE("dp=shard zero") torch::Tensor y = x;
  // CHECK-NEXT: VESCALE_PLACE("dp=shard zero") torch::Tensor y = x;
  // CHECK-NEXT: {{^ *\^}}
  // CHECK: diagnostics.cpp:[[@LINE+1]]:42: error: 'z' has a placement but no value here; {{.*}} [VS1021]
  VESCALE_PLACE("dp=S(0)") torch::Tensor z;
  // CHECK: diagnostics.cpp:[[@LINE+1]]:5: error: 'data_ptr' reads memory that holds only a rank's piece; write .full().data_ptr {{.*}} [VS1040]
  x.data_ptr<float>();
}

// CHECK: diagnostics.cpp:[[@LINE+1]]:54: error: 'c' is const {{.*}} [VS1022]
void g(VESCALE_PLACE("dp=S(0)") const torch::Tensor& c) {}
