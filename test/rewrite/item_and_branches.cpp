// RUN: %check_all_rewritten
// RUN: %vescale-rewrite %s --check --remarks -- %flags > %t.remarks 2>&1
// RUN: %FileCheck %s --check-prefix=REMARK --input-file %t.remarks
// item() makes a value whole, so that all ranks take the same branch; each such branch has a remark.
#include <torch/torch.h>
#include <vescale/annotate.h>

#include <cstdio>
VESCALE_MESH(dp)

double f(VESCALE_PLACE("dp=S(0); b d") torch::Tensor x, torch::Tensor lengths) {
  // CHECK: auto loss = x.mean();{{ +}}// dp=P
  auto loss = x.mean();
  // CHECK: double total = loss.item<double>() * x.size(0);
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: item reduces over dp [VS3011]
  double total = loss.item<double>() * x.size(0);
  // CHECK: if (x.abs().sum().item<float>() > 1e6f) std::printf("diverged\n");
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: the branch depends on a tensor's value{{.*}} [VS3015]
  if (x.abs().sum().item<float>() > 1e6f) std::printf("diverged\n");
  // CHECK: const auto longest = (lengths > 2).sum().item<std::int64_t>();
  const auto longest = (lengths > 2).sum().item<std::int64_t>();
  // CHECK: auto front = x.slice(0, 0, longest);{{ +}}// dp=S(0)
  auto front = x.slice(0, 0, longest);
  // CHECK: while (total > 1 && loss.item().toDouble() > 2) total /= 2;
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: the branch depends on a tensor's value{{.*}} [VS3015]
  while (total > 1 && loss.item().toDouble() > 2) total /= 2;
  // REMARK: :[[@LINE+1]]:{{[0-9]+}}: remark: the branch depends on a tensor's value{{.*}} [VS3015]
  total += loss.item<double>() < 0 ? 1 : 2;
  // CHECK: return total + front.sum().item<double>();
  return total + front.sum().item<double>();
}
