// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace freeplay::report {

/// Amplitudes over frequency. A sine of amplitude A shows as a line of height A.
struct Spectrum {
  std::vector<double> frequency;  ///< Hz
  std::vector<double> amplitude;  ///< unit of the series; peak, not root mean square
  std::size_t samples = 0;        ///< how many of the series were used
};

/// Of an equidistant series of step `dt` (s): mean removed, Hann window, and where there are more
/// than `lines` frequencies the largest amplitude of each group. Series shorter than 8 samples
/// have none. The length is cut to 2^a 3^b 5^c, which costs at most a few samples.
[[nodiscard]] Spectrum spectrum(std::span<const double> values, double dt, std::size_t lines);

}  // namespace freeplay::report
