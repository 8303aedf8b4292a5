// SPDX-License-Identifier: Apache-2.0
#include "gallery/numbers.hpp"

#include "report/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace freeplay::gallery {
namespace {

// `largest` is what stands beside it: nothing, for a reader, is a millionth of that. Numbers that
// differ by little show more digits.
std::string digits(double value, double largest, bool alike) {
  if (!std::isfinite(value)) return "-";
  const double magnitude = std::abs(value);
  if (magnitude > 0 && magnitude < 1e-6 * largest) return "≈0";
  // Counts are printed whole.
  if (value == std::floor(value) && magnitude < 1e9) return fmt::format("{:.0f}", value);
  if (magnitude >= 1e4 && magnitude < 1e7) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}g}", value, alike ? 7 : 4);
}

}  // namespace

std::string with_unit(double value, const std::string& unit) {
  return with_unit(std::span(&value, 1), unit);
}

std::string with_unit(std::span<const double> values, const std::string& unit,
                      const char* between) {
  double largest = 0, low = 0, high = 0;
  bool any = false;
  for (const double v : values)
    if (std::isfinite(v)) {
      largest = std::max(largest, std::abs(v));
      low = any ? std::min(low, v) : v;
      high = any ? std::max(high, v) : v;
      any = true;
    }
  const bool alike = high > low && high - low < 0.005 * largest;
  const auto shown = report::display_unit(unit, largest);
  std::string out;
  for (const double v : values)
    out += (out.empty() ? "" : between) + digits(v * shown.factor, largest * shown.factor, alike);
  return any && !shown.name.empty() ? out + " " + shown.name : out;
}

}  // namespace freeplay::gallery
