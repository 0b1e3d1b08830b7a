#include "random/jump.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>

#include <vescale/rank_context.h>

#include "random/polynomial.h"

namespace vescale::rng {
namespace {

constexpr size_t window_bits = 4;
constexpr size_t patterns = 8;  // of a window: its first bit is 1
// Stretches of the polynomial that are worked on at once, so that the words they need stay in a near cache.
constexpr size_t tile_words = 2048;
constexpr size_t variant_words = tile_words + block_words;
constexpr size_t unrolled_blocks = (state_bits + window_bits + block_words) / block_words + 1;
constexpr size_t unrolled_words = unrolled_blocks * block_words;
constexpr size_t accumulators = 13;  // vectors that a pass keeps in registers

/// The sums of the words that each pattern takes, from `words` on: variants[p][i] is what a window of pattern
/// p at degree i adds to the first word.
[[gnu::always_inline]] inline void make_variants(const uint32_t* words, size_t count, uint32_t* variants) {
  for (size_t p = 0; p < patterns; ++p) {
    uint32_t* out = variants + p * variant_words;
    const uint32_t second = (p & 1U) != 0 ? ~0U : 0U;
    const uint32_t third = (p & 2U) != 0 ? ~0U : 0U;
    const uint32_t fourth = (p & 4U) != 0 ? ~0U : 0U;
    for (size_t i = 0; i < count; ++i) {
      out[i] = words[i] ^ (words[i + 1] & second) ^ (words[i + 2] & third) ^ (words[i + 3] & fourth);
    }
  }
}

/// Adds to each word of `sums` what `windows`, whose degrees count from `first`, take.
template <size_t lanes>
[[gnu::always_inline]] inline void add_windows(std::span<const uint32_t> windows, size_t first,
                                               const uint32_t* variants, uint32_t* sums) {
  using Lanes = uint32_t __attribute__((vector_size(lanes * sizeof(uint32_t))));
  static_assert(block_words % (accumulators * lanes) == 0);
  for (size_t at = 0; at < block_words; at += accumulators * lanes) {
    Lanes sum[accumulators];
    std::memcpy(sum, sums + at, sizeof(sum));
    for (const uint32_t window : windows) {
      const uint32_t* from =
          variants + (window % patterns) * variant_words + (window / patterns - first) + at;
      for (size_t i = 0; i < accumulators; ++i) {
        Lanes words;
        std::memcpy(&words, from + i * lanes, sizeof(words));
        sum[i] ^= words;
      }
    }
    std::memcpy(sums + at, sum, sizeof(sum));
  }
}

/// The words of `sums` as the windows make them of `unrolled`, the words of the stream.
template <size_t lanes>
[[gnu::always_inline]] inline void add_all(std::span<const uint32_t> windows, const uint32_t* unrolled,
                                           uint32_t* variants, uint32_t* sums) {
  for (size_t first = 0; first < state_bits; first += tile_words) {
    const auto end = std::partition_point(windows.begin(), windows.end(), [&](uint32_t window) {
      return window / patterns < first + tile_words;
    });
    const auto here = windows.first(static_cast<size_t>(end - windows.begin()));
    const size_t count = std::min(variant_words, unrolled_words - (window_bits - 1) - first);
    make_variants(unrolled + first, count, variants);
    add_windows<lanes>(here, first, variants, sums);
    windows = windows.subspan(here.size());
  }
}

using AddAll = void (*)(std::span<const uint32_t>, const uint32_t*, uint32_t*, uint32_t*);

void add_all_portable(std::span<const uint32_t> windows, const uint32_t* unrolled, uint32_t* variants,
                      uint32_t* sums) {
  add_all<4>(windows, unrolled, variants, sums);
}
#if defined(__x86_64__)
[[gnu::target("avx2")]] void add_all_avx2(std::span<const uint32_t> windows, const uint32_t* unrolled,
                                          uint32_t* variants, uint32_t* sums) {
  add_all<8>(windows, unrolled, variants, sums);
}
[[gnu::target("avx512f")]] void add_all_avx512(std::span<const uint32_t> windows, const uint32_t* unrolled,
                                               uint32_t* variants, uint32_t* sums) {
  add_all<16>(windows, unrolled, variants, sums);
}
#endif

AddAll add_all_by(VectorSet set) {
#if defined(__x86_64__)
  if (set == VectorSet::avx512) return &add_all_avx512;
  if (set == VectorSet::avx2) return &add_all_avx2;
#endif
  return &add_all_portable;
}

}  // namespace

Jump::Jump(uint64_t blocks) {
  // Applied one block further on: of a seed's block, the first word is not all of the stream.
  const Polynomial polynomial = power_of_x((blocks - 1) * block_words);
  for (size_t degree = 0; degree < state_bits; ++degree) {
    if (!coefficient(polynomial, degree)) continue;
    uint32_t pattern = 0;
    for (size_t i = 1; i < window_bits && degree + i < state_bits; ++i) {
      if (coefficient(polynomial, degree + i)) pattern |= 1U << (i - 1);
    }
    windows_.push_back(static_cast<uint32_t>(degree * patterns) + pattern);
    degree += window_bits - 1;
  }
}

void Jump::apply(BlockBuffer& block, VectorSet set) const {
  const auto memory = std::make_unique_for_overwrite<uint32_t[]>(unrolled_words + patterns * variant_words);
  for (size_t i = 0; i < unrolled_blocks; ++i) {
    next_block(block, set);
    std::copy_n(block.data(), block_words, memory.get() + i * block_words);
  }
  std::fill_n(block.data(), block_words, 0U);
  add_all_by(set)(windows_, memory.get(), memory.get() + unrolled_words, block.data());
}

JumpCache& JumpCache::of_rank() { return RankContext::current().slot<JumpCache>(); }

const Jump* JumpCache::find(uint64_t blocks) {
  // As far as making a jump and applying it takes.
  constexpr uint64_t pays_at_once = 8'000'000 / block_words;
  constexpr size_t most_entries = 64;  // of 16 KiB each
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.blocks == blocks; });
  const bool known = found != entries_.end();
  if (known) {
    entries_.splice(entries_.begin(), entries_, found);
  } else {
    if (entries_.size() == most_entries) entries_.pop_back();
    entries_.push_front({blocks, {}});
  }
  Entry& entry = entries_.front();
  if (entry.jump.empty() && (known || blocks >= pays_at_once)) entry.jump.emplace_back(blocks);
  return entry.jump.empty() ? nullptr : &entry.jump.front();
}

}  // namespace vescale::rng
