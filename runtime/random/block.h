#pragma once
/// mt19937 in blocks of 624 words, as LibTorch's engine keeps them: raw words, before the output tempering.

#include <array>
#include <cstddef>
#include <cstdint>

namespace vescale::rng {

inline constexpr size_t block_words = 624;

/// A block of the stream, and room for the vector code to work in.
using BlockBuffer = std::array<uint32_t, block_words + 16>;

/// The vector instructions that the word kernels use on this machine.
enum class VectorSet { portable, avx2, avx512 };
VectorSet vector_set();

/// Replaces the block by the next one of the stream.
void next_block(BlockBuffer& block);

/// As next_block, by the instructions of `set`, which the machine must have.
void next_block(BlockBuffer& block, VectorSet set);

}  // namespace vescale::rng
