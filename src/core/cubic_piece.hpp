// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

namespace freeplay {

/// The pieces of a table that hold at present. Beyond them the first and the last go on as the
/// cubics they are, so that a step sees a smooth curve up to the knot where the next ones take over
/// (table_knots.hpp). -1 and n - 1 are the straight ends of a table of n knots.
struct PieceRange {
  int first = -1, last = std::numeric_limits<int>::max();
};

/// A cubic between two knots by values and slopes there (Hermite), over u = 0 ... 1 of a width h.

struct CubicPiece {
  double h, c0, c1, c2, c3;

  CubicPiece(double width, double y0, double y1, double slope0, double slope1)
      : h(width), c0(y0), c1(width * slope0) {
    const double m1 = width * slope1;
    c2 = 3 * (y1 - y0) - 2 * c1 - m1;
    c3 = 2 * (y0 - y1) + c1 + m1;
  }
  template <class T>
  [[nodiscard]] T value(const T& u) const {
    return c0 + u * (c1 + u * (c2 + u * c3));
  }
  /// Derivatives with respect to u.
  [[nodiscard]] double slope(double u) const { return c1 + u * (2 * c2 + u * 3 * c3); }
  [[nodiscard]] double bend(double u) const { return 2 * c2 + 6 * c3 * u; }
  /// From the left knot, over x = u h.
  template <class T>
  [[nodiscard]] T integral(const T& u) const {
    return h * u * (c0 + u * (c1 / 2 + u * (c2 / 3 + u * (c3 / 4))));
  }
};

}  // namespace freeplay
