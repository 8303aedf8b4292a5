// SPDX-License-Identifier: Apache-2.0
#include "study/sections.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay::study {
namespace {

double distance(std::span<const double> a, std::span<const double> b) {
  double square = 0;
  for (std::size_t i = 0; i < a.size(); ++i) square += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(square);
}

}  // namespace

int period_of(const Points& points, double epsilon, int longest) {
  const std::size_t n = points.size();
  for (int m = 1; m <= longest; ++m) {
    const auto shift = static_cast<std::size_t>(m);
    if (n < 2 * shift) return 0;
    bool returns = true;
    for (std::size_t k = 0; k + shift < n && returns; ++k)
      returns = distance(points[k], points[k + shift]) <= epsilon;
    if (returns) return m;
  }
  return 0;
}

Regularity classify(const Points& points, double scale, double relative, int longest) {
  Regularity out;
  out.epsilon = relative * scale;
  for (int c = 0; c < points.width && points.size() > 0; ++c) {
    double low = points[0][static_cast<std::size_t>(c)], high = low;
    for (std::size_t k = 0; k < points.size(); ++k) {
      low = std::min(low, points[k][static_cast<std::size_t>(c)]);
      high = std::max(high, points[k][static_cast<std::size_t>(c)]);
    }
    out.spread = std::max(out.spread, high - low);
  }
  out.period = period_of(points, out.epsilon, longest);
  return out;
}

Recurrence recurrence(const Points& points, double epsilon, int shortest) {
  Recurrence out;
  const std::size_t n = points.size();
  std::size_t recurrent = 0, on_lines = 0;
  // One diagonal of the recurrence plot after the other; the main one says nothing.
  for (std::size_t lag = 1; lag < n; ++lag) {
    std::size_t line = 0;
    const auto end_line = [&] {
      if (line >= static_cast<std::size_t>(shortest)) on_lines += line;
      out.longest = std::max(out.longest, static_cast<int>(line));
      line = 0;
    };
    for (std::size_t k = 0; k + lag < n; ++k) {
      if (distance(points[k], points[k + lag]) <= epsilon) {
        ++recurrent;
        ++line;
      } else {
        end_line();
      }
    }
    end_line();
  }
  const double pairs = 0.5 * static_cast<double>(n) * static_cast<double>(n > 0 ? n - 1 : 0);
  if (pairs > 0) out.rate = static_cast<double>(recurrent) / pairs;
  if (recurrent > 0)
    out.determinism = static_cast<double>(on_lines) / static_cast<double>(recurrent);
  return out;
}

}  // namespace freeplay::study
