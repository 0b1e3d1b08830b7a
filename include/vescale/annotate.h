#pragma once
/// Annotations of a single-device LibTorch source for vescale-rewrite. Outside the tool they expand to
/// nothing, and this header includes nothing, so the source compiles with plain LibTorch. docs/annotations.md
/// says more.
///
/// - VESCALE_MESH(dp, tp): names of the mesh axes, at file scope
/// - VESCALE_PLACE("dp=S(0)") torch::Tensor x: placement of a variable or parameter
/// - VESCALE_PLACE("weight: tp=S(0)") torch::nn::Linear up: placement of parameters by name below a member
/// - VESCALE_REDISTRIBUTE(x, "tp=R"): the value of x, with another placement from here on
/// - VESCALE_HOST: a function or variable that stays torch::Tensor
/// - VESCALE_RULE("(n d, m d) -> n m"): before a function, or between struct and the name of a custom
/// torch::autograd::Function: its sharding rule; it stays torch::Tensor and runs on each rank's pieces
/// - VESCALE_STAGE(n), VESCALE_CHECKPOINT: pipeline cut; recompute in backward. Not acted on yet: the tool
/// warns.
#ifdef __VESCALE_REWRITE__
#define VESCALE_MESH(...) [[maybe_unused]] static const char vescale_mesh_axes_[] = #__VA_ARGS__;
#define VESCALE_PLACE(text) __attribute__((annotate("vescale:place:" text)))
#define VESCALE_REDISTRIBUTE(value, text) (::vescale_annotation::redistribute(value, text))
#define VESCALE_RULE(text) __attribute__((annotate("vescale:rule:" text)))
#define VESCALE_HOST __attribute__((annotate("vescale:host")))
#define VESCALE_STAGE(n) __attribute__((annotate("vescale:stage:" #n)))
#define VESCALE_CHECKPOINT __attribute__((annotate("vescale:checkpoint")))
namespace vescale_annotation {
template <class T>
const T& redistribute(const T& value, const char*) {
  return value;
}
}  // namespace vescale_annotation
#else
#define VESCALE_MESH(...)
#define VESCALE_PLACE(text)
#define VESCALE_REDISTRIBUTE(value, text) (value)
#define VESCALE_RULE(text)
#define VESCALE_HOST
#define VESCALE_STAGE(n)
#define VESCALE_CHECKPOINT
#endif
