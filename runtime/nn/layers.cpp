#include <cmath>
#include <ostream>

#include <vescale/nn/modules/layers.h>

#include "layer_parameters.h"

namespace vescale::nn {

void reset_bias(const DTensor& weight, const DTensor& bias) {
  if (!bias.defined()) return;
  const auto [fan_in, fan_out] = init::_calculate_fan_in_and_fan_out(weight);
  const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
  init::uniform_(bias, -bound, bound);
}

// ---- Linear ----

LinearImpl::LinearImpl(const LinearOptions& options) : options(options) { reset(); }

void LinearImpl::reset() {
  weight = register_parameter("weight", vescale::empty({options.out_features(), options.in_features()}));
  bias = options.bias() ? register_parameter("bias", vescale::empty({options.out_features()}))
                        : register_parameter("bias", {}, /*requires_grad=*/false);
  reset_parameters();
}
void LinearImpl::reset_parameters() {
  init::kaiming_uniform_(weight, std::sqrt(5.0));
  reset_bias(weight, bias);
}
void LinearImpl::pretty_print(std::ostream& stream) const {
  stream << std::boolalpha << "torch::nn::Linear(in_features=" << options.in_features()
         << ", out_features=" << options.out_features() << ", bias=" << options.bias() << ")";
}

// ---- Embedding ----

EmbeddingImpl::EmbeddingImpl(EmbeddingOptions options_) : options(std::move(options_)) { reset(); }

void EmbeddingImpl::reset() {
  if (options.padding_idx()) {
    std::int64_t padding = *options.padding_idx();
    TORCH_CHECK(padding >= -options.num_embeddings() && padding < options.num_embeddings(),
                "Padding_idx must be within num_embeddings");
    if (padding < 0) options.padding_idx(padding + options.num_embeddings());
  }
  if (options._weight().defined()) {
    weight = register_parameter("weight", DTensor(options._weight()));
    return;
  }
  weight = register_parameter("weight", vescale::empty({options.num_embeddings(), options.embedding_dim()}));
  reset_parameters();
}
void EmbeddingImpl::reset_parameters() {
  init::normal_(weight);
  if (!options.padding_idx()) return;
  const at::NoGradGuard no_grad;
  weight.select(0, *options.padding_idx()).fill_(0);
}
void EmbeddingImpl::pretty_print(std::ostream& stream) const {
  stream << "torch::nn::Embedding(num_embeddings=" << options.num_embeddings()
         << ", embedding_dim=" << options.embedding_dim();
  if (options.padding_idx()) stream << ", padding_idx=" << *options.padding_idx();
  if (options.max_norm()) stream << ", max_norm=" << *options.max_norm();
  if (options.norm_type() != 2) stream << ", norm_type=" << options.norm_type();
  if (options.scale_grad_by_freq()) stream << ", scale_grad_by_freq=" << std::boolalpha << true;
  if (options.sparse()) stream << ", sparse=" << std::boolalpha << true;
  stream << ")";
}
DTensor EmbeddingImpl::forward(const DTensor& indices) {
  return functional::embedding(indices, weight,
                               functional::EmbeddingFuncOptions()
                                   .padding_idx(options.padding_idx())
                                   .max_norm(options.max_norm())
                                   .norm_type(options.norm_type())
                                   .scale_grad_by_freq(options.scale_grad_by_freq())
                                   .sparse(options.sparse()));
}
Embedding Embedding::from_pretrained(const at::Tensor& embeddings,
                                     const EmbeddingFromPretrainedOptions& options) {
  TORCH_CHECK(embeddings.dim() == 2, "Embeddings parameter is expected to be 2-dimensional");
  Embedding embedding(EmbeddingOptions(embeddings.size(0), embeddings.size(1))
                          ._weight(embeddings)
                          .padding_idx(options.padding_idx())
                          .max_norm(options.max_norm())
                          .norm_type(options.norm_type())
                          .scale_grad_by_freq(options.scale_grad_by_freq())
                          .sparse(options.sparse()));
  embedding->weight.set_requires_grad(!options.freeze());
  return embedding;
}

}  // namespace vescale::nn
