// RUN: %check_all_rewritten
// Masks and index_put_ write elements of the whole tensor; with a boolean index a plain assignment is a dead store.
#include <torch/torch.h>
#include <vescale/annotate.h>
VESCALE_MESH(dp)

// CHECK: namespace indexing = vs::indexing;
namespace indexing = torch::indexing;

torch::Tensor f(VESCALE_PLACE("dp=S(0); b d") torch::Tensor x, torch::Tensor rows) {
  // CHECK: x.index_put_({rows, indexing::Ellipsis}, vs::ones({4}));
  x.index_put_({rows, indexing::Ellipsis}, torch::ones({4}));
  // CHECK: x.index_put_({x > 2}, 0.5);
  x.index_put_({x > 2}, 0.5);
  // CHECK: x.index({x > 2}) = 1;
  x.index({x > 2}) = 1;
  // CHECK: return x.index({"...", 0}) + x.index({indexing::Slice(), 1});
  return x.index({"...", 0}) + x.index({indexing::Slice(), 1});
}
