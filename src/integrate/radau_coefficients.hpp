// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <complex>

// Radau IIA with kStages stages, order 2 kStages - 1 (Hairer & Wanner 1996, IV.5 and IV.8),
// computed from the definition: collocation at the roots of P_s(2x - 1) - P_(s-1)(2x - 1).
namespace freeplay::integrate::radau {

// chosen: with 3 the four-bar with friction takes twice the steps for as many evaluations, with 7 a
// third more evaluations.
inline constexpr int kStages = 5;

struct Coefficients {
  using Complex = std::complex<double>;
  std::array<double, kStages> c{};
  // Eigenvalues of the inverse of A: one real, the others in conjugate pairs of which one is kept.
  double gamma = 0;
  std::array<Complex, (kStages - 1) / 2> lambda{};
  // Their eigenvectors as columns, and the rows of the inverse: Z = V W, W = V^-1 Z.
  std::array<std::array<Complex, (kStages + 1) / 2>, kStages> vectors{};
  std::array<std::array<Complex, kStages>, (kStages + 1) / 2> inverse{};
  // Weights of Z in the error estimate: (gamma/h - J) error = f_0 + sum error_i Z_i / h.
  std::array<double, kStages> error{};
  std::array<std::array<double, kStages>, kStages> a{};  // Butcher's matrix
};

/// Worked out once.
const Coefficients& coefficients();

}  // namespace freeplay::integrate::radau
