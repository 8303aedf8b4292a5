// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "films/film.hpp"

#include <numbers>

// Integrals of powers of the film thickness over an arc, theory/films (F.7), u = 1 + eps cos(theta)
// with theta from the widest gap.
namespace freeplay::films {

/// Below this ratio the closed forms lose digits (they cancel as eps^-2) and 16 Gauss points are
/// exact to rounding: the nearest pole of u^-3 is acosh(1/eps) = 3 away from an arc of pi.
inline constexpr double kSmallRatio = 0.1;

struct GaussPoint {
  double x, weight;  ///< on [-1, 1]
};
/// Gauss-Legendre.
inline constexpr std::array<GaussPoint, 16> kGauss16{{{-0.9894009349916499, 0.0271524594117541},
                                                      {-0.9445750230732326, 0.0622535239386479},
                                                      {-0.8656312023878318, 0.0951585116824928},
                                                      {-0.7554044083550030, 0.1246289712555339},
                                                      {-0.6178762444026438, 0.1495959888165767},
                                                      {-0.4580167776572274, 0.1691565193950025},
                                                      {-0.2816035507792589, 0.1826034150449236},
                                                      {-0.0950125098376374, 0.1894506104550685},
                                                      {0.0950125098376374, 0.1894506104550685},
                                                      {0.2816035507792589, 0.1826034150449236},
                                                      {0.4580167776572274, 0.1691565193950025},
                                                      {0.6178762444026438, 0.1495959888165767},
                                                      {0.7554044083550030, 0.1246289712555339},
                                                      {0.8656312023878318, 0.0951585116824928},
                                                      {0.9445750230732326, 0.0622535239386479},
                                                      {0.9894009349916499, 0.0271524594117541}}};

/// Integrals over the half turn [theta_1, theta_1 + pi], and what stands at its ends.
template <class T>
struct HalfTurn {
  T u1, u2, s1;  ///< thickness at the ends; sin(theta_1) = -sin(theta_2)
  T J1, J2, J3;  ///< of u^-1, u^-2, u^-3
};

/// `c1`, `s1`: cosine and sine of theta_1. 0 <= eps < 1.
template <class T>
[[nodiscard]] HalfTurn<T> half_turn(const T& eps, const T& c1, const T& s1) {
  using std::atan2, std::sqrt;
  const T q = 1.0 - eps * eps, root = sqrt(q);
  HalfTurn<T> out;
  out.s1 = s1;
  out.u1 = 1.0 + eps * c1;
  out.u2 = 1.0 - eps * c1;
  // Sommerfeld's angle E, cos E = (eps + cos)/u, sin E = root sin/u: J1 = (E2 - E1)/root, without
  // the branches of arctan(tan(theta/2)).
  const T cos1 = (eps + c1) / out.u1, sin1 = root * s1 / out.u1;
  const T cos2 = (eps - c1) / out.u2, sin2 = -root * s1 / out.u2;
  T turn = atan2(sin2 * cos1 - cos2 * sin1, cos2 * cos1 + sin2 * sin1);
  if (turn < T(0.0)) turn += 2 * std::numbers::pi;
  out.J1 = turn / root;
  out.J2 = (out.J1 + eps * s1 * (1.0 / out.u2 + 1.0 / out.u1)) / q;
  // [-eps sin (3/u + q/u^2)]: sin changes sign between the ends.
  const T ends =
      eps * s1 * (3.0 / out.u2 + q / (out.u2 * out.u2) + 3.0 / out.u1 + q / (out.u1 * out.u1));
  out.J3 = ((2.0 + eps * eps) * out.J1 + ends) / (2.0 * q * q);
  return out;
}

}  // namespace freeplay::films
