#include <vescale/dtensor.h>

#include <ATen/WrapDimUtils.h>
#include <torch/csrc/autograd/autograd.h>

#include <ostream>

#include <vescale/mesh.h>
#include <vescale/redistribute.h>
#include <vescale/run.h>

#include "autograd/replicate_view.h"
#include "autograd/seeds.h"
#include "debug/options.h"
#include "tensor/access.h"
#include "tensor/layout_table.h"
#include "tensor/unplaced.h"

namespace vescale {
namespace {

std::vector<Placement> all_invariant() {
  return std::vector<Placement>(static_cast<std::size_t>(RankContext::current().mesh().num_axes()));
}

}  // namespace

DTensor::DTensor(const at::Tensor& replicated) : local_(replicated) {
  if (!replicated.defined()) return;
  layout_ = LayoutTable::current().invariant(replicated.sizes(), replicated.strides());
  if (vescale::options().check) {
    RankContext::current().mesh().world().check_equal(replicated.detach().contiguous());
  }
}

at::Tensor DTensor::full() const { return redistribute(*this, all_invariant()).local(); }

std::int64_t DTensor::size(std::int64_t dim) const {
  return sizes()[static_cast<std::size_t>(at::maybe_wrap_dim(dim, this->dim()))];
}

std::int64_t DTensor::stride(std::int64_t dim) const {
  return strides()[static_cast<std::size_t>(at::maybe_wrap_dim(dim, this->dim()))];
}

bool DTensor::is_contiguous(at::MemoryFormat format) const {
  if (format == at::MemoryFormat::Contiguous) return is_row_major(sizes(), strides());
  return numel() == 0 ||
         strides() == c10::IntArrayRef(at::empty(sizes(), at::TensorOptions(at::kMeta), format).strides());
}

at::MemoryFormat DTensor::suggest_memory_format() const {
  return at::empty_strided(sizes(), strides(), at::TensorOptions(at::kMeta)).suggest_memory_format();
}

at::Scalar DTensor::item() const {
  if (numel() != 1) {
    throw Error("item() needs a tensor of one element, but this one has sizes " + c10::str(sizes()));
  }
  const at::NoGradGuard no_grad;
  return full().item();
}

void DTensor::print() const { vescale::cout() << *this << '\n'; }

DTensor DTensor::grad() const {
  const at::Tensor& leaf = local();
  if (has_deferred_gradient(leaf)) sync_gradients();
  if (!leaf.grad().defined()) return {};
  return {leaf.grad(), gradient_layout(layout())};
}

void DTensor::set_grad(const DTensor& value) const {
  clear_deferred_gradient(local());
  if (!value.defined()) {
    local().mutable_grad().reset();
    return;
  }
  local().mutable_grad() = redistribute(value, gradient_layout(layout())->placements).local();
}

void DTensor::backward(const DTensor& gradient, std::optional<bool> retain_graph, bool create_graph) const {
  const Seed seed = seed_of(*this, gradient);
  seed.root.local().backward(seed.gradient, retain_graph, create_graph);
}

void DTensor::set_data(const DTensor& value) const {
  const DTensor placed = redistribute(value.detach(), placements());
  const_cast<at::Tensor&>(local()).set_data(placed.local());
  // Handles of a module's tensor stay able to follow a later placement.
  if (placed.layout() != layout()) DTensorAccess::set_layout(*this, placed.layout());
}

const Layout* DTensor::placed_layout() const {
  if (layout_->placed_as == layout_) materialize();
  return layout_->placed_as;
}

void DTensor::materialize() const { place_unplaced(*this, all_invariant()); }

void DTensor::throw_undefined() {
  throw Error("this DTensor is undefined: it has no sizes, placement or values");
}

std::ostream& operator<<(std::ostream& out, const DTensor& tensor) {
  if (!tensor.defined()) return out << at::Tensor();
  const at::NoGradGuard no_grad;
  return out << tensor.full();
}

}  // namespace vescale
