// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "integrate/dop853_coefficients.hpp"

#include <utility>

// Sums of slopes, the arithmetic of DOP853 between evaluations, in one text for one run and for
// several in lanes. This header has nothing but templates over the vector that they work on: in
// lanes they are compiled for processors that not everybody has, and no function may get from there
// into code that runs everywhere.
namespace freeplay::integrate::dop853 {

/// Rows of the method besides its stages: the result, and its errors against orders 5 and 3.
inline constexpr int kResult = kAllStages, kFifth = kAllStages + 1, kThird = kAllStages + 2;
constexpr int terms_of(int row) { return row < kAllStages ? row : kStages; }
constexpr double coefficient(int row, int j) {
  if (row < kAllStages) return kA[row][j];
  return row == kResult ? kB[j] : row == kFifth ? kE5[j] : kE3[j];
}

/// Vectors of numbers have room for a multiple of this many components, so that no loop over them
/// has a rest.
inline constexpr int kUnit = 4;

template <class Numbers>
Numbers load(const double* from) {
  Numbers out;
  __builtin_memcpy(&out, from, sizeof out);
  return out;
}
template <class Numbers>
void store(double* to, Numbers x) {
  __builtin_memcpy(to, &x, sizeof x);
}

/// out = base + width times the sum of a row's slopes k(0), k(1) ..., for so many numbers. Rows are
/// known to the compiler: it leaves out zeros and makes one pass over the numbers, two vectors at a
/// time.
template <int kRow, class Numbers, class Slopes>
void combine(const Slopes& k, const double* base, Numbers width, long count, double* out) {
  constexpr long kSize = sizeof(Numbers) / sizeof(double);
  for (long i = 0; i < count; i += 2 * kSize) {
    Numbers low{}, high{};
    const auto add = [&]<int kTerm>(std::integral_constant<int, kTerm>) {
      constexpr double c = coefficient(kRow, kTerm);
      if constexpr (c != 0) {
        low += c * load<Numbers>(k(kTerm) + i);
        high += c * load<Numbers>(k(kTerm) + i + kSize);
      }
    };
    [&]<int... kTerm>(std::integer_sequence<int, kTerm...>) {
      (add(std::integral_constant<int, kTerm>{}), ...);
    }
    (std::make_integer_sequence<int, terms_of(kRow)>{});
    store(out + i, load<Numbers>(base + i) + width * low);
    store(out + i + kSize, load<Numbers>(base + i + kSize) + width * high);
  }
}

}  // namespace freeplay::integrate::dop853
