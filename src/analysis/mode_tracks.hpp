// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/equilibrium.hpp>

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

// Oscillations followed over a quantity that changes, such as the speed of a rotor: which mode at
// one value is which at the next (a Campbell diagram).
namespace freeplay::analysis {

/// One oscillation, at values that follow each other.
struct ModeTrack {
  std::size_t first = 0;                     ///< number of the value at which it begins
  std::vector<std::complex<double>> values;  ///< eigenvalues with positive imaginary part; 1/s
  [[nodiscard]] std::size_t end() const { return first + values.size(); }
};

/// `modes[k]` are those at `x[k]`, which increases. A mode is the one nearest to where the line
/// through the two values before leads; farther off than half its own size it is another one.
[[nodiscard]] std::vector<ModeTrack> track_modes(std::span<const std::vector<Mode>> modes,
                                                 std::span<const double> x);

/// Where the frequency of a track is that of the turning shaft, x being its speed in rad/s.
struct CriticalSpeed {
  std::size_t track = 0;
  double speed = 0;    ///< rad/s
  double damping = 0;  ///< ratio there
};
/// By straight lines between the values, the slowest first.
[[nodiscard]] std::vector<CriticalSpeed> critical_speeds(std::span<const ModeTrack> tracks,
                                                         std::span<const double> x);

}  // namespace freeplay::analysis
