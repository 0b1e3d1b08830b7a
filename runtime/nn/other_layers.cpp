#include <ostream>

#include <vescale/nn.h>

namespace vescale::nn {
namespace {

void print_parameters(std::ostream& stream, const char* name,
                      const OrderedDict<std::string, DTensor>& parameters) {
  stream << "torch::nn::" << name << "(\n";
  for (const auto& item : parameters) {
    stream << '(' << item.key() << "): Parameter containing: [" << item.value().scalar_type() << " of size "
           << item.value().sizes() << "]\n";
  }
  stream << ')';
}

}  // namespace

PReLUImpl::PReLUImpl(const PReLUOptions& options) : options(options) { reset(); }
void PReLUImpl::reset() {
  weight = register_parameter(
      "weight", vescale::full({options.num_parameters()}, options.init(), at::TensorOptions(at::kFloat)));
}
void PReLUImpl::pretty_print(std::ostream& stream) const {
  torch::nn::PReLUImpl(options).pretty_print(stream);
}

DTensor UnflattenImpl::forward(const DTensor& input) {
  if (!options.namedshape().empty()) {
    throw Error("vs::nn::Unflatten: named dims are not supported; give the dim's number and sizes");
  }
  return input.unflatten(options.dim(), options.sizes());
}

void ParameterListImpl::pretty_print(std::ostream& stream) const {
  print_parameters(stream, "ParameterList", parameters_);
}
void ParameterDictImpl::pretty_print(std::ostream& stream) const {
  print_parameters(stream, "ParameterDict", parameters_);
}

}  // namespace vescale::nn
