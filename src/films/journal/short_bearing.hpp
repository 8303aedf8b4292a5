// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "films/journal/journal_film.hpp"

namespace freeplay::films {

/// Flow along the axis only, theory/films (F.8). p = 6 eta/h^3 (L^2/4 - z^2) V.r; the force is
/// -(eta R L^3/c^3) times the integral of r (r.V)/u^3 over the arc where V.r > 0.
struct ShortBearing : JournalFilm<ShortBearing> {
  static constexpr Text key = "short-bearing";
  static constexpr Text title = "Short bearing";
  static constexpr Text cite = "Ocvirk 1953; DuBois & Ocvirk 1953; Booker 1965 for the motion";
  static constexpr Text formula =
      "p = 6 eta/h^3 (L^2/4 - z^2) V.r; V = e' - (w_outer + w_inner)/2 z x e; h = c - e.r; "
      "F = - integral of p r where p > 0 (half film), or everywhere (full_film)";
  static constexpr Text limits =
      "L/D up to 0.5 and small eccentricity ratios: the force is 1.4 times too large at L/D = 0.5, "
      "ratio 0.6, and 6 times at L/D = 1, ratio 0.9. Atmospheric pressure at the ends, no groove.";

  bool full_film = false, full_shear = false;

  static constexpr auto fields() {
    return std::array{viscosity_field(), minimum_film_field(), radius_field()};
  }
  static constexpr auto flags() {
    using L = ShortBearing;
    return std::array{
        Flag<L>{&L::full_film, "full_film", "oil bears tension: no cavitation"},
        Flag<L>{&L::full_shear, "full_shear", "the cavitated half drags like a full film"}};
  }
  static constexpr std::array samples{FilmSample{{27e-6, 0, 0, 0, 0, 600}, -19.321338, 48.2532446}};

  static double axial_weight(double z) { return 1.5 * (1 - 4 * z * z); }

  template <class T>
  Resistance<T> resist(const T& ax, const T& ay, const T& vx, const T& vy) const {
    const double unit = viscosity * R * length * length * length / (c * c * c);
    const double speed2 = value_of(vx) * value_of(vx) + value_of(vy) * value_of(vy);
    if (full_film || speed2 == 0) {
      // At rest the half film has no derivative; half the full film is the mean of both sides.
      Resistance<T> out = full(ax, ay, vx, vy, full_film ? -unit : -0.5 * unit);
      if (!full_film && !full_shear) out.shear *= T(0.5);
      return out;
    }
    const double ratio2 = value_of(ax) * value_of(ax) + value_of(ay) * value_of(ay);
    Resistance<T> out = ratio2 < kSmallRatio * kSmallRatio ? by_quadrature(ax, ay, vx, vy, -unit)
                                                           : in_closed_form(ax, ay, vx, vy, -unit);
    out.shear = full_shear ? full_shear_integral(ax, ay) : half_film_shear(ax, ay, vx, vy);
    return out;
  }

 private:
  /// Integral of 1/u over the arc where V.r > 0.
  template <class T>
  static T half_film_shear(const T& ax, const T& ay, const T& vx, const T& vy) {
    using std::sqrt;
    const T speed = sqrt(vx * vx + vy * vy);
    const double ratio2 = value_of(ax) * value_of(ax) + value_of(ay) * value_of(ay);
    if (ratio2 < kCentred * kCentred) return centred_shear(ax, ay, vx, vy);
    const Polar<T> p = polar(ax, ay, vx, vy);
    return half_turn<T>(p.eps, -p.vt / speed, p.vn / speed).J1;
  }

  /// -(1 + 2 eps^2) and -1 over powers of 1 - eps^2, as a matrix that is regular at the centre:
  /// radial and tangential resistance differ by 3 eps^2 pi/(1 - eps^2)^(5/2).
  template <class T>
  static Resistance<T> full(const T& ax, const T& ay, const T& vx, const T& vy, double unit) {
    using std::sqrt;
    const T q = 1.0 - ax * ax - ay * ay, root = sqrt(q);
    const T across = std::numbers::pi / (q * root), extra = 3 * std::numbers::pi / (q * q * root);
    const T along = extra * (ax * vx + ay * vy);
    return {{unit * (across * vx + along * ax), unit * (across * vy + along * ay)},
            2 * std::numbers::pi / root};
  }

  // The integrand vanishes at the ends of the arc: they may be kept fixed when differentiating.
  template <class T>
  static Resistance<T> by_quadrature(const T& ax, const T& ay, const T& vx, const T& vy,
                                     double unit) {
    const double middle = std::atan2(value_of(vy), value_of(vx));
    Resistance<T> out{{T(0.0), T(0.0)}, T(0.0)};
    for (const GaussPoint& g : kGauss16) {
      const double angle = middle + 0.5 * std::numbers::pi * g.x;
      const double weight = 0.5 * std::numbers::pi * g.weight;
      const double x = std::cos(angle), y = std::sin(angle);
      const T u = 1.0 - x * ax - y * ay;
      const T p = (unit * weight) * (x * vx + y * vy) / (u * u * u);
      out.force.x += x * p;
      out.force.y += y * p;
    }
    return out;
  }

  template <class T>
  static Resistance<T> in_closed_form(const T& ax, const T& ay, const T& vx, const T& vy,
                                      double unit) {
    using std::sqrt;
    const Polar<T> p = polar(ax, ay, vx, vy);
    // r = -(cos n + sin t) crosses zero pressure where it is V turned back by 90 degrees.
    const T speed = sqrt(vx * vx + vy * vy);
    const T c1 = -p.vt / speed, s1 = p.vn / speed;
    const HalfTurn<T> J = half_turn(p.eps, c1, s1);
    const T e2 = p.eps * p.eps;
    const T cc = (J.J1 - 2.0 * J.J2 + J.J3) / e2;
    const T sc = (1.0 / J.u2 - 0.5 / (J.u2 * J.u2) - 1.0 / J.u1 + 0.5 / (J.u1 * J.u1)) / e2;
    const T ss = -0.5 * s1 / p.eps * (1.0 / (J.u2 * J.u2) + 1.0 / (J.u1 * J.u1)) -
                 (J.J1 - J.J2) / (2.0 * e2);
    return {from_polar<T>(p, unit * (cc * p.vn + sc * p.vt), unit * (sc * p.vn + ss * p.vt)), J.J1};
  }
};

}  // namespace freeplay::films
