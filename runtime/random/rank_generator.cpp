#include <ATen/CPUGeneratorImpl.h>

#include <mutex>

#include <vescale/random/generator.h>
#include <vescale/rank_context.h>

namespace vescale {

namespace {

struct RankGenerator {
  const at::Generator generator = at::detail::createCPUGenerator();
};

}  // namespace

const at::Generator& rank_generator() { return RankContext::current().slot<RankGenerator>().generator; }

const at::Generator& generator_for(const std::optional<at::Generator>& generator) {
  return generator.has_value() && generator->defined() ? *generator : rank_generator();
}

void manual_seed(uint64_t seed) {
  at::Generator generator = rank_generator();
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_current_seed(seed);
}

at::Tensor get_rng_state() {
  at::Generator generator = rank_generator();
  const std::lock_guard<std::mutex> lock(generator.mutex());
  return generator.get_state();
}

void set_rng_state(const at::Tensor& state) {
  at::Generator generator = rank_generator();
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_state(state);
}

}  // namespace vescale
