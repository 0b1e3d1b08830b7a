#include "random/polynomial.h"

#include <algorithm>
#include <bit>

namespace vescale::rng {
namespace {

// Found by the Berlekamp-Massey algorithm from 2 x 19937 bits of a stream; a test finds them again.
constexpr uint16_t exponents[] = {
    19937, 19314, 19087, 18860, 18691, 18633, 18406, 18237, 18179, 18068, 17952, 17841, 17783, 17725, 17498,
    17445, 17329, 17271, 17160, 17044, 16933, 16875, 16822, 16817, 16595, 16590, 16537, 16421, 16368, 16363,
    16252, 16141, 16136, 16025, 15967, 15909, 15682, 15629, 15576, 15513, 15455, 15349, 15344, 15228, 15117,
    15059, 15006, 15001, 14953, 14779, 14774, 14721, 14605, 14552, 14547, 14436, 14325, 14320, 14209, 14151,
    14093, 13866, 13813, 13760, 13697, 13639, 13533, 13528, 13412, 13301, 13243, 13190, 13185, 13137, 12963,
    12958, 12905, 12789, 12736, 12731, 12673, 12620, 12509, 12504, 12393, 12335, 12277, 11997, 11944, 11881,
    11838, 11717, 11712, 11611, 11485, 11384, 11374, 11321, 11215, 11157, 11147, 11089, 10920, 10761, 10693,
    10128, 9969,  9901,  9505,  8206,  7979,  7752,  7583,  7525,  7477,  7129,  6569,  6337,  5661,  4753,
    4362,  4135,  3908,  3681,  3454,  3227,  3000,  2773,  2493,  1870,  1643,  1585,  1416,  1189,  0,
};
constexpr size_t words = std::tuple_size_v<Polynomial>;
using Square = std::array<uint64_t, 2 * words>;

// The second highest exponent is 623 below the highest, so that up to 623 neighbouring bits fold down at
// once without meeting each other.
constexpr size_t chunk = 8;
static_assert(exponents[0] == state_bits && exponents[0] - exponents[1] >= 64 * chunk && words % chunk == 0);

/// Adds what `bits`, of degree `degree` and up, are modulo phi.
void fold(Square& square, size_t degree, const std::array<uint64_t, chunk>& bits) {
  for (const uint16_t exponent : std::span(exponents).subspan(1)) {
    const size_t target = degree - (state_bits - exponent);
    uint64_t* to = square.data() + target / 64;
    const size_t shift = target % 64;
    uint64_t carry = 0;
    for (size_t i = 0; i < chunk; ++i) {
      to[i] ^= bits[i] << shift | carry;
      carry = bits[i] >> 1 >> (63 - shift);
    }
    to[chunk] ^= carry;
  }
}

/// Bit i of the argument at bit 2 i.
uint64_t spread(uint64_t bits) {
  bits = (bits | bits << 16) & 0x0000ffff0000ffffU;
  bits = (bits | bits << 8) & 0x00ff00ff00ff00ffU;
  bits = (bits | bits << 4) & 0x0f0f0f0f0f0f0f0fU;
  bits = (bits | bits << 2) & 0x3333333333333333U;
  return (bits | bits << 1) & 0x5555555555555555U;
}

/// Folds the bits of degree 19937 and up within the polynomial's last word.
void fold_last_word(Square& square) {
  constexpr size_t first = state_bits % 64;
  const uint64_t above = square[words - 1] >> first;
  square[words - 1] ^= above << first;
  fold(square, state_bits, {above});
}

Polynomial low_half(const Square& square) {
  Polynomial result;
  std::copy_n(square.begin(), words, result.begin());
  return result;
}

Polynomial squared(const Polynomial& polynomial) {
  Square square;
  for (size_t i = 0; i < words; ++i) {
    square[2 * i] = spread(polynomial[i] & 0xffffffffU);
    square[2 * i + 1] = spread(polynomial[i] >> 32);
  }
  for (size_t at = 2 * words - chunk; at >= words; at -= chunk) {
    std::array<uint64_t, chunk> bits;
    std::copy_n(square.begin() + static_cast<std::ptrdiff_t>(at), chunk, bits.begin());
    fold(square, 64 * at, bits);
  }
  fold_last_word(square);
  return low_half(square);
}

Polynomial times_x(const Polynomial& polynomial) {
  Square product{};
  uint64_t carry = 0;
  for (size_t i = 0; i < words; ++i) {
    product[i] = polynomial[i] << 1 | carry;
    carry = polynomial[i] >> 63;
  }
  fold_last_word(product);
  return low_half(product);
}

}  // namespace

std::span<const uint16_t> characteristic_exponents() { return exponents; }

Polynomial power_of_x(uint64_t exponent) {
  // The leading bits of the exponent give a power that needs no reduction; each further bit is a squaring.
  int rest = std::max(
      0, static_cast<int>(std::bit_width(exponent)) - static_cast<int>(std::bit_width(state_bits)) + 1);
  Polynomial result{};
  const uint64_t start = exponent >> rest;
  result[start / 64] = uint64_t{1} << (start % 64);
  while (rest-- > 0) {
    result = squared(result);
    if ((exponent >> rest & 1U) != 0) result = times_x(result);
  }
  return result;
}

}  // namespace vescale::rng
