// RUN: %check_all_rewritten
// Sizes are the whole tensor's, so what is computed from them, and branches on them, stay as they are.
#include <torch/torch.h>
#include <vescale/annotate.h>
VESCALE_MESH(dp, tp)

torch::Tensor f(VESCALE_PLACE("dp=S(0); b s d") torch::Tensor x) {
  // CHECK: const auto batch = x.size(0), rows = x.size(1);
  const auto batch = x.size(0), rows = x.size(1);
  // CHECK: auto sizes = x.sizes();
  auto sizes = x.sizes();
  // CHECK: if (sizes[0] == 1 || x.dim() != 3 || x.numel() == 0) return x;{{ +}}// dp=S(0)
  if (sizes[0] == 1 || x.dim() != 3 || x.numel() == 0) return x;
  // CHECK: auto heads = x.view({batch, rows, 2, x.size(2) / 2}).transpose(1, 2);{{ +}}// dp=S(0)
  auto heads = x.view({batch, rows, 2, x.size(2) / 2}).transpose(1, 2);
  // CHECK: if (x.sizes() == heads.sizes()) heads = heads + x;
  if (x.sizes() == heads.sizes()) heads = heads + x;
  // CHECK: return heads.reshape({batch, -1}) / static_cast<double>(x.size(-1));
  return heads.reshape({batch, -1}) / static_cast<double>(x.size(-1));
}
