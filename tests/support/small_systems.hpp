// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/lyapunov.hpp"
#include "study/sections.hpp"
#include "support/flow.hpp"

// Exponents and sections of small systems, exactly: what those of whole mechanisms are compared
// with (verification/cases E).
namespace freeplay::study {

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

/// The state at t = period * (transient + 1), (transient + 2), ...
[[nodiscard]] Points stroboscopic_section(const Flow& flow, const VecX& x, double period,
                                          double step, int transient, int count);

/// The states at which `section` rises through zero, located to round-off.
struct TransversalSection {
  std::function<double(const VecX& x)> section;
  double step = 0.01;      ///< of integration; s
  double transient = 100;  ///< s
  int count = 100;
  double give_up = 1e6;  ///< s; a motion that never returns ends here
};
[[nodiscard]] Points transversal_section(const Flow& flow, const VecX& x,
                                         const TransversalSection& settings);

}  // namespace freeplay::study
