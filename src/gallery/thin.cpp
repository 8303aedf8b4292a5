// SPDX-License-Identifier: Apache-2.0
#include "gallery/thin.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace freeplay::gallery {
namespace {

using report::FigureLine;

constexpr std::size_t kIntervals = 500;  // chosen: a diagram is about 500 pixels wide
constexpr double kVisible = 1e-3;        // of its width or height: half a pixel

double extent(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  return high > low ? high - low : 1;
}

}  // namespace

FigureLine simplified(const FigureLine& line, double visible) {
  const std::size_t n = line.x.size();
  if (n < 3) return line;
  const double sx = extent(line.x), sy = extent(line.y);
  const auto distance = [&](std::size_t i, std::size_t a, std::size_t b) {
    const double ux = (line.x[b] - line.x[a]) / sx, uy = (line.y[b] - line.y[a]) / sy;
    const double wx = (line.x[i] - line.x[a]) / sx, wy = (line.y[i] - line.y[a]) / sy;
    const double length2 = ux * ux + uy * uy;
    // From the piece between the ends, not from the endless line: a portrait turns back.
    const double along = length2 > 0 ? std::clamp((wx * ux + wy * uy) / length2, 0.0, 1.0) : 0;
    return std::hypot(wx - along * ux, wy - along * uy);
  };
  std::vector<bool> keep(n, false);
  keep.front() = keep.back() = true;
  std::vector<std::pair<std::size_t, std::size_t>> open{{0, n - 1}};
  while (!open.empty()) {
    const auto [a, b] = open.back();
    open.pop_back();
    std::size_t furthest = a;
    double most = visible;
    for (std::size_t i = a + 1; i < b; ++i)
      if (const double d = distance(i, a, b); d > most) {
        most = d;
        furthest = i;
      }
    if (furthest == a) continue;
    keep[furthest] = true;
    open.emplace_back(a, furthest);
    open.emplace_back(furthest, b);
  }
  FigureLine out;
  out.label = line.label;
  out.marks = line.marks;
  for (std::size_t i = 0; i < n; ++i)
    if (keep[i]) {
      out.x.push_back(line.x[i]);
      out.y.push_back(line.y[i]);
    }
  return out;
}

FigureLine thinned(const Curve& curve) {
  const auto& [t, y] = curve;
  FigureLine out;
  if (t.empty()) return out;
  const double width = (t.back() - t.front()) / static_cast<double>(kIntervals);
  for (std::size_t i = 0; i < t.size();) {
    std::size_t low = i, high = i, k = i;
    for (; k < t.size() && t[k] <= t[i] + width; ++k) {
      if (y[k] < y[low]) low = k;
      if (y[k] > y[high]) high = k;
    }
    std::vector<std::size_t> keep{i, low, high};
    std::ranges::sort(keep);
    keep.erase(std::unique(keep.begin(), keep.end()), keep.end());
    for (const std::size_t r : keep) {
      out.x.push_back(t[r]);
      out.y.push_back(y[r]);
    }
    i = std::max(k, i + 1);
  }
  // The last value belongs to the picture, wherever its interval ended.
  if (out.x.back() < t.back()) {
    out.x.push_back(t.back());
    out.y.push_back(y.back());
  }
  return simplified(out, kVisible);
}

FigureLine thinned(const Curve& x, const Curve& y) {
  FigureLine out;
  if (x.value.empty()) return out;
  // First what is too near to its neighbour to be seen: it makes the rest quick.
  const double dx = kVisible * extent(x.value), dy = kVisible * extent(y.value);
  for (std::size_t i = 0; i < x.value.size(); ++i) {
    const bool last = i + 1 == x.value.size();
    if (!out.x.empty() && !last && std::abs(x.value[i] - out.x.back()) <= dx &&
        std::abs(y.value[i] - out.y.back()) <= dy)
      continue;
    out.x.push_back(x.value[i]);
    out.y.push_back(y.value[i]);
  }
  return simplified(out, kVisible);
}

}  // namespace freeplay::gallery
