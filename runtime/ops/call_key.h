#pragma once
/// The key of a call in an op's cache: the layouts of its tensors and the arguments that shardings can depend
/// on.
#include <ATen/ATen.h>
#include <c10/util/SmallVector.h>

#include <vescale/dtensor.h>

namespace vescale::detail {

/// As an index such a tensor picks elements by what is true: the result's size depends on values.
inline bool is_mask(at::ScalarType type) { return type == at::kBool || type == at::kByte; }

/// Scalars, doubles, dtypes, devices and generators never decide a layout, so they are not in a key: a
/// learning rate that changes every step must not fill the cache.
class CallKey {
 public:
  void add(const DTensor& x) {
    if (!x.defined()) return word(0);
    // A layout is aligned, so its lowest bits are free to say whether R and R+ differ for this tensor, and
    // whether it is a mask.
    const auto kind = static_cast<std::uintptr_t>(is_differentiable(x)) |
                      static_cast<std::uintptr_t>(is_mask(x.scalar_type())) << 1;
    word(reinterpret_cast<std::uintptr_t>(x.layout()) | kind);
  }
  void add(const std::optional<DTensor>& x) { x ? add(*x) : word(0); }
  void add(c10::ArrayRef<DTensor> list) { add_list(list); }
  void add(const std::vector<std::optional<DTensor>>& list) { add_list(list); }
  void add(std::int64_t x) { word(static_cast<std::uint64_t>(x)); }
  void add(bool x) { word(x); }
  void add(const c10::SymInt& x) { word(static_cast<std::uint64_t>(x.expect_int())); }
  void add(at::MemoryFormat x) { word(static_cast<std::uint64_t>(x)); }
  void add(c10::IntArrayRef list) { add_list(list); }
  void add(c10::SymIntArrayRef list) { add_list(list); }
  void add(c10::string_view text) {
    word(text.size());
    for (char c : text) word(static_cast<unsigned char>(c));
  }
  void add(at::OptionalIntArrayRef list) { list ? add(*list) : word(absent); }
  void add(at::OptionalSymIntArrayRef list) { list ? add(*list) : word(absent); }
  void add(const std::optional<std::int64_t>& x) { x ? add(*x) : word(absent); }
  void add(const std::optional<c10::SymInt>& x) { x ? add(*x) : word(absent); }
  void add(const std::optional<bool>& x) { word(x ? *x : absent); }
  void add(const std::optional<at::MemoryFormat>& x) { x ? add(*x) : word(absent); }
  void add(const std::optional<c10::string_view>& x) { x ? add(*x) : word(absent); }
  template <class Other>
  void add(const Other&) {}

  friend bool operator==(const CallKey& a, const CallKey& b) {
    return a.words_.size() == b.words_.size() &&
           std::memcmp(a.words_.data(), b.words_.data(), a.words_.size() * sizeof(std::uint64_t)) == 0;
  }

 private:
  static constexpr std::uint64_t absent = 0x8000000000000001ULL;

  static bool is_differentiable(const DTensor& x) { return x.is_floating_point() || x.is_complex(); }
  void word(std::uint64_t w) { words_.push_back(w); }
  template <class List>
  void add_list(const List& list) {
    word(list.size());
    for (const auto& element : list) add(element);
  }

  c10::SmallVector<std::uint64_t, 16> words_;
};

}  // namespace vescale::detail
