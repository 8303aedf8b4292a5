// SPDX-License-Identifier: Apache-2.0
#include "core/table_knots.hpp"

#include "core/cubic_piece.hpp"

#include <algorithm>
#include <cmath>

namespace freeplay {

std::vector<int> knots_that_count(std::span<const double> x, std::span<const double> y,
                                  std::span<const double> slope, double tolerance) {
  const int n = static_cast<int>(x.size());
  double largest = 0;
  for (const double f : y) largest = std::max(largest, std::abs(f));
  // Second and third derivative at both ends of a piece; the straight ends have none.
  struct Ends {
    double h = 0, bend[2] = {0, 0}, jerk = 0;
  };
  const auto ends = [&](int k) {
    Ends out;
    if (k < 0 || k >= n - 1) return out;
    const auto i = static_cast<std::size_t>(k);
    const CubicPiece p(x[i + 1] - x[i], y[i], y[i + 1], slope[i], slope[i + 1]);
    out.h = p.h;
    for (const int u : {0, 1}) out.bend[u] = p.bend(u) / (p.h * p.h);
    out.jerk = 6 * p.c3 / (p.h * p.h * p.h);
    return out;
  };
  std::vector<int> out;
  Ends left;
  for (int k = 0; k < n; ++k) {
    const Ends right = ends(k);
    const double h = std::max(left.h, right.h);
    const double parted = std::abs(right.bend[0] - left.bend[1]) * h * h / 2 +
                          std::abs(right.jerk - left.jerk) * h * h * h / 6;
    if (parted > tolerance * largest) out.push_back(k);
    left = right;
  }
  return out;
}

}  // namespace freeplay
