#pragma once
/// Layers with parameters: LibTorch's names, options, parameter names and order of random draws.
#include <cstddef>
#include <vector>

#include <vescale/nn/functional.h>
#include <vescale/nn/init.h>
#include <vescale/nn/module.h>

namespace vescale {
namespace nn {

/// y = x weightT + bias; weight [out, in], bias [out].
class LinearImpl : public Cloneable<LinearImpl> {
 public:
  LinearImpl(std::int64_t in_features, std::int64_t out_features)
      : LinearImpl(LinearOptions(in_features, out_features)) {}
  explicit LinearImpl(const LinearOptions& options);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  DTensor forward(const DTensor& input) { return functional::linear(input, weight, bias); }

  LinearOptions options;
  DTensor weight;
  DTensor bias;
};
VS_MODULE(Linear);

/// Row `i` of weight [num_embeddings, embedding_dim] for each index i.
class EmbeddingImpl : public Cloneable<EmbeddingImpl> {
 public:
  EmbeddingImpl(std::int64_t num_embeddings, std::int64_t embedding_dim)
      : EmbeddingImpl(EmbeddingOptions(num_embeddings, embedding_dim)) {}
  explicit EmbeddingImpl(EmbeddingOptions options);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  DTensor forward(const DTensor& indices);

  EmbeddingOptions options;
  DTensor weight;
};
class Embedding : public ModuleHolder<EmbeddingImpl> {
 public:
  using ModuleHolder<EmbeddingImpl>::ModuleHolder;
  using Impl [[maybe_unused]] = EmbeddingImpl;
  static Embedding from_pretrained(const at::Tensor& embeddings,
                                   const EmbeddingFromPretrainedOptions& options = {});
};

/// Normalizes over the last dims, of sizes normalized_shape.
class LayerNormImpl : public Cloneable<LayerNormImpl> {
 public:
  LayerNormImpl(std::vector<std::int64_t> normalized_shape)  // NOLINT: as LibTorch's
      : LayerNormImpl(LayerNormOptions(std::move(normalized_shape))) {}
  explicit LayerNormImpl(LayerNormOptions options);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  DTensor forward(const DTensor& input);

  LayerNormOptions options;
  DTensor weight;
  DTensor bias;
};
VS_MODULE(LayerNorm);

/// Normalizes num_groups groups of channels of inputs [batch, channels, ...].
class GroupNormImpl : public Cloneable<GroupNormImpl> {
 public:
  GroupNormImpl(std::int64_t num_groups, std::int64_t num_channels)
      : GroupNormImpl(GroupNormOptions(num_groups, num_channels)) {}
  explicit GroupNormImpl(const GroupNormOptions& options);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  DTensor forward(const DTensor& input);

  GroupNormOptions options;
  DTensor weight;
  DTensor bias;
};
VS_MODULE(GroupNorm);

/// A convolution over D dims; weight [out, in / groups, kernel...], transposed [in, out / groups, kernel...].
template <std::size_t D, class Derived>
class ConvNdImpl : public Cloneable<Derived> {
 public:
  using Options = torch::nn::detail::ConvNdOptions<D>;
  explicit ConvNdImpl(Options options);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;

  Options options;
  DTensor weight;
  DTensor bias;

 protected:
  DTensor convolve(const DTensor& input) const;
};

#define VESCALE_CONV(D)                                                                              \
  class Conv##D##dImpl : public ConvNdImpl<D, Conv##D##dImpl> {                                      \
   public:                                                                                           \
    Conv##D##dImpl(std::int64_t in, std::int64_t out, torch::ExpandingArray<D> kernel_size)          \
        : Conv##D##dImpl(torch::nn::ConvOptions<D>(in, out, kernel_size)) {}                         \
    explicit Conv##D##dImpl(torch::nn::ConvOptions<D> options);                                      \
    DTensor forward(const DTensor& input) { return convolve(input); }                                \
  };                                                                                                 \
  VS_MODULE(Conv##D##d);                                                                             \
  class ConvTranspose##D##dImpl : public ConvNdImpl<D, ConvTranspose##D##dImpl> {                    \
   public:                                                                                           \
    ConvTranspose##D##dImpl(std::int64_t in, std::int64_t out, torch::ExpandingArray<D> kernel_size) \
        : ConvTranspose##D##dImpl(torch::nn::ConvTransposeOptions<D>(in, out, kernel_size)) {}       \
    explicit ConvTranspose##D##dImpl(torch::nn::ConvTransposeOptions<D> options);                    \
    DTensor forward(const DTensor& input) { return convolve(input); }                                \
  };                                                                                                 \
  VS_MODULE(ConvTranspose##D##d)
VESCALE_CONV(1);
VESCALE_CONV(2);
VESCALE_CONV(3);
#undef VESCALE_CONV

/// Batch norm over inputs of 2 or 3 (D = 1), 4 (2) or 5 (3) dims. The statistics are those of the whole
/// batch.
template <std::size_t D, class Derived>
class BatchNormImplBase : public Cloneable<Derived> {
 public:
  explicit BatchNormImplBase(const BatchNormOptions& options);
  void reset() override;
  void reset_running_stats();
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  DTensor forward(const DTensor& input);

  BatchNormOptions options;
  DTensor weight;
  DTensor bias;
  DTensor running_mean;
  DTensor running_var;
  DTensor num_batches_tracked;
};

#define VESCALE_BATCH_NORM(D)                                                    \
  class BatchNorm##D##dImpl : public BatchNormImplBase<D, BatchNorm##D##dImpl> { \
   public:                                                                       \
    using BatchNormImplBase<D, BatchNorm##D##dImpl>::BatchNormImplBase;          \
  };                                                                             \
  VS_MODULE(BatchNorm##D##d)
VESCALE_BATCH_NORM(1);
VESCALE_BATCH_NORM(2);
VESCALE_BATCH_NORM(3);
#undef VESCALE_BATCH_NORM

}  // namespace nn
}  // namespace vescale
