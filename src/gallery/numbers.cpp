// SPDX-License-Identifier: Apache-2.0
#include "gallery/numbers.hpp"

#include "report/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace freeplay::gallery {
namespace {

// `largest` is what stands beside it: nothing, for a reader, is a millionth of that.
std::string digits(double value, double largest, bool more) {
  if (!std::isfinite(value)) return "-";
  const double magnitude = std::abs(value);
  if (magnitude > 0 && magnitude < 1e-6 * largest) return "≈0";
  // Counts are printed whole.
  if (value == std::floor(value) && magnitude < 1e9) return fmt::format("{:.0f}", value);
  if (magnitude >= 1e4 && magnitude < 1e7) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}g}", value, more ? 7 : 4);
}

}  // namespace

std::string with_unit(double value, const std::string& unit) {
  return with_unit(std::span(&value, 1), unit);
}

std::string with_unit(std::span<const double> values, const std::string& unit,
                      const char* between) {
  double largest = 0;
  bool any = false;
  for (const double v : values)
    if (std::isfinite(v)) {
      largest = std::max(largest, std::abs(v));
      any = true;
    }
  const auto shown = report::display_unit(unit, largest);
  // Numbers that four digits cannot tell apart get more.
  bool alike = false;
  for (std::size_t i = 1; i < values.size(); ++i)
    alike = alike || (values[i] != values[i - 1] && std::abs(values[i]) > 1e-6 * largest &&
                      digits(values[i], largest, false) == digits(values[i - 1], largest, false));
  std::string out;
  for (const double v : values)
    out += (out.empty() ? "" : between) + digits(v * shown.factor, largest * shown.factor, alike);
  return any && !shown.name.empty() ? out + " " + shown.name : out;
}

}  // namespace freeplay::gallery
