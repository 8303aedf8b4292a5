// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

// Lyapunov exponents: how fast neighbouring motions part, theory/chaos (L.1) to (L.3).
namespace freeplay::study {

/// Exponents, largest first; per step of a map, per second of a flow.
struct Lyapunov {
  std::vector<double> exponents;
  std::vector<double> standard_error;  ///< of each, from block averages
  std::vector<double> running;         ///< the largest, after each block
  double length = 0;                   ///< steps or seconds averaged over
  int grazings = 0;                    ///< impacts left out as grazing

  [[nodiscard]] double sum() const;
  /// The largest exponent is positive beyond doubt: above three standard errors and above
  /// ln(length)/length, which a zero exponent may still show after so long.
  [[nodiscard]] bool chaotic() const;
};

/// The average of the logarithms of stretching that came in, in blocks from which its error
/// follows.
class StretchingAverage {
 public:
  StretchingAverage(int exponents, double interval, int blocks, long long expected);
  /// One for each exponent.
  void add(const double* logarithms);
  [[nodiscard]] Lyapunov result() const;

 private:
  int exponents_;
  long long per_block_, in_block_ = 0;
  double interval_;
  std::vector<double> sum_;
  std::vector<std::vector<double>> means_;
};

}  // namespace freeplay::study
