// RUN: %vescale-rewrite %s --report=json -- %flags | %FileCheck %s --check-prefix=JSON
// RUN: %vescale-rewrite %s --report=summary -- %flags | %FileCheck %s --check-prefix=SUMMARY
// RUN: %vescale-rewrite %s --check --remarks=tp=R -- %flags 2>&1 | %FileCheck %s --check-prefix=REMARK
// RUN: %vescale-rewrite %s --explain=%s:14 -- %flags | %FileCheck %s --check-prefix=EXPLAIN
// What was decided is said in the form that is asked for.
#include <torch/torch.h>
#include <vescale/annotate.h>
VESCALE_MESH(dp, tp)
// JSON: "complete": true
// JSON: "level": "remark"
// SUMMARY: rewritten {{.*}}reports.cpp
// SUMMARY: remarks 2
torch::Tensor f(torch::Tensor x) {
  VESCALE_PLACE("dp=S(0)") torch::Tensor y = x;  // EXPLAIN: reports.cpp:14:{{[0-9]+}}: remark: redistributed to dp=S(0)
  // REMARK-NOT: dp=S(0), as
  // REMARK: reports.cpp:[[@LINE+1]]:{{[0-9]+}}: remark: redistributed to tp=R
  VESCALE_PLACE("tp=R") torch::Tensor z = y;
  return z;
}
