// Cost of an op on a DTensor beside the plain LibTorch call, on a mesh of one rank: ratio and nanoseconds
// added.
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include <vescale/ops.h>

namespace {

using Clock = std::chrono::steady_clock;

template <class Body>
double nanoseconds(const Body& body, int repeats) {
  const auto begin = Clock::now();
  for (int i = 0; i < repeats; ++i) body();
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / repeats;
}

/// Alternates the two so that both see the same machine; the medians of many short runs are compared.
template <class Plain, class Ours>
void compare(const char* name, const Plain& plain, const Ours& ours, int repeats = 2000) {
  constexpr int rounds = 41;
  std::vector<double> plain_times, our_times;
  nanoseconds(plain, 100);
  nanoseconds(ours, 100);
  for (int round = 0; round < rounds; ++round) {
    plain_times.push_back(nanoseconds(plain, repeats));
    our_times.push_back(nanoseconds(ours, repeats));
  }
  auto median = [](std::vector<double>& times) {
    std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
    return times[rounds / 2];
  };
  const double p = median(plain_times), o = median(our_times);
  std::printf("%-22s plain %9.1f ns   vescale %9.1f ns   ratio %.3f   added %6.1f ns\n", name, p, o, o / p,
              o - p);
}

}  // namespace

int main() {
  at::set_num_threads(1);
  const at::Tensor x = at::randn({32, 32}), w = at::randn({32, 32}), b = at::randn({32});
  const at::Tensor wg = at::randn({32, 32}).requires_grad_();
  const vescale::DTensor X = x, W = w, B = b, WG = wg;
  {
    const at::NoGradGuard no_grad;
    compare("add", [&] { return x.add(w); }, [&] { return X.add(W); });
    compare("mul", [&] { return x.mul(w); }, [&] { return X.mul(W); });
    compare("mm", [&] { return x.mm(w); }, [&] { return X.mm(W); });
    compare("relu", [&] { return x.relu(); }, [&] { return X.relu(); });
    compare("linear", [&] { return at::linear(x, w, b); }, [&] { return vescale::linear(X, W, B); });
    compare(
        "layer_norm", [&] { return at::layer_norm(x, {32}, b, b); },
        [&] { return vescale::layer_norm(X, {32}, B, B); });
    compare("view", [&] { return x.view({16, 64}); }, [&] { return X.view({16, 64}); });
    compare("sum", [&] { return x.sum(); }, [&] { return X.sum(); });
  }
  compare(
      "mm+relu+sum fwd+bwd",
      [&] {
        const at::Tensor loss = x.mm(wg).relu().sum();
        loss.backward();
        wg.mutable_grad().reset();
        return loss;
      },
      [&] {
        const vescale::DTensor loss = X.mm(WG).relu().sum();
        loss.backward();
        wg.mutable_grad().reset();
        return loss;
      },
      400);
  return 0;
}
