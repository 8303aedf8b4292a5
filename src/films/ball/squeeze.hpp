// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "films/ball/ball_film.hpp"

namespace freeplay::films {

/// b(x) = ln(1 - x)/x^3 + 1/(x^2 (1 - x)) - 1/(2 x), -1 < x < 1: squeeze resistance of a half
/// sphere, theory/films (F.19). Its series is the sum of (k + 2)/(k + 3) x^k.
template <class T>
[[nodiscard]] T squeeze_bracket(const T& x) {
  using std::abs, std::log;
  if (abs(x) < T(0.1)) {
    // 16 terms: 0.1^16 is below rounding; the closed form would lose three digits here.
    T sum(0.0);
    for (int k = 15; k >= 0; --k) sum = sum * x + (k + 2.0) / (k + 3.0);
    return sum;
  }
  const T x2 = x * x;
  return log(1.0 - x) / (x2 * x) + 1.0 / (x2 * (1.0 - x)) - 0.5 / x;
}

/// Oil pressed out between ball and socket.
struct Squeeze : BallFilm<Squeeze> {
  static constexpr Text key = "squeeze";
  static constexpr Text title = "Squeeze film of a ball";
  static constexpr Text cite =
      "Silva et al., eq. 15; Tian, Flores & Lankarani 2018, eq. 45, both put right";
  static constexpr Text formula =
      "F = -6 pi eta R^4/c^3 b(x) (V.n) n; x = e/c while closing, -e/c while opening; "
      "b = ln(1 - x)/x^3 + 1/(x^2 (1 - x)) - 1/(2 x)";
  static constexpr Text limits =
      "Half a sphere with atmospheric pressure at its equator; resists motion along the line of "
      "centres only, unless `across` is set. Within 1e-7 c of the centre it is isotropic.";

  bool across = false, spin_drag = false;

  static constexpr auto fields() {
    return std::array{viscosity_field(), minimum_film_field(), radius_field()};
  }
  static constexpr auto flags() {
    using L = Squeeze;
    return std::array{
        Flag<L>{&L::across, "across",
                "resists motion across the line of centres too, with b(0) = 2/3"},
        Flag<L>{&L::spin_drag, "spin_drag",
                "torque 8 pi eta R^4/(3 c) against the relative spin, that of a centred ball"}};
  }
  static constexpr std::array samples{FilmSample{{100e-6, 0, 1e-3, 0, 0, 0}, -13.7113796, 0},
                                      FilmSample{{100e-6, 0, -1e-3, 0, 0, 0}, 3.98617027, 0}};

  template <class T>
  BallForce<T> force(const BallMotion<T>& m) const {
    using std::sqrt;
    const double unit = 6 * std::numbers::pi * viscosity * R * R * R * R / (c * c * c);
    const Vec3T<T> v = entrained(m);
    const T e2 = m.e.dot(m.e);
    Vec3T<T> push;
    const double centred = 1e-7 * c;
    if (value_of(e2) < centred * centred) {
      push = v * T(-2.0 / 3 * unit);
    } else {
      const T e = sqrt(e2);
      const Vec3T<T> n = m.e / e;
      const T eps = ratio(e), vn = n.dot(v);
      const T b = squeeze_bracket(vn < T(0.0) ? T(-eps) : eps);
      push = n * T(-unit * b * vn);
      if (across) push -= (v - n * vn) * T(2.0 / 3 * unit);
    }
    return with_torques(m, push, spin_drag);
  }
};

}  // namespace freeplay::films
