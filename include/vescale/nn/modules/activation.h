#pragma once
/// Activations: LibTorch's names and options. Shapes stay; each keeps the placement of its input (softmax and
/// its kin gather their dim if it is sharded).
#include <torch/nn/modules/activation.h>

#include <vescale/nn/functional.h>
#include <vescale/nn/modules/stateless.h>

namespace vescale {
namespace nn {

VESCALE_LAYER(ELU, functional::elu(std::move(input), options));
VESCALE_LAYER(SELU, functional::selu(std::move(input), options));
VESCALE_LAYER(CELU, functional::celu(std::move(input), options));
VESCALE_LAYER(GLU, functional::glu(input, options));
VESCALE_LAYER(GELU, functional::gelu(input, options));
VESCALE_LAYER(ReLU, functional::relu(std::move(input), options));
VESCALE_LAYER(ReLU6, functional::relu6(std::move(input), options));
VESCALE_LAYER(LeakyReLU, functional::leaky_relu(std::move(input), options));
VESCALE_LAYER(RReLU, functional::rrelu(std::move(input), functional::RReLUFuncOptions()
                                                             .lower(options.lower())
                                                             .upper(options.upper())
                                                             .inplace(options.inplace())
                                                             .training(is_training())));
VESCALE_LAYER(Hardshrink, functional::hardshrink(input, options));
VESCALE_LAYER(Hardtanh, functional::hardtanh(std::move(input), options));
VESCALE_LAYER(Softplus, functional::softplus(input, options));
VESCALE_LAYER(Softshrink, functional::softshrink(input, options));
VESCALE_LAYER(Threshold, functional::threshold(std::move(input), options));
VESCALE_LAYER(Softmax, input.softmax(options.dim()));
VESCALE_LAYER(Softmin, (-input).softmax(options.dim()));
VESCALE_LAYER(LogSoftmax, input.log_softmax(options.dim()));

VESCALE_PLAIN_LAYER(LogSigmoid, functional::logsigmoid(input));
VESCALE_PLAIN_LAYER(Mish, functional::mish(input));
VESCALE_PLAIN_LAYER(Sigmoid, input.sigmoid());
VESCALE_PLAIN_LAYER(SiLU, functional::silu(input));
VESCALE_PLAIN_LAYER(Softmax2d, input.softmax(-3));
VESCALE_PLAIN_LAYER(Softsign, functional::softsign(input));
VESCALE_PLAIN_LAYER(Tanh, input.tanh());
VESCALE_PLAIN_LAYER(Tanhshrink, functional::tanhshrink(input));

/// max(0, x) + weight min(0, x); weight [num_parameters], one for all or one a channel.
class PReLUImpl : public Cloneable<PReLUImpl> {
 public:
  explicit PReLUImpl(const PReLUOptions& options = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  DTensor forward(const DTensor& input) { return functional::prelu(input, weight); }

  PReLUOptions options;
  DTensor weight;
};
VS_MODULE(PReLU);

}  // namespace nn
}  // namespace vescale
