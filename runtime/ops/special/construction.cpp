// Factories and fills that a module under construction only records: its tensors are not placed yet.
#include <vescale/generated/special.h>

#include "ops/call.h"
#include "ops/generated_support.h"
#include "ops/special/random_values.h"
#include "tensor/access.h"
#include "tensor/unplaced.h"

namespace vescale::special {
namespace {

using Dtype = std::optional<at::ScalarType>;
using MemoryLayout = std::optional<at::Layout>;
using Device = std::optional<at::Device>;
using Pin = std::optional<bool>;

PieceFiller constant(at::Scalar value) {
  return [value](const at::Tensor& local, const RankLayout&) { local.fill_(value); };
}

}  // namespace

DTensor empty_memory_format(at::IntArrayRef size, Dtype dtype, MemoryLayout layout, Device device, Pin pin,
                            std::optional<at::MemoryFormat> format) {
  if (under_construction()) return make_unplaced(size, tensor_options(dtype, layout, device, pin), nullptr);
  return call<at::_ops::empty_memory_format>(sym(size), dtype, layout, device, pin, format);
}
DTensor zeros(at::IntArrayRef size, Dtype dtype, MemoryLayout layout, Device device, Pin pin) {
  if (under_construction())
    return make_unplaced(size, tensor_options(dtype, layout, device, pin), constant(0));
  return call<at::_ops::zeros>(sym(size), dtype, layout, device, pin);
}
DTensor ones(at::IntArrayRef size, Dtype dtype, MemoryLayout layout, Device device, Pin pin) {
  if (under_construction())
    return make_unplaced(size, tensor_options(dtype, layout, device, pin), constant(1));
  return call<at::_ops::ones>(sym(size), dtype, layout, device, pin);
}
DTensor full(at::IntArrayRef size, const at::Scalar& value, Dtype dtype, MemoryLayout layout, Device device,
             Pin pin) {
  if (under_construction()) {
    const bool integral = value.isIntegral(/*includeBool=*/false);
    const at::ScalarType own = value.isBoolean() ? at::kBool
                               : integral        ? at::kLong
                                                 : at::get_default_dtype_as_scalartype();
    return make_unplaced(size, tensor_options(dtype.value_or(own), layout, device, pin), constant(value));
  }
  return call<at::_ops::full>(sym(size), value, dtype, layout, device, pin);
}
DTensor& zero_(DTensor& self) {
  if (is_unplaced(self)) {
    record_fill(self, constant(0));
    return self;
  }
  return call_inplace<at::_ops::zero_>(self);
}
DTensor& fill__Scalar(DTensor& self, const at::Scalar& value) {
  if (is_unplaced(self)) {
    record_fill(self, constant(value));
    return self;
  }
  return call_inplace<at::_ops::fill__Scalar>(self, value);
}

}  // namespace vescale::special
