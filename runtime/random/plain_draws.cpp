// What a rank draws with LibTorch itself (a sampler, host code, a library) comes from the rank's generator.
//
// The single-device program has one generator for everything. Ranks that are threads of one process would
// share LibTorch's default generator instead: each would see another stretch of its stream, and their own
// generators would not move. So every op that takes a generator is seen first, on a rank's thread, by the
// kernel below, which fills in the rank's. RankContext::Scope turns it on; the other ops do not notice.
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include <algorithm>
#include <string>
#include <vector>

#include <vescale/random/generator.h>
#include <vescale/rank_context.h>

#include "mesh/rank_dispatch_key.h"

namespace vescale {
namespace {

bool is_on_host(const c10::IValue& argument) {
  if (argument.isTensor()) return !argument.toTensor().defined() || argument.toTensor().is_cpu();
  return !argument.isDevice() || argument.toDevice().is_cpu();
}

void draw_from_rank(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  const std::vector<c10::Argument>& arguments = op.schema().arguments();
  const auto values = torch::jit::last(*stack, arguments.size());
  // A generator belongs to one kind of device; the rank's is the CPU's.
  const bool on_host = std::all_of(values.begin(), values.end(), is_on_host);
  if (on_host && detail::current_rank_context != nullptr) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      c10::IValue& value = torch::jit::peek(*stack, i, arguments.size());
      if (value.isNone() &&
          arguments[i].type()->isSubtypeOf(*c10::OptionalType::create(c10::GeneratorType::get())))
        value = rank_generator();
    }
  }
  op.redispatchBoxed(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, detail::rank_dispatch_key),
                     stack);
}

bool takes_generator(const c10::FunctionSchema& schema) {
  const c10::TypePtr generator = c10::OptionalType::create(c10::GeneratorType::get());
  return std::any_of(schema.arguments().begin(), schema.arguments().end(),
                     [&](const c10::Argument& argument) { return *argument.type() == *generator; });
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, TESTING_ONLY_GenericMode, library) {
  c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
    if (name.getNamespace() != "aten") continue;
    const auto op = dispatcher.findSchema(name);
    if (!op.has_value() || !takes_generator(op->schema())) continue;
    const std::string full = name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
    library.impl(full.c_str(), torch::CppFunction::makeFromBoxedFunction<&draw_from_rank>());
  }
}

}  // namespace vescale
