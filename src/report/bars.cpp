// SPDX-License-Identifier: Apache-2.0
#include "report/bars.hpp"

#include "report/canvas.hpp"
#include "report/figure.hpp"
#include "report/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace freeplay::report {
namespace {

constexpr double kBar = 8, kSize = 8;  // points

std::string digits(double value) {
  return std::abs(value) >= 1e4 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

}  // namespace

std::string draw_bars(const BarData& data, double width_mm) {
  double low = 0, high = 0, labels = 0, numbers = 0;
  for (const auto& group : data.groups)
    for (const double v : group.values)
      if (std::isfinite(v)) {
        low = std::min(low, v);
        high = std::max(high, v);
      }
  const auto unit = display_unit(data.unit, std::max(-low, high));
  low *= unit.factor;
  high *= unit.factor;
  for (const auto& group : data.groups) {
    labels = std::max(labels, text_width(group.label, kSize));
    for (const double v : group.values)
      if (std::isfinite(v)) numbers = std::max(numbers, text_width(digits(v * unit.factor), kSize));
  }
  const double width = width_mm * 72 / 25.4, left = labels + 14, right = numbers + 14;
  const double thickness =
      kBar * static_cast<double>(std::max<std::size_t>(data.colours.size(), 1));
  const double pitch = thickness + 6, top = data.colours.size() > 1 ? 32 : 18;
  const double foot = top + pitch * static_cast<double>(data.groups.size());
  const auto canvas = make_svg_canvas(width, foot + 8);
  const Box paper{0, 0, width, foot + 8};
  const auto at = [&](double v) {
    return left + (high > low ? (v - low) / (high - low) : 0) * (width - left - right);
  };

  canvas->text(unit.name.empty() ? data.label : data.label + ", " + unit.name, {left, 11},
               kSize + 1, Align::left);
  double x = left;
  for (std::size_t c = 0; data.colours.size() > 1 && c < data.colours.size(); ++c) {
    const std::array<Point, 2> sample{Point{x, 22}, {x + 14, 22}};
    canvas->line(sample, {line_colour(c), 6, {}}, paper);
    canvas->text(data.colours[c], {x + 18, 25}, kSize, Align::left);
    x += 30 + text_width(data.colours[c], kSize);
  }
  for (std::size_t g = 0; g < data.groups.size(); ++g) {
    const double begin = top + pitch * static_cast<double>(g);
    canvas->text(data.groups[g].label, {left - 6, begin + 0.5 * thickness + 0.35 * kSize}, kSize,
                 Align::right);
    for (std::size_t c = 0; c < data.groups[g].values.size(); ++c) {
      const double v = data.groups[g].values[c] * unit.factor;
      const double y = begin + kBar * (static_cast<double>(c) + 0.5);
      if (!std::isfinite(v)) {
        canvas->text("no number", {at(0) + 4, y + 0.35 * kSize}, kSize, Align::left);
        continue;
      }
      const std::array<Point, 2> bar{Point{at(0), y}, {at(v), y}};
      canvas->line(bar, {line_colour(c), kBar - 1.5, {}}, paper);
      canvas->text(digits(v), {std::max(at(v), at(0)) + 4, y + 0.35 * kSize}, kSize, Align::left);
    }
  }
  const std::array<Point, 2> zero{Point{at(0), top - 3}, {at(0), foot}};
  canvas->line(zero, {"#000000", 0.7, {}}, paper);
  return canvas->bytes();
}

}  // namespace freeplay::report
