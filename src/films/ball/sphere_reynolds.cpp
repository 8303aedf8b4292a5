// SPDX-License-Identifier: Apache-2.0
#include "films/ball/sphere_reynolds.hpp"

#include "films/reynolds/cyclic_band.hpp"

#include <cmath>
#include <numbers>
#include <vector>

namespace freeplay::films {

std::array<double, 2> sphere_film(const SphereGrid& grid, double ratio, double along,
                                  double across) {
  constexpr double pi = std::numbers::pi;
  const int n = grid.polar, m = grid.around;
  const double end = grid.full_film ? pi : 0.5 * pi, da = end / n, db = pi / m;
  // r = cos(a) v + sin(a) (cos(b) w + sin(b) z), with v the motion and w across it in the plane of
  // the line of centres, so that n = along v + across w.
  const auto cube = [&](double a, double b) {
    const double u = 1 - ratio * (along * std::cos(a) + across * std::sin(a) * std::cos(b));
    return u * u * u;
  };
  CyclicBand matrix;
  matrix.resize(n + 1, m);  // no ring to close: the last block stands alone
  matrix.clear(false);
  for (int i = n * m; i < (n + 1) * m; ++i) matrix.add(i, i, 1);
  std::vector<double> P(static_cast<std::size_t>((n + 1) * m));
  const auto connect = [&](int i, int j, double g) {
    matrix.add(i, i, g);
    matrix.add(j, j, g);
    matrix.add(i, j, -g);
    matrix.add(j, i, -g);
  };
  for (int k = 0; k < n; ++k) {
    const double low = k * da, high = low + da, middle = low + 0.5 * da;
    for (int j = 0; j < m; ++j) {
      const int i = k * m + j;
      const double b = (j + 0.5) * db;
      // V.r = cos(a) for unit speed, integrated over the cell.
      P[static_cast<std::size_t>(i)] =
          6 * db * (std::sin(high) * std::sin(high) - std::sin(low) * std::sin(low));
      if (k + 1 < n)
        connect(i, i + m, cube(high, b) * std::sin(high) * db / da);
      else if (!grid.full_film)
        matrix.add(i, i, 2 * cube(high, b) * std::sin(high) * db / da);  // p = 0 on the rim
      if (j + 1 < m) connect(i, i + 1, cube(middle, (j + 1) * db) * da / (std::sin(middle) * db));
    }
  }
  // A closed film knows its pressure up to a constant, which pushes nowhere.
  if (grid.full_film) matrix.add(n * m - 1, n * m - 1, 1.0);
  if (!matrix.factor()) return {0, 0};
  matrix.solve<1>(P.data());
  double fv = 0, fw = 0;
  for (int k = 0; k < n; ++k) {
    const double low = k * da, high = low + da;
    // Integrals of cos sin and of sin^2 over the cell.
    const double cs = 0.5 * (std::sin(high) * std::sin(high) - std::sin(low) * std::sin(low));
    const double ss = 0.5 * da - 0.25 * (std::sin(2 * high) - std::sin(2 * low));
    for (int j = 0; j < m; ++j) {
      const double p = P[static_cast<std::size_t>(k * m + j)];
      fv += 2 * p * cs * db;
      fw += 2 * p * ss * (std::sin((j + 1) * db) - std::sin(j * db));
    }
  }
  // t = z x n turns n by 90 degrees towards the motion:
  //   v = along n + across t,  w = across n - along t.
  return {along * fv + across * fw, across * fv - along * fw};
}

}  // namespace freeplay::films
