#pragma once
/// Polynomials over GF(2) modulo the characteristic polynomial of mt19937.
///
/// Each bit of the words of an mt19937 stream obeys the linear recurrence of that polynomial, phi: if x^n mod
/// phi is the sum of x^e over some set of e, then the word n places ahead is the XOR of the words e places
/// ahead. That is how a stream jumps.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace vescale::rng {

inline constexpr size_t state_bits = 19937;

/// The exponents of phi's terms, descending.
std::span<const uint16_t> characteristic_exponents();

/// Coefficients of degrees 0 to 19936, the lowest in bit 0 of the first word.
using Polynomial = std::array<uint64_t, (state_bits + 63) / 64>;

inline bool coefficient(const Polynomial& polynomial, size_t degree) {
  return (polynomial[degree / 64] >> (degree % 64) & 1U) != 0;
}

/// x^exponent mod phi.
Polynomial power_of_x(uint64_t exponent);

}  // namespace vescale::rng
