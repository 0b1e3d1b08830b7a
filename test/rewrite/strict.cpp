// RUN: rm -f %t.cpp
// RUN: %not %vescale-rewrite %s --strict -o %t.cpp -- %flags 2> %t.err
// RUN: %FileCheck %s --input-file %t.err
// RUN: %not ls %t.cpp
// RUN: %vescale-rewrite %s --strict -o %t.cpp -- %flags -DASKED_FOR
// RUN: grep 'vs::redistribute(vs::matmul(x, y), "tp=R")' %t.cpp
// With --strict only an annotation or the plan makes ranks communicate.
#include <torch/torch.h>
#include <vescale/annotate.h>

VESCALE_MESH(tp)

torch::Tensor f(VESCALE_PLACE("tp=S(1); n k") torch::Tensor x, VESCALE_PLACE("tp=S(0); k m") torch::Tensor y) {
#ifdef ASKED_FOR
  return torch::relu(VESCALE_REDISTRIBUTE(torch::matmul(x, y), "tp=R"));
#else
  // CHECK: strict.cpp:[[@LINE+1]]:22: error: communication that nobody asked for: tp: P -> R (all_reduce, backward none), relu {{.*}}write: VESCALE_REDISTRIBUTE(..., "tp=R") around this expression [VS3008]
  return torch::relu(torch::matmul(x, y));
#endif
}
