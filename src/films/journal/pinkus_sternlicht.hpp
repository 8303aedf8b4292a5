// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "films/journal/long_bearing.hpp"

namespace freeplay::films {

/// The closed approximation of the clearance-joint literature, with the sign of the opening film
/// put right (Tian et al. 2018, eq. 29; papers/tian_2018).
struct PinkusSternlicht : JournalFilm<PinkusSternlicht> {
  static constexpr Text key = "pinkus-sternlicht";
  static constexpr Text title = "Long bearing, Pinkus & Sternlicht";
  static constexpr Text cite =
      "Pinkus & Sternlicht 1961; as in Tian, Flores & Lankarani 2018, eqs 27-31, sign corrected";
  static constexpr Text formula =
      "Fr = -G 6 |eps'|/((2 + eps^2) q^1.5) [4 k eps^2 + s pi (2 + eps^2) X]; "
      "Ft = G 6 pi eps W X/((2 + eps^2) q^0.5); q = 1 - eps^2; s = sign(eps'); "
      "k = sqrt(q ((W/(2 eps'))^2 + 1/eps^2)); X = (k + 3)/(k + 1.5) closing, k/(k + 1.5) opening; "
      "G = eta L R^3/c^2";
  static constexpr Text limits =
      "1 to 10 % from the exact half film when closing, up to 26 % when opening; `long-bearing` is "
      "exact and costs the same. The steady limit is that of the half film.";

  bool full_shear = false;

  static constexpr auto fields() {
    return std::array{viscosity_field(), minimum_film_field(), radius_field()};
  }
  static constexpr auto flags() {
    using L = PinkusSternlicht;
    return std::array{
        Flag<L>{&L::full_shear, "full_shear", "the cavitated half drags like a full film"}};
  }
  static constexpr std::array samples{FilmSample{{27e-6, 0, 0, 0, 0, 600}, -56.7853199, 283.63211}};

  static double axial_weight(double) { return 1; }

  template <class T>
  Resistance<T> resist(const T& ax, const T& ay, const T& vx, const T& vy) const {
    using std::abs, std::sqrt;
    const double unit = viscosity * length * R * R * R / (c * c * c);
    const double speed2 = value_of(vx) * value_of(vx) + value_of(vy) * value_of(vy);
    if (speed2 == 0) {
      Resistance<T> out = long_full_film(ax, ay, vx, vy, -0.5 * unit);
      if (!full_shear) out.shear *= T(0.5);
      return out;
    }
    const T e2 = ax * ax + ay * ay, q = 1.0 - e2, root = sqrt(q);
    const T speed = sqrt(vx * vx + vy * vy);
    const T closing = ax * vx + ay * vy;  // eps times the radial speed
    // k = root |v|/(eps |v_n|): regular when written without the quotient.
    const T k = root * speed;
    const T chi = (closing > T(0.0) ? k + 3.0 * closing : k) / (k + 1.5 * abs(closing));
    const T wedge = 24.0 * speed / ((2.0 + e2) * q);
    const T across = 12 * std::numbers::pi * chi / ((2.0 + e2) * root);
    const T along = 18 * std::numbers::pi * chi * closing / ((2.0 + e2) * q * root) + wedge;
    Resistance<T> out{{-unit * (across * vx + along * ax), -unit * (across * vy + along * ay)},
                      full_shear_integral(ax, ay)};
    if (full_shear) return out;
    if (value_of(e2) < kCentred * kCentred) {
      out.shear = centred_shear(ax, ay, vx, vy);
    } else {
      const Polar<T> p = polar(ax, ay, vx, vy);
      const Planar<T> start = long_film_start(p);
      out.shear = half_turn(p.eps, start.x, start.y).J1;
    }
    return out;
  }
};

}  // namespace freeplay::films
