// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/dual.hpp"
#include "joints/small_numbers.hpp"
#include <freeplay/math.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>

// How far a tilted disc reaches across the axis of a cylinder, theory/gaps (G.7). Seen along the
// axis of the cylinder the disc is an ellipse with centre D; alpha is the part of its axis that is
// seen, |alpha| the sine of the tilt. Its reach is
//
//   max over unit n of g(n) = D.n + rho sqrt(1 - (n.alpha)^2),
//
// with rho = R: the farthest point of the ellipse from the axis (journal rim in a bore), or with
// rho = -R: minus the nearest one (edge of a bore round a longer journal). By the envelope theorem
// a motion of the disc changes the reach by n times the velocity of the material point there.
namespace freeplay::joints {

template <class T>
using Vec2T = Eigen::Matrix<T, 2, 1>;
using Vec2 = Vec2T<double>;

template <class T>
struct Reach {
  T length;       ///< m
  Vec2T<T> n;     ///< unit vector
  T cosine;       ///< sqrt(1 - (n.alpha)^2)
  bool directed;  ///< false: the disc is centred, every direction is as good
};

/// The direction in which g is greatest, to the last digit, for every D and alpha.
inline Vec2 farthest_direction(const Vec2& D, const Vec2& alpha, double rho) {
  const double a2 = alpha.squaredNorm(), distance = D.norm();
  constexpr double kNoTilt = 1e-18;     // its share of the direction is below rounding
  constexpr double kLeastRoot = 1e-24;  // a disc edge-on: its ellipse has no width left
  constexpr double kSettled = 1e-9;     // Newton squares it: a further step is below rounding
  if (std::abs(rho) * a2 <= kNoTilt * distance || a2 == 0)
    return distance > 0 ? Vec2(D / distance) : Vec2(1, 0);
  // The ellipse is symmetric about alpha and across it, so n lies in the quadrant of D, where g
  // has exactly one stationary point, a maximum: in the ellipse's own angle t the condition is
  // const - x/cos t + y/sin t = 0, which falls monotonically.
  const Vec2 e1 = alpha / std::sqrt(a2), e2(-e1[1], e1[0]);
  const double x = std::abs(D.dot(e1)), y = std::abs(D.dot(e2));
  // n = (c, s) in that quadrant, from the direction that is right without tilt; the tilt turns it
  // one way, which brackets it. Turns are made without trigonometry: a step of Newton's method
  // along the tangent, brought back to the circle.
  Vec2 n = distance > 0 ? Vec2(x / distance, y / distance) : (rho > 0 ? Vec2(1, 0) : Vec2(0, 1));
  Vec2 low = rho > 0 ? n : Vec2(1, 0), high = rho > 0 ? Vec2(0, 1) : n;
  const auto before = [](const Vec2& a, const Vec2& b) { return a[0] * b[1] - a[1] * b[0] >= 0; };
  bool tried_end = false;
  for (int i = 0; i < 60; ++i) {
    const double c = n[0], s = n[1];
    const double q = std::sqrt(std::max(1 - a2 * c * c, kLeastRoot));
    const double slope = -x * s + y * c + rho * a2 * c * s / q;
    const double bend =
        -x * c - y * s + rho * a2 * ((c * c - s * s) / q - a2 * c * c * s * s / (q * q * q));
    // A slope of zero may be the minimum beside the bracket's outer end: leave it behind.
    (slope > 0 || (slope == 0 && rho > 0) ? low : high) = n;
    const double turn = -slope / bend;
    Vec2 next(c - turn * s, s + turn * c);
    next.normalize();
    const bool inside = before(low, next) && before(next, high);
    const bool settled = bend < 0 && std::abs(turn) < kSettled;
    if (bend < 0 && inside) n = next;
    if (settled) break;
    if (bend < 0 && inside) continue;
    // A root at an end of the bracket would be overshot again and again: go there once.
    n = bend < 0 && !tried_end ? (turn > 0 ? high : low) : Vec2((low + high).normalized());
    tried_end = tried_end || bend < 0;
  }
  return std::copysign(n[0], D.dot(e1)) * e1 + std::copysign(n[1], D.dot(e2)) * e2;
}

template <class T>
Reach<T> reach_of(const Vec2T<T>& D, const Vec2T<T>& alpha, double rho) {
  using std::sqrt;
  const auto values = [](const Vec2T<T>& v) { return Vec2(value_of(v[0]), value_of(v[1])); };
  const Vec2 Dv = values(D), av = values(alpha);
  const Vec2 n = farthest_direction(Dv, av, rho);
  const T along = n[0] * alpha[0] + n[1] * alpha[1];
  Reach<T> out;
  out.cosine = sqrt(1.0 - along * along + kRegularRate);
  out.length = n[0] * D[0] + n[1] * D[1] + rho * out.cosine;
  out.directed = Dv.norm() > 0 || av.norm() > 0;
  out.n = n.template cast<T>();
  if constexpr (!std::is_same_v<T, double>) {
    // How n turns with the pose: one step of Newton's method, taken in the scalar of the pose.
    const Vec2 m(-n[1], n[0]);
    const double a = value_of(along), b = m.dot(av), q = value_of(out.cosine);
    const double bend = -Dv.dot(n) - rho * ((b * b - a * a) / q + a * a * b * b / (q * q * q));
    constexpr double kFlat = 1e-30;  // a disc in the middle: no direction is the farthest
    if (std::abs(bend) > kFlat) {
      const T across = m[0] * alpha[0] + m[1] * alpha[1];
      const T slope = m[0] * D[0] + m[1] * D[1] - rho * along * across / out.cosine;
      const T turn = slope * (-1 / bend);
      out.n += Vec2T<T>(m[0] * turn, m[1] * turn);
      // alpha.n turns with n; the reach does not, to first order (it is at its maximum).
      const T turned = out.n.dot(alpha);
      out.cosine = sqrt(1.0 - turned * turned + kRegularRate);
    }
  }
  return out;
}

}  // namespace freeplay::joints
