// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace freeplay::report {

/// Limits of an axis.
struct Range {
  double low = 0, high = 1;
};

/// The range of some data with a little air, never empty: constant data get a band around them.
[[nodiscard]] Range padded(double low, double high, double air = 0.05);

/// Round numbers (1, 2, 2.5 or 5 times a power of ten) that cut a range into about `pieces`.
[[nodiscard]] std::vector<double> ticks(Range range, double pieces);

/// Labels with just the decimals that tell the ticks apart, with a proper minus sign; large and
/// small numbers as 2×10⁵.
[[nodiscard]] std::vector<std::string> tick_labels(const std::vector<double>& values);

/// A unit for the axis: what is stored times `factor` is shown in `name`.
struct DisplayUnit {
  std::string name;
  double factor = 1;
};

/// The SI prefix with which the largest value is at least 1: 0.07 m -> mm. Units without such
/// prefixes stay; "1" has no name.
[[nodiscard]] DisplayUnit display_unit(const std::string& unit, double largest);

}  // namespace freeplay::report
