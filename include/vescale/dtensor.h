#pragma once
/// The distributed tensor: a local torch::Tensor and a pointer to an interned Layout.
///
/// Sizes, strides and values that a DTensor shows are global: `size()`, `numel()`, `item()`, printing.
/// `local()` and `full()` are explicit. Copies share the local tensor, as copies of torch::Tensor do.
///
///   vs::DTensor x = vs::shard(vs::randn({6, 4}), "dp", 0);   // from replicated to dp=S(0)
///   auto y = vs::relu(x).sum().item<double>();               // the global sum, on every rank
#include <ATen/ATen.h>

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <vescale/error.h>
#include <vescale/sharding/layout.h>

namespace vescale {

class DTensor;
namespace indexing {
struct TensorIndex;
}
class Generator;
struct MovedView;

class DTensor {
 public:
  DTensor() noexcept {}  // not defaulted: default arguments of the class's own methods need it before its end
  /// A tensor of un-distributed code (data loader, file): the same on every rank, so R on every axis.
  /// With VESCALE_CHECK=1 the ranks verify that.
  DTensor(const at::Tensor& replicated);  // NOLINT(google-explicit-constructor): host values cross implicitly
  /// `local` is this rank's piece of a tensor of `layout`; its sizes must be local_sizes(layout, coordinate).
  DTensor(at::Tensor local, const Layout* layout) : local_(std::move(local)), layout_(layout) {}

  bool defined() const { return local_.defined(); }
  void reset() { *this = DTensor(); }

  /// The interned layout; of a parameter under construction this places it as R.
  const Layout* layout() const {
    return layout_ == nullptr || layout_->placed_as == nullptr ? layout_ : placed_layout();
  }
  const std::vector<Placement>& placements() const { return layout()->placements; }
  /// This rank's piece; part of the autograd graph.
  const at::Tensor& local() const {
    if (layout_ != nullptr && layout_->placed_as == layout_) materialize();
    return local_;
  }
  /// The whole value on each rank. Collective; part of the autograd graph.
  at::Tensor full() const;

  // Global metadata.
  at::IntArrayRef sizes() const { return shape_layout()->sizes; }
  std::int64_t size(std::int64_t dim) const;
  at::IntArrayRef strides() const { return shape_layout()->strides; }
  std::int64_t stride(std::int64_t dim) const;
  std::int64_t dim() const { return shape_layout()->dim(); }
  std::int64_t ndimension() const { return dim(); }
  std::int64_t numel() const { return shape_layout()->numel(); }
  bool is_contiguous(at::MemoryFormat format = at::MemoryFormat::Contiguous) const;
  at::MemoryFormat suggest_memory_format() const;
  std::size_t nbytes() const { return static_cast<std::size_t>(numel()) * local_.element_size(); }
  std::size_t itemsize() const { return local_.itemsize(); }
  std::int64_t element_size() const { return static_cast<std::int64_t>(local_.itemsize()); }
  at::ScalarType scalar_type() const { return local_.scalar_type(); }
  caffe2::TypeMeta dtype() const { return local_.dtype(); }
  at::Device device() const { return local_.device(); }
  at::Layout memory_layout() const { return local_.layout(); }
  at::TensorOptions options() const { return local_.options(); }
  bool is_floating_point() const { return at::isFloatingType(scalar_type()); }
  bool is_complex() const { return at::isComplexType(scalar_type()); }
  bool is_signed() const { return local_.is_signed(); }
  bool is_cuda() const { return local_.is_cuda(); }
  bool is_cpu() const { return local_.is_cpu(); }
  bool is_sparse() const { return local_.is_sparse(); }
  bool is_same(const DTensor& other) const { return local_.is_same(other.local_); }
  std::size_t use_count() const noexcept { return local_.use_count(); }
  at::TensorImpl* unsafeGetTensorImpl() const { return local_.unsafeGetTensorImpl(); }
  std::string toString() const { return local_.toString(); }

  /// The single value, global, equal on every rank. Collective.
  at::Scalar item() const;
  template <class T>
  T item() const {
    return item().to<T>();
  }
  explicit operator bool() const = delete;
  void print() const;

  // Autograd: LibTorch's, on local tensors.
  bool requires_grad() const { return local_.requires_grad(); }
  const DTensor& set_requires_grad(bool value) const {
    local_.set_requires_grad(value);
    return *this;
  }
  DTensor& requires_grad_(bool value = true) const {
    local_.set_requires_grad(value);
    return const_cast<DTensor&>(*this);
  }
  bool is_leaf() const { return local_.is_leaf(); }
  std::int64_t output_nr() const { return local_.output_nr(); }
  std::int64_t _version() const { return local_._version(); }
  void retain_grad() const { local_.retain_grad(); }
  bool retains_grad() const { return local_.retains_grad(); }
  std::shared_ptr<torch::autograd::Node> grad_fn() const { return local_.grad_fn(); }
  /// d(loss)/d(this), summed over every rank's part; undefined if there is none. Waits for sync_gradients().
  DTensor grad() const;
  /// Replaces (or with an undefined tensor drops) the gradient.
  void set_grad(const DTensor& value) const;
  /// From this value as one does on a single device: a Partial value is reduced first.
  void backward(const DTensor& gradient = {}, std::optional<bool> retain_graph = std::nullopt,
                bool create_graph = false) const;
  DTensor detach() const { return {local().detach(), layout()}; }
  DTensor data() const { return {local().variable_data(), layout()}; }
  DTensor variable_data() const { return data(); }
  DTensor tensor_data() const { return {local().tensor_data(), layout()}; }
  void set_data(const DTensor& value) const;
  /// `hook` gets the gradient as a DTensor of the gradient's layout and may return another.
  template <class Hook>
  unsigned register_hook(Hook&& hook) const;

#include <vescale/dtensor_methods.inc>
#include <vescale/generated/methods.inc>

 private:
  friend struct DTensorAccess;
  const Layout* placed_layout() const;
  void materialize() const;
  const Layout* shape_layout() const {
    if (layout_ == nullptr) throw_undefined();
    return layout_;
  }
  [[noreturn]] static void throw_undefined();

  at::Tensor local_;
  const Layout* layout_ = nullptr;
  /// Set where a view had to be a copy, because its elements were on other ranks: what a write to it must
  /// reach.
  std::shared_ptr<const MovedView> moved_;
};

/// Prints the full value, as LibTorch prints it. Collective.
std::ostream& operator<<(std::ostream& out, const DTensor& tensor);

template <class Hook>
unsigned DTensor::register_hook(Hook&& hook) const {
  const Layout* gradient_layout_of(const Layout*);
  const Layout* layout = gradient_layout_of(this->layout());
  return local_.register_hook(
      [hook = std::forward<Hook>(hook), layout](const at::Tensor& gradient) -> at::Tensor {
        if constexpr (std::is_void_v<std::invoke_result_t<Hook, DTensor>>) {
          hook(DTensor(gradient, layout));
          return {};
        } else {
          return hook(DTensor(gradient, layout)).local();
        }
      });
}

}  // namespace vescale

namespace vs = vescale;  // NOLINT: the alias is the documented name
