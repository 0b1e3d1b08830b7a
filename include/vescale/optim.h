#pragma once
/// Optimizers: LibTorch's own, each rank stepping its pieces.
///
/// The update of these optimizers is elementwise, so a piece's update is that part of the whole one. step()
/// first waits for sync_gradients(). Options, parameter groups and learning-rate schedulers are used as
/// LibTorch's.
#include <torch/optim.h>

#include <functional>
#include <memory>
#include <vector>

#include <vescale/dtensor.h>

namespace vescale {
namespace optim {

using torch::optim::AdagradOptions;
using torch::optim::AdamOptions;
using torch::optim::AdamWOptions;
using torch::optim::OptimizerOptions;
using torch::optim::RMSpropOptions;
using torch::optim::SGDOptions;

/// Parameters with options of their own.
class OptimizerParamGroup {
 public:
  OptimizerParamGroup(std::vector<DTensor> params) : params_(std::move(params)) {}  // NOLINT: as LibTorch's
  OptimizerParamGroup(std::vector<DTensor> params, std::unique_ptr<OptimizerOptions> options)
      : params_(std::move(params)), own_options_(std::move(options)) {}
  OptimizerParamGroup(const OptimizerParamGroup& other)
      : params_(other.params_), own_options_(other.has_options() ? other.options().clone() : nullptr) {}
  OptimizerParamGroup(OptimizerParamGroup&&) = default;
  OptimizerParamGroup& operator=(OptimizerParamGroup&&) = default;

  bool has_options() const { return inner_options_ != nullptr || own_options_ != nullptr; }
  OptimizerOptions& options() { return inner_options_ != nullptr ? *inner_options_ : *own_options_; }
  const OptimizerOptions& options() const {
    return inner_options_ != nullptr ? *inner_options_ : *own_options_;
  }
  std::vector<DTensor>& params() { return params_; }
  const std::vector<DTensor>& params() const { return params_; }

 private:
  friend class Optimizer;
  std::vector<DTensor> params_;
  std::unique_ptr<OptimizerOptions> own_options_;
  OptimizerOptions* inner_options_ = nullptr;  // once an optimizer has the group
};

class Optimizer {
 public:
  using LossClosure = std::function<DTensor()>;

  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// Sums the gradients that ranks hold parts of, then updates. Returns the closure's loss, if one is given.
  DTensor step(const LossClosure& closure = nullptr);
  void zero_grad(bool set_to_none = true);
  void add_param_group(const OptimizerParamGroup& group);
  void add_parameters(const std::vector<DTensor>& parameters);

  std::vector<OptimizerParamGroup>& param_groups() { return groups_; }
  const std::vector<OptimizerParamGroup>& param_groups() const { return groups_; }
  std::vector<DTensor>& parameters() { return groups_.front().params(); }
  const std::vector<DTensor>& parameters() const { return groups_.front().params(); }
  std::size_t size() const;
  OptimizerOptions& defaults() { return inner_->defaults(); }

  /// LibTorch's optimizer over the local pieces.
  torch::optim::Optimizer& local() { return *inner_; }
  const torch::optim::Optimizer& local() const { return *inner_; }
  /// Writes what LibTorch's optimizer over whole parameters writes, and reads it. Collective.
  void save(torch::serialize::OutputArchive& archive) const;
  void load(torch::serialize::InputArchive& archive);

 protected:
  /// Makes LibTorch's optimizer over these tensors with the class's default options.
  using Maker =
      std::function<std::unique_ptr<torch::optim::Optimizer>(std::vector<torch::optim::OptimizerParamGroup>)>;
  Optimizer(const std::vector<OptimizerParamGroup>& groups, Maker make);

 private:
  void attach(std::size_t group);
  /// An optimizer over full parameters with the full state.
  std::unique_ptr<torch::optim::Optimizer> gathered() const;

  Maker make_;
  std::vector<OptimizerParamGroup> groups_;
  std::unique_ptr<torch::optim::Optimizer> inner_;
};

/// `Base` is LibTorch's class, `Options` its options.
template <class Base, class Options>
class OptimizerOf : public Optimizer {
 public:
  OptimizerOf(const std::vector<OptimizerParamGroup>& groups, Options defaults)
      : Optimizer(groups, [defaults](std::vector<torch::optim::OptimizerParamGroup> local) {
          return std::make_unique<Base>(std::move(local), defaults);
        }) {}
  OptimizerOf(std::vector<DTensor> parameters, Options defaults)
      : OptimizerOf(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(parameters))},
                    std::move(defaults)) {}
};

#define VESCALE_OPTIMIZER(Name)                                                                             \
  class Name : public OptimizerOf<torch::optim::Name, Name##Options> {                                      \
   public:                                                                                                  \
    using OptimizerOf::OptimizerOf;                                                                         \
    explicit Name(std::vector<DTensor> parameters) : OptimizerOf(std::move(parameters), Name##Options()) {} \
  };
VESCALE_OPTIMIZER(Adagrad)
VESCALE_OPTIMIZER(Adam)
VESCALE_OPTIMIZER(AdamW)
VESCALE_OPTIMIZER(RMSprop)
#undef VESCALE_OPTIMIZER

/// SGD has no default learning rate.
class SGD : public OptimizerOf<torch::optim::SGD, SGDOptions> {
 public:
  using OptimizerOf::OptimizerOf;
};

/// LibTorch's schedulers change the options of the local optimizer.
class StepLR : public torch::optim::StepLR {
 public:
  StepLR(Optimizer& optimizer, unsigned step_size, double gamma = 0.1)
      : torch::optim::StepLR(optimizer.local(), step_size, gamma) {}
};

}  // namespace optim

}  // namespace vescale
