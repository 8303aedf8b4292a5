// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "films/journal/journal_film.hpp"

namespace freeplay::films {

/// Where the half film of a long bearing begins: theta_1 = atan2((2 + eps^2) eps', eps W), as the
/// unit vector (cos, sin) from the widest gap. v must not vanish.
template <class T>
[[nodiscard]] Planar<T> long_film_start(const Polar<T>& p) {
  using std::sqrt;
  const T x = -2.0 * p.vt, y = (2.0 + p.eps * p.eps) * p.vn;
  const T size = sqrt(x * x + y * y);
  return {x / size, y / size};
}

/// The whole circle of a long bearing, in units of its resistance at the centre x 2: regular there.
template <class T>
[[nodiscard]] Resistance<T> long_full_film(const T& ax, const T& ay, const T& vx, const T& vy,
                                           double unit) {
  using std::sqrt;
  const T e2 = ax * ax + ay * ay, q = 1.0 - e2, root = sqrt(q);
  const T across = 24 * std::numbers::pi / ((2.0 + e2) * root);
  const T along = 36 * std::numbers::pi / ((2.0 + e2) * q * root) * (ax * vx + ay * vy);
  return {{unit * (across * vx + along * ax), unit * (across * vy + along * ay)},
          2 * std::numbers::pi / root};
}

/// Flow around the journal only. The half film takes the datum of the pressure such that it
/// vanishes at both ends of a half turn, theory/films (F.11).
struct LongBearing : JournalFilm<LongBearing> {
  static constexpr Text key = "long-bearing";
  static constexpr Text title = "Long bearing";
  static constexpr Text cite = "Sommerfeld 1904; half film of a moving journal: datum floating";
  static constexpr Text formula =
      "p = 6 eta (R/c)^2 {W eps sin(th) (2 + eps cos(th))/((2 + eps^2) u^2) + eps'/eps/u^2} - p1; "
      "u = 1 + eps cos(th); p = 0 at th1 and th1 + pi: tan(th1) = (2 + eps^2) eps'/(eps W); "
      "W = w_outer + w_inner - 2 gamma'";
  static constexpr Text limits =
      "L/D above 2; at L/D = 4, ratio 0.6 it is 1.1 to 1.3 times the finite bearing. The half film "
      "spans half a turn and does not conserve oil.";

  bool full_film = false, full_shear = false;

  static constexpr auto fields() {
    return std::array{viscosity_field(), minimum_film_field(), radius_field()};
  }
  static constexpr auto flags() {
    using L = LongBearing;
    return std::array{
        Flag<L>{&L::full_film, "full_film", "oil bears tension: no cavitation"},
        Flag<L>{&L::full_shear, "full_shear", "the cavitated half drags like a full film"}};
  }
  static constexpr std::array samples{FilmSample{{27e-6, 0, 0, 0, 0, 600}, -56.7853199, 283.63211}};

  static double axial_weight(double) { return 1; }

  template <class T>
  Resistance<T> resist(const T& ax, const T& ay, const T& vx, const T& vy) const {
    const double unit = viscosity * length * R * R * R / (c * c * c);
    const double speed2 = value_of(vx) * value_of(vx) + value_of(vy) * value_of(vy);
    const double ratio2 = value_of(ax) * value_of(ax) + value_of(ay) * value_of(ay);
    if (full_film) return long_full_film(ax, ay, vx, vy, -unit);
    if (speed2 == 0 || ratio2 < kCentred * kCentred) {
      // At rest the half film has no derivative; half the full film is the mean of both sides. At
      // the centre it is the force itself.
      Resistance<T> out = long_full_film(ax, ay, vx, vy, -0.5 * unit);
      if (full_shear) return out;
      out.shear = speed2 > 0 ? centred_shear(ax, ay, vx, vy) : T(0.5 * out.shear);
      return out;
    }
    const Polar<T> p = polar(ax, ay, vx, vy);
    const Planar<T> start = long_film_start(p);
    Resistance<T> out = ratio2 < kSmallRatio * kSmallRatio ? by_quadrature(p, start, -unit)
                                                           : in_closed_form(p, start, unit);
    if (full_shear) out.shear = full_shear_integral(ax, ay);
    return out;
  }

 private:
  // p - p1 vanishes at the ends of the arc: the nodes may be kept fixed when differentiating, the
  // datum may not.
  template <class T>
  static Resistance<T> by_quadrature(const Polar<T>& p, const Planar<T>& start, double unit) {
    const double theta1 = std::atan2(value_of(start.y), value_of(start.x));
    const T k = 12.0 / (2.0 + p.eps * p.eps);
    const T u1 = 1.0 + p.eps * start.x;
    const T datum = -k * p.vt * start.y * (1.0 + u1) / (u1 * u1);
    T radial(0.0), tangential(0.0);
    for (const GaussPoint& g : kGauss16) {
      const double theta = theta1 + 0.5 * std::numbers::pi * (1 + g.x);
      const double weight = 0.5 * std::numbers::pi * g.weight;
      const double cos = std::cos(theta), sin = std::sin(theta);
      const T u = 1.0 + cos * p.eps, u2 = u * u;
      // 6 eps'/eps (1/u^2 - 1/u1^2), without the quotient.
      const T squeeze = 6.0 * p.vn * (start.x - cos) * (u1 + u) / (u2 * u1 * u1);
      const T pressure = weight * (-k * p.vt * sin * (1.0 + u) / u2 - datum + squeeze);
      radial -= cos * pressure;
      tangential -= sin * pressure;
    }
    return {from_polar<T>(p, unit * radial, unit * tangential),
            half_turn(p.eps, start.x, start.y).J1};
  }

  template <class T>
  static Resistance<T> in_closed_form(const Polar<T>& p, const Planar<T>& start, double unit) {
    const HalfTurn<T> J = half_turn(p.eps, start.x, start.y);
    const T e2 = p.eps * p.eps;
    const T A = -12.0 * p.vt / (2.0 + e2), B = 6.0 * p.vn / p.eps;
    const T p1 = (A * start.y * (1.0 + J.u1) + B) / (J.u1 * J.u1);
    const T radial = -A / e2 * (J.u2 + 1.0 / J.u2 - J.u1 - 1.0 / J.u1) + B / p.eps * (J.J1 - J.J2) +
                     2.0 * p1 * start.y;
    const T tangential =
        A * ((1.0 - 1.0 / e2) * (J.J1 + J.J2) + 2.0 * J.J1 / e2 + 2.0 * start.y / p.eps) +
        B / p.eps * (1.0 / J.u2 - 1.0 / J.u1) - 2.0 * p1 * start.x;
    return {from_polar<T>(p, unit * radial, unit * tangential), J.J1};
  }
};

}  // namespace freeplay::films
