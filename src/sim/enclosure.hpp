// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

// What a function of time can do between two instants at which its value and its rate are known.
namespace freeplay::sim {

/// The cubic through both ends and a remainder (t-a)^2 (t-b)^2 q(t), q = f''''/4! somewhere between
/// (Hermite). In the Bernstein form of degree 4 the remainder is in the middle coefficient alone,
/// so that nothing is given away at the ends. A polynomial lies within its coefficients, and has no
/// more zeros than they have changes of sign (Descartes' rule in Bernstein form: Lane & Riesenfeld
/// 1981).
struct Enclosure {
  std::array<double, 5> b{};  ///< coefficients of the cubic
  double slack = 0;           ///< of b[2], either way

  /// `bend` bounds |f''''|/4! between the ends, which are h apart.
  Enclosure(double h, double fa, double ra, double fb, double rb, double bend)
      : slack(bend * h * h * h * h / 6) {
    const double c1 = fa + h * ra / 3, c2 = fb - h * rb / 3;
    b = {fa, 0.25 * (fa + 3 * c1), 0.5 * (c1 + c2), 0.25 * (3 * c2 + fb), fb};
  }

  /// No value between the ends lies below this.
  [[nodiscard]] double least_inside() const { return std::min({b[1], b[2] - slack, b[3]}); }

  /// For f(a) >= 0 > f(b): true when f has just one zero in between.
  [[nodiscard]] bool crosses_once() const {
    const auto once = [&](double middle) {
      const bool s1 = b[1] >= 0, s2 = middle >= 0, s3 = b[3] >= 0;
      return s1 >= s2 && s2 >= s3;
    };
    return once(b[2] - slack) && once(b[2] + slack);
  }

  /// Where the cubic turns first, as a part of the interval; the middle when it does not.
  [[nodiscard]] double turn() const {
    // f' = 3 [d0 (1-x)^2 + 2 d1 x (1-x) + d2 x^2] with d the differences of the cubic's own
    // coefficients, b[0], c1, c2, b[4].
    const double c1 = (4 * b[1] - b[0]) / 3, c2 = (4 * b[3] - b[4]) / 3;
    const double d0 = c1 - b[0], d1 = c2 - c1, d2 = b[4] - c2;
    const double square = d1 * d1 - d0 * d2;
    if (!(square >= 0)) return 0.5;
    const double p = d0 - d1, q = p + (p >= 0 ? 1 : -1) * std::sqrt(square);
    // Roots of (d0 - 2 d1 + d2) x^2 - 2 (d0 - d1) x + d0, without cancellation.
    double first = 2;
    for (const double x : {d0 / q, q / (d0 - 2 * d1 + d2)})
      if (x > 0 && x < first) first = x;
    return first < 1 ? first : 0.5;
  }
};

/// Bound on |f''''|/4! about three instants at which value and rate are known: the quintic through
/// them, with as much again for what it does not know. Intervals: ab, bc, both s long. An estimate:
/// what three instants do not show at all is not in it. Functions that vibrate or turn by no more
/// than two radians or so between them do show; steps see to the one, the locator to the other.
[[nodiscard]] inline double bend_of(double ab, double bc, double fa, double ra, double fb,
                                    double rb, double fc, double rc) {
  const double ac = ab + bc, first = (fb - fa) / ab, second = (fc - fb) / bc;
  const double abb = (rb - first) / ab, bbc = (second - rb) / bc;
  const double aabb = (abb - (first - ra) / ab) / ab, bbcc = ((rc - second) / bc - bbc) / bc;
  const double abbc = (bbc - abb) / ac;
  const double early = (abbc - aabb) / ac, late = (bbcc - abbc) / ac;  // divided differences
  return 2 * (std::max(std::abs(early), std::abs(late)) + std::abs(late - early));
}

}  // namespace freeplay::sim
