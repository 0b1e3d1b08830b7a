#include <vescale/error.h>

#include "Sharding/Notation.h"

namespace vescale::sharding {
namespace {

// A tensor of the call and the operand that describes it.
struct Bound {
  std::size_t operand;
  const TensorFacts* facts;
};

class Application {
 public:
  Application(const Notation& notation, const std::vector<Argument>& arguments) : notation_(notation) {
    bind(arguments);
    align_batch();
    make_factors();
    read_sizes();
  }

  ShardingRule rule() && {
    for (std::size_t i = 0; i < bound_.size(); ++i) {
      rule_.inputs.push_back(input_factors(i));
      rule_.linear_inputs.push_back(is_linear(bound_[i].operand));
    }
    if (notation_.linear_operands().empty()) rule_.linear_inputs.clear();
    rule_.linearity = notation_.linearity();
    for (const Notation::Tensor& result : notation_.results()) add_output(result);
    return std::move(rule_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error("sharding rule \"" + notation_.text() + "\": " + what);
  }

  const Notation::Tensor& operand(std::size_t bound) const {
    return notation_.operands()[bound_[bound].operand];
  }

  bool is_linear(std::size_t operand) const {
    for (int index : notation_.linear_operands()) {
      if (static_cast<std::size_t>(index) == operand) return true;
    }
    return false;
  }

  void bind(const std::vector<Argument>& arguments) {
    const std::vector<Notation::Tensor>& operands = notation_.operands();
    if (arguments.size() > operands.size()) {
      fail("it has " + std::to_string(operands.size()) + " operands, but the call has " +
           std::to_string(arguments.size()));
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (i >= arguments.size() || std::holds_alternative<std::monostate>(arguments[i])) {
        if (!operands[i].optional) fail("operand " + std::to_string(i) + " is missing and not optional");
      } else if (const auto* tensor = std::get_if<TensorFacts>(&arguments[i])) {
        if (operands[i].list) fail("operand " + std::to_string(i) + " is a list, the call has a tensor");
        bound_.push_back({i, tensor});
      } else if (const auto* list = std::get_if<std::vector<std::optional<TensorFacts>>>(&arguments[i])) {
        if (!operands[i].list) fail("operand " + std::to_string(i) + " is a tensor, the call has a list");
        for (const std::optional<TensorFacts>& tensor : *list) {
          if (tensor) bound_.push_back({i, &*tensor});
        }
      } else {
        fail("argument " + std::to_string(i) + " of the call is no tensor");
      }
    }
  }

  bool is_batch(const Notation::Dim& dim) const {
    return dim.size() == 1 && dim.front() == notation_.batch_symbol() && notation_.batch_symbol() >= 0;
  }

  std::size_t batch_rank(std::size_t bound) const {
    return bound_[bound].facts->sizes.size() + 1 - operand(bound).dims.size();
  }

  // Whether a tensor has batch dims; checks its number of dims.
  bool has_batch(std::size_t bound) const {
    const std::size_t rank = bound_[bound].facts->sizes.size();
    const std::size_t written = operand(bound).dims.size();
    bool batch = false;
    for (const Notation::Dim& dim : operand(bound).dims) batch |= is_batch(dim);
    if (batch ? rank + 1 < written : rank != written) {
      fail("operand " + std::to_string(bound_[bound].operand) + " has " + (batch ? "at least " : "") +
           std::to_string(written - batch) + " dims, the tensor has " + std::to_string(rank));
    }
    return batch;
  }

  // The first batch dim of a tensor.
  std::size_t batch_start(std::size_t bound) const {
    std::size_t d = 0;
    while (!is_batch(operand(bound).dims[d])) ++d;
    return d;
  }

  void align_batch() {
    for (std::size_t i = 0; i < bound_.size(); ++i) {
      batched_.push_back(has_batch(i));
      for (std::int64_t size : bound_[i].facts->sizes) all_known_ &= size != unknown_size;
      if (batched_[i] && batch_rank(i) > batch_sizes_.size()) batch_sizes_.resize(batch_rank(i), 1);
    }
    for (std::size_t i = 0; i < bound_.size(); ++i) {
      if (!batched_[i]) continue;
      for (std::size_t b = 0; b < batch_rank(i); ++b) {
        widen(i, batch_sizes_[batch_sizes_.size() - batch_rank(i) + b],
              bound_[i].facts->sizes[batch_start(i) + b]);
      }
    }
  }

  void widen(std::size_t bound, std::int64_t& common, std::int64_t size) const {
    if (size == 1 || size == common) return;
    if (common == 1 || common == unknown_size) {
      common = size;
    } else if (size != unknown_size) {
      fail("operand " + std::to_string(bound_[bound].operand) + " has a batch dim of size " +
           std::to_string(size) + ", others have " + std::to_string(common));
    }
  }

  void make_factors() {
    for (std::size_t s = 0; s < notation_.symbols().size(); ++s) {
      first_factor_.push_back(static_cast<int>(rule_.factors.size()));
      const Factor& factor = notation_.symbols()[s].factor;
      if (static_cast<int>(s) != notation_.batch_symbol()) {
        rule_.factors.push_back(factor);
        continue;
      }
      for (std::int64_t size : batch_sizes_) {
        rule_.factors.push_back(factor);
        rule_.factors.back().size = size;
      }
    }
  }

  // Calls with each written dim that is not '...' and the size that the tensor has there.
  template <class Visit>
  void for_each_dim(Visit visit) const {
    for (std::size_t i = 0; i < bound_.size(); ++i) {
      std::size_t d = 0;
      for (const Notation::Dim& dim : operand(i).dims) {
        if (is_batch(dim)) {
          d += batch_rank(i);
        } else {
          visit(i, dim, bound_[i].facts->sizes[d++]);
        }
      }
    }
  }

  // Single factors first; then each round may find the one unknown factor of a product.
  void read_sizes() {
    for_each_dim([&](std::size_t i, const Notation::Dim& dim, std::int64_t size) {
      if (size == unknown_size || dim.size() > 1) return;
      if (dim.size() == 1) return set_size(i, dim.front(), size);
      if (size != 1) {
        fail("operand " + std::to_string(bound_[i].operand) + " has a dim of size " + std::to_string(size) +
             " where the rule has 1");
      }
    });
    for (std::size_t round = 0; round <= rule_.factors.size(); ++round) {
      for_each_dim([&](std::size_t i, const Notation::Dim& dim, std::int64_t size) {
        if (size != unknown_size && dim.size() > 1) read_product(i, dim, size);
      });
    }
    for_each_dim([&](std::size_t i, const Notation::Dim& dim, std::int64_t size) {
      if (size != unknown_size && dim.size() > 1) check_told(i, dim, size);
    });
  }

  void set_size(std::size_t bound, int symbol, std::int64_t size) {
    std::int64_t& known = rule_.factors[first_factor_[symbol]].size;
    if (known != unknown_size && known != size) {
      fail("'" + notation_.symbols()[symbol].name + "' is " + std::to_string(known) + " elsewhere, but " +
           std::to_string(size) + " in operand " + std::to_string(bound_[bound].operand));
    }
    known = size;
  }

  void read_product(std::size_t bound, const Notation::Dim& dim, std::int64_t size) {
    std::int64_t product = 1;
    int missing = -1;
    for (int symbol : dim) {
      const std::int64_t factor = rule_.factors[first_factor_[symbol]].size;
      if (factor == unknown_size && missing >= 0) return;
      if (factor == unknown_size) {
        missing = symbol;
      } else {
        product *= factor;
      }
    }
    if (missing >= 0 && product == 0 && size == 0) return;
    if (missing >= 0 && product != 0 && size % product == 0) return set_size(bound, missing, size / product);
    if (missing >= 0 || product != size) {
      fail("a dim of size " + std::to_string(size) + " in operand " + std::to_string(bound_[bound].operand) +
           " is not made of factors whose product is " + std::to_string(product));
    }
  }

  // Known sizes must tell those of all factors; the parts of an empty dim may have any.
  void check_told(std::size_t bound, const Notation::Dim& dim, std::int64_t size) {
    for (int symbol : dim) {
      std::int64_t& factor = rule_.factors[first_factor_[symbol]].size;
      if (factor != unknown_size) continue;
      if (size == 0) {
        factor = 0;
      } else if (all_known_) {
        fail("the shapes don't tell the size of '" + notation_.symbols()[symbol].name +
             "', a part of a dim of size " + std::to_string(size) + " in operand " +
             std::to_string(bound_[bound].operand));
      }
    }
  }

  DimFactors factors_of(const Notation::Dim& dim) const {
    DimFactors result;
    for (int symbol : dim) result.push_back(first_factor_[symbol]);
    return result;
  }

  TensorFactors input_factors(std::size_t bound) const {
    TensorFactors tensor;
    tensor.additive = operand(bound).additive;
    for (const Notation::Dim& dim : operand(bound).dims) {
      if (!is_batch(dim)) {
        tensor.dims.push_back(factors_of(dim));
        continue;
      }
      const std::size_t rank = batch_rank(bound);
      const std::size_t skipped = batch_sizes_.size() - rank;
      for (std::size_t b = 0; b < rank; ++b) {
        const bool broadcast =
            bound_[bound].facts->sizes[tensor.dims.size()] == 1 && batch_sizes_[skipped + b] != 1;
        tensor.dims.push_back(broadcast ? DimFactors{} : DimFactors{batch_factor(skipped + b)});
      }
    }
    return tensor;
  }

  int batch_factor(std::size_t position) const {
    return first_factor_[notation_.batch_symbol()] + static_cast<int>(position);
  }

  void add_output(const Notation::Tensor& result) {
    TensorFactors tensor;
    for (const Notation::Dim& dim : result.dims) {
      if (!is_batch(dim)) {
        tensor.dims.push_back(factors_of(dim));
        continue;
      }
      for (std::size_t b = 0; b < batch_sizes_.size(); ++b) tensor.dims.push_back({batch_factor(b)});
    }
    std::vector<std::int64_t> sizes;
    for (const DimFactors& dim : tensor.dims) {
      std::int64_t size = 1;
      for (int factor : dim) {
        const std::int64_t next = rule_.factors[factor].size;
        size = size == unknown_size || next == unknown_size ? unknown_size : size * next;
      }
      sizes.push_back(size);
    }
    rule_.outputs.push_back(std::move(tensor));
    rule_.output_sizes.push_back(std::move(sizes));
  }

  const Notation& notation_;
  std::vector<Bound> bound_;
  std::vector<bool> batched_;              // per bound tensor
  std::vector<std::int64_t> batch_sizes_;  // common sizes of the batch dims
  std::vector<int> first_factor_;          // per symbol
  bool all_known_ = true;                  // all sizes of all tensors
  ShardingRule rule_;
};

}  // namespace

ShardingRule Notation::apply(const std::vector<Argument>& arguments) const {
  return Application(*this, arguments).rule();
}

}  // namespace vescale::sharding
