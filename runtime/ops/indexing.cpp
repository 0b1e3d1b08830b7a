// Indexing composed of select, slice, unsqueeze and index, whose rules know how they shard.
#include <vescale/indexing.h>

#include <cstring>
#include <vector>

#include <vescale/ops.h>

namespace vescale {
namespace {

using indexing::EllipsisIndexType;
using indexing::Slice;
using indexing::TensorIndex;

bool is_mask(const DTensor& index) {
  return index.scalar_type() == at::kBool || index.scalar_type() == at::kByte;
}

/// Dims of the indexed tensor that an index takes up.
std::int64_t dims_of(const TensorIndex& index) {
  if (const auto* tensor = std::get_if<DTensor>(&index.value)) return is_mask(*tensor) ? tensor->dim() : 1;
  return std::holds_alternative<std::int64_t>(index.value) || std::holds_alternative<Slice>(index.value) ? 1
                                                                                                         : 0;
}

/// The indices applied from left to right: a view of the tensor, and per dim of the view the tensor that
/// indexes it. A mask over several dims is one entry.
class Indexed {
 public:
  Indexed(const DTensor& self, c10::ArrayRef<TensorIndex> indices) : view(self) {
    std::int64_t specified = 0;
    for (const TensorIndex& index : indices) specified += dims_of(index);
    TORCH_CHECK_INDEX(specified <= self.dim(), "too many indices for tensor of dimension ", self.dim());
    unspecified_ = self.dim() - specified;
    for (position_ = 0; position_ < indices.size(); ++position_) {
      std::visit([this](const auto& value) { apply(value); }, indices[position_].value);
    }
    while (!tensors.empty() && !tensors.back()) tensors.pop_back();
  }

  DTensor view;
  std::vector<std::optional<DTensor>> tensors;

 private:
  void keep_dims(std::int64_t count) {
    tensors.resize(tensors.size() + count);
    dim_ += count;
  }
  void apply(std::nullopt_t) {
    view = view.unsqueeze(dim_);
    keep_dims(1);
  }
  void apply(EllipsisIndexType) {
    keep_dims(unspecified_);
    unspecified_ = 0;
  }
  void apply(std::int64_t index) {
    const std::int64_t size = view.size(dim_);
    TORCH_CHECK_INDEX(-size <= index && index < size, "index ", index, " is out of bounds for dimension ",
                      position_, " with size ", size);
    view = view.select(dim_, index);
  }
  void apply(const Slice& slice) {
    const std::int64_t start = slice.start().expect_int(), stop = slice.stop().expect_int();
    const std::int64_t step = slice.step().expect_int();
    TORCH_CHECK_VALUE(step > 0, "step must be greater than zero");
    if (start != 0 || stop < view.size(dim_) || step != 1) view = view.slice(dim_, start, stop, step);
    keep_dims(1);
  }
  /// A boolean is a new dim of size 1 that is kept whole or emptied.
  void apply(bool flag) {
    view = view.unsqueeze(dim_);
    add(vescale::zeros({flag ? 1 : 0}, view.options().dtype(at::kLong).requires_grad(std::nullopt)), 1);
  }
  void apply(const DTensor& index) {
    const bool integral = at::isIntegralType(index.scalar_type(), /*includeBool=*/true);
    if (index.dim() > 0 || !integral) {
      add(index, is_mask(index) ? index.dim() : 1);
    } else if (is_mask(index)) {
      apply(index.item().to<bool>());
    } else {
      apply(index.item().to<std::int64_t>());
    }
  }
  void add(const DTensor& tensor, std::int64_t dims) {
    tensors.emplace_back(tensor);
    dim_ += dims;
  }

  std::int64_t dim_ = 0;          // the dim of `view` that the next index is about
  std::int64_t unspecified_ = 0;  // dims that an ellipsis stands for
  std::size_t position_ = 0;
};

/// `value` without its leading dims of size 1, which NumPy lets an assignment have in excess.
DTensor without_leading_ones(const DTensor& value) {
  std::size_t ones = 0;
  while (ones < value.sizes().size() && value.sizes()[ones] == 1) ++ones;
  return ones == 0 ? value : value.view(value.sizes().slice(ones));
}

bool writes_nothing(c10::ArrayRef<TensorIndex> indices) {
  const bool* flag = indices.size() == 1 ? std::get_if<bool>(&indices[0].value) : nullptr;
  return flag != nullptr && !*flag;
}

}  // namespace

indexing::TensorIndex::TensorIndex(const char* text) : value(EllipsisIndexType()) {
  TORCH_CHECK_VALUE(std::strcmp(text, "...") == 0,
                    "Expected \"...\" to represent an ellipsis index, but got \"", text, "\"");
}

DTensor DTensor::index(c10::ArrayRef<TensorIndex> indices) const {
  Indexed indexed(*this, indices);
  if (!indexed.tensors.empty()) return indexed.view.index(indexed.tensors);
  return indexed.view.is_same(*this) ? vescale::alias(*this) : indexed.view;
}

DTensor DTensor::index(std::initializer_list<TensorIndex> indices) const {
  return index(c10::ArrayRef<TensorIndex>(indices));
}

DTensor& DTensor::index_put_(c10::ArrayRef<TensorIndex> indices, const DTensor& value) {
  if (writes_nothing(indices)) return *this;
  const Indexed indexed(*this, indices);
  if (!indexed.tensors.empty()) {
    indexed.view.index_put_(indexed.tensors, without_leading_ones(value));
  } else if (indexed.view.sizes() == value.sizes()) {
    indexed.view.copy_(value);
  } else {
    indexed.view.copy_(without_leading_ones(value));
  }
  return *this;
}

DTensor& DTensor::index_put_(c10::ArrayRef<TensorIndex> indices, const at::Scalar& value) {
  if (writes_nothing(indices)) return *this;
  const Indexed indexed(*this, indices);
  if (indexed.tensors.empty()) {
    indexed.view.fill_(value);
  } else {
    indexed.view.index_put_(indexed.tensors,
                            vescale::scalar_tensor(value, options().requires_grad(std::nullopt)));
  }
  return *this;
}

DTensor& DTensor::index_put_(std::initializer_list<TensorIndex> indices, const DTensor& value) {
  return index_put_(c10::ArrayRef<TensorIndex>(indices), value);
}

DTensor& DTensor::index_put_(std::initializer_list<TensorIndex> indices, const at::Scalar& value) {
  return index_put_(c10::ArrayRef<TensorIndex>(indices), value);
}

DTensor DTensor::operator[](const at::Scalar& index) const {
  TORCH_CHECK_INDEX(index.isIntegral(/*includeBool=*/false), "Can only index tensors with integral scalars");
  return (*this)[index.toLong()];
}

DTensor DTensor::operator[](const DTensor& index) const {
  TORCH_CHECK_INDEX(index.defined(), "Can only index with tensors that are defined");
  TORCH_CHECK_INDEX(index.dim() == 0, "Can only index with tensors that are scalars (zero-dim)");
  return (*this)[index.item()];
}

DTensor& DTensor::operator=(const DTensor& value) && { return copy_(value); }
DTensor& DTensor::operator=(DTensor&& value) && { return copy_(value); }
DTensor& DTensor::operator=(const at::Scalar& value) && { return fill_(value); }

}  // namespace vescale
