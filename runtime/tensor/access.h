#pragma once
/// What the runtime may do to a DTensor that users may not.
#include <vescale/dtensor.h>

namespace vescale {

struct DTensorAccess {
  /// The local tensor as it is, also of a parameter that is not placed yet.
  static const at::Tensor& raw_local(const DTensor& x) { return x.local_; }
  static const Layout* raw_layout(const DTensor& x) { return x.layout_; }
  static const std::shared_ptr<const MovedView>& moved_view(const DTensor& x) { return x.moved_; }
  static void set_moved_view(DTensor& x, std::shared_ptr<const MovedView> moved) {
    x.moved_ = std::move(moved);
  }
  static void set_layout(const DTensor& x, const Layout* layout) { const_cast<DTensor&>(x).layout_ = layout; }
};

}  // namespace vescale
