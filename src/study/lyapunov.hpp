// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/flow.hpp"

#include <functional>
#include <vector>

// Lyapunov exponents: how fast neighbouring motions part (physics 8.4).
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

struct LyapunovSettings {
  double transient = 100;  ///< steps or s, not counted
  double length = 1e4;     ///< steps or s
  double interval = 1;     ///< between orthonormalisations; steps or s
  double step = 0.01;      ///< of integration, flows only; s
  int count = 0;           ///< exponents wanted; 0: all
  int blocks = 20;         ///< for the standard error
};

/// Variational: deviations carried along exactly, kept apart by QR (Benettin et al. 1980; Shimada &
/// Nagashima 1979). Impacts by saltation.
[[nodiscard]] Lyapunov lyapunov_spectrum(const Map& map, const VecX& x,
                                         const LyapunovSettings& settings);
[[nodiscard]] Lyapunov lyapunov_spectrum(const Flow& flow, const VecX& x,
                                         const LyapunovSettings& settings);

/// Two trajectories a small distance apart, brought together again every interval (Benettin et al.
/// 1976): the check that needs no derivatives.
struct TwoTrajectory {
  /// Moves a point on by one interval, from interval number k.
  std::function<void(VecX& x, long long k)> advance;
  double interval = 1;      ///< in steps or s
  double distance = 1e-8;   ///< d0
  long long transient = 0;  ///< intervals
  long long count = 1000;   ///< intervals
  int blocks = 20;
};
[[nodiscard]] Lyapunov two_trajectory(const VecX& x, const TwoTrajectory& settings);

/// The average of the logarithms of stretching that came in, with its error: for trajectories that
/// are followed elsewhere.
class StretchingAverage {
 public:
  StretchingAverage(double interval, int blocks, long long expected);
  void add(double logarithm);
  [[nodiscard]] Lyapunov result() const;

 private:
  double interval_;
  long long per_block_, count_ = 0;
  std::vector<double> block_sums_;
};

}  // namespace freeplay::study
