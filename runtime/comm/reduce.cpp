#include "comm/reduce.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <c10/util/complex.h>

#include <vescale/error.h>

namespace vescale::comm {
namespace {

// Small enough for the first-level cache together with a block of an input.
constexpr std::int64_t block_elements = 1024;

// Integers wrap around, as in LibTorch; the unsigned detour keeps that defined.
struct Add {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    } else {
      return a + b;
    }
  }
};

struct Multiply {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    } else {
      return a * b;
    }
  }
};

// `a != a` makes NaN win from either side.
struct Maximum {
  template <class T>
  T operator()(T a, T b) const {
    return (a > b || a != a) ? a : b;
  }
};

struct Minimum {
  template <class T>
  T operator()(T a, T b) const {
    return (a < b || a != a) ? a : b;
  }
};

template <class T, class Accumulator, class Combine>
void reduce_blocks(const std::vector<const void*>& inputs, std::int64_t count,
                   const std::vector<void*>& outputs, Combine combine, bool average) {
  Accumulator sum[block_elements];
  T result[block_elements];
  for (std::int64_t begin = 0; begin < count; begin += block_elements) {
    const std::int64_t length = std::min(block_elements, count - begin);
    const T* first = static_cast<const T*>(inputs[0]) + begin;
    for (std::int64_t i = 0; i < length; ++i) sum[i] = static_cast<Accumulator>(first[i]);
    for (std::size_t rank = 1; rank < inputs.size(); ++rank) {
      const T* next = static_cast<const T*>(inputs[rank]) + begin;
      for (std::int64_t i = 0; i < length; ++i) sum[i] = combine(sum[i], static_cast<Accumulator>(next[i]));
    }
    if constexpr (!std::is_integral_v<T>) {
      if (average) {
        const Accumulator ranks = static_cast<Accumulator>(static_cast<float>(inputs.size()));
        for (std::int64_t i = 0; i < length; ++i) sum[i] = sum[i] / ranks;
      }
    }
    for (std::int64_t i = 0; i < length; ++i) result[i] = static_cast<T>(sum[i]);
    for (void* output : outputs) {
      std::memcpy(static_cast<T*>(output) + begin, result, static_cast<std::size_t>(length) * sizeof(T));
    }
  }
}

template <class T, class Accumulator = T>
void reduce_ordered(ReduceOp op, const std::vector<const void*>& inputs, std::int64_t count,
                    const std::vector<void*>& outputs) {
  switch (op) {
    case ReduceOp::Sum:
      return reduce_blocks<T, Accumulator>(inputs, count, outputs, Add(), false);
    case ReduceOp::Avg:
      return reduce_blocks<T, Accumulator>(inputs, count, outputs, Add(), true);
    case ReduceOp::Prod:
      return reduce_blocks<T, Accumulator>(inputs, count, outputs, Multiply(), false);
    case ReduceOp::Max:
      return reduce_blocks<T, Accumulator>(inputs, count, outputs, Maximum(), false);
    case ReduceOp::Min:
      return reduce_blocks<T, Accumulator>(inputs, count, outputs, Minimum(), false);
  }
}

template <class T>
void reduce_unordered(ReduceOp op, const std::vector<const void*>& inputs, std::int64_t count,
                      const std::vector<void*>& outputs) {
  if (op == ReduceOp::Prod) return reduce_blocks<T, T>(inputs, count, outputs, Multiply(), false);
  reduce_blocks<T, T>(inputs, count, outputs, Add(), op == ReduceOp::Avg);
}

// On bytes that are 0 or 1, "or" is the maximum and "and" the minimum.
void reduce_bool(ReduceOp op, const std::vector<const void*>& inputs, std::int64_t count,
                 const std::vector<void*>& outputs) {
  const bool any = op == ReduceOp::Sum || op == ReduceOp::Max;
  reduce_ordered<std::uint8_t>(any ? ReduceOp::Max : ReduceOp::Min, inputs, count, outputs);
}

}  // namespace

const char* reduce_name(ReduceOp op) {
  switch (op) {
    case ReduceOp::Sum:
      return "sum";
    case ReduceOp::Avg:
      return "avg";
    case ReduceOp::Max:
      return "max";
    case ReduceOp::Min:
      return "min";
    case ReduceOp::Prod:
      return "prod";
  }
  return "?";
}

bool can_reduce(c10::ScalarType dtype, ReduceOp op) {
  using c10::ScalarType;
  switch (dtype) {
    case ScalarType::Float:
    case ScalarType::Double:
    case ScalarType::Half:
    case ScalarType::BFloat16:
      return true;
    case ScalarType::Bool:
    case ScalarType::Byte:
    case ScalarType::Char:
    case ScalarType::Short:
    case ScalarType::Int:
    case ScalarType::Long:
      return op != ReduceOp::Avg;
    case ScalarType::ComplexFloat:
    case ScalarType::ComplexDouble:
      return op != ReduceOp::Max && op != ReduceOp::Min;
    default:
      return false;
  }
}

void reduce(c10::ScalarType dtype, ReduceOp op, const std::vector<const void*>& inputs, std::int64_t count,
            const std::vector<void*>& outputs) {
  using c10::ScalarType;
  switch (dtype) {
    case ScalarType::Float:
      return reduce_ordered<float>(op, inputs, count, outputs);
    case ScalarType::Double:
      return reduce_ordered<double>(op, inputs, count, outputs);
    case ScalarType::Half:
      return reduce_ordered<c10::Half, float>(op, inputs, count, outputs);
    case ScalarType::BFloat16:
      return reduce_ordered<c10::BFloat16, float>(op, inputs, count, outputs);
    case ScalarType::Bool:
      return reduce_bool(op, inputs, count, outputs);
    case ScalarType::Byte:
      return reduce_ordered<std::uint8_t>(op, inputs, count, outputs);
    case ScalarType::Char:
      return reduce_ordered<std::int8_t>(op, inputs, count, outputs);
    case ScalarType::Short:
      return reduce_ordered<std::int16_t>(op, inputs, count, outputs);
    case ScalarType::Int:
      return reduce_ordered<std::int32_t>(op, inputs, count, outputs);
    case ScalarType::Long:
      return reduce_ordered<std::int64_t>(op, inputs, count, outputs);
    case ScalarType::ComplexFloat:
      return reduce_unordered<c10::complex<float>>(op, inputs, count, outputs);
    case ScalarType::ComplexDouble:
      return reduce_unordered<c10::complex<double>>(op, inputs, count, outputs);
    default:
      throw Error(std::string(reduce_name(op)) + " is not defined for " + c10::toString(dtype));
  }
}

}  // namespace vescale::comm
