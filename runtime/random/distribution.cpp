#include "random/distribution.h"

namespace vescale::rng {
namespace {

struct Draw {
  at::Tensor out;
  const at::Tensor& p;
  const at::Generator& generator;

  void operator()(const Uniform& d) { out.uniform_(d.from, d.to, generator); }
  void operator()(const Normal& d) { out.normal_(d.mean, d.std, generator); }
  void operator()(const LogNormal& d) { out.log_normal_(d.mean, d.std, generator); }
  void operator()(const Bernoulli& d) { out.bernoulli_(d.p, generator); }
  void operator()(const BernoulliTensor&) { out.bernoulli_(p, generator); }
  void operator()(const DropoutNoise& d) { out.bernoulli_(1 - d.p, generator).div_(1 - d.p); }
  void operator()(const Exponential& d) { out.exponential_(d.lambda, generator); }
  void operator()(const Cauchy& d) { out.cauchy_(d.median, d.sigma, generator); }
  void operator()(const Geometric& d) { out.geometric_(d.p, generator); }
  void operator()(const Random&) { out.random_(generator); }
  void operator()(const RandomRange& d) { out.random_(d.from, d.to, generator); }
};

}  // namespace

DrawRule draw_rule(const Distribution& distribution, int64_t numel, bool contiguous) {
  if (std::holds_alternative<LogNormal>(distribution)) return DrawRule::pairs;
  if (!std::holds_alternative<Normal>(distribution)) return DrawRule::independent;
  return numel >= 16 && contiguous ? DrawRule::blocks : DrawRule::pairs;
}

void draw(const Distribution& distribution, const at::Tensor& out, const at::Tensor& p,
          const at::Generator& generator) {
  std::visit(Draw{out, p, generator}, distribution);
}

}  // namespace vescale::rng
