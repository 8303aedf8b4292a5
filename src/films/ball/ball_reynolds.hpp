// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "films/ball/ball_film.hpp"
#include "films/ball/sphere_reynolds.hpp"
#include "films/reynolds/polar_table.hpp"

#include <memory>

namespace freeplay::films {

/// Squeeze and entrainment in any direction: the Reynolds equation on the sphere, solved once for a
/// table of eccentricity ratio and direction of motion.
struct BallReynolds : BallFilm<BallReynolds> {
  static constexpr Text key = "ball-reynolds";
  static constexpr Text title = "Reynolds equation of a ball";
  static constexpr Text cite = "Goenka 1984; Tian, Flores & Lankarani 2018, eqs 41-44";
  static constexpr Text formula =
      "div(h^3/(12 eta) grad p) = mean spin x R r . grad h + dh/dt = -V.r; h = c - e.r; "
      "V = e' - (w_outer + w_inner)/2 x e; p = 0 on the great circle V.r = 0 and behind it";
  static constexpr Text limits =
      "The film covers the half sphere ahead of the motion; with motion along the line of centres "
      "it is the `squeeze` law. 48 x 18 cells: 0.1 % up to ratio 0.9. No rim of a real socket.";

  double cells = 48;
  bool full_film = false, spin_drag = false;
  std::shared_ptr<const PolarTable> table;  // after prepare()

  static constexpr auto fields() {
    using L = BallReynolds;
    return std::array{
        viscosity_field(), minimum_film_field(), radius_field(),
        Field<L>{&L::cells, "cells", "1", "from the direction of motion to the rim", 16, 500}};
  }
  static constexpr auto flags() {
    using L = BallReynolds;
    return std::array{
        Flag<L>{&L::full_film, "full_film", "oil bears tension: the whole sphere"},
        Flag<L>{&L::spin_drag, "spin_drag",
                "torque 8 pi eta R^4/(3 c) against the relative spin, that of a centred ball"}};
  }
  static constexpr std::array samples{FilmSample{{100e-6, 0, 1e-3, 0, 0, 0}, -13.7100668, 0}};

  void prepare(const FilmSite& site) {
    BallFilm::prepare(site);
    const SphereGrid grid{static_cast<int>(cells), std::max(8, static_cast<int>(cells * 0.375)),
                          full_film};
    constexpr double kBall = -1;  // tells its tables from those of journals
    table = shared_table({kBall, cells, double(full_film), floor / c}, 1 - floor / c, 41, 25,
                         [&](double ratio, double along, double across) -> PolarTable::Row {
                           const auto [radial, tangential] =
                               sphere_film(grid, ratio, along, std::abs(across));
                           return {-radial, -tangential, 0, 0, 0};
                         });
  }

  template <class T>
  BallForce<T> force(const BallMotion<T>& m) const {
    using std::sqrt;
    const double unit = viscosity * R * R * R * R / (c * c * c);
    const Vec3T<T> v = entrained(m);
    const T e2 = m.e.dot(m.e);
    Vec3T<T> push;
    const bool centred = value_of(e2) < 1e-18 * c * c;
    const T e = centred ? T(0.0) : sqrt(e2);
    // Plane of the table: x along the line of centres, y the rest of the motion.
    const Vec3T<T> n = centred ? Vec3T<T>(T(1.0), T(0.0), T(0.0)) : Vec3T<T>(m.e / e);
    const T along = n.dot(v);
    const Vec3T<T> rest = v - n * along;
    const T rest2 = rest.dot(rest);
    const bool straight = value_of(rest2) <= 1e-28 * value_of(along) * value_of(along);
    const T across = straight ? T(0.0) : sqrt(rest2);
    const T eps = centred ? T(0.0) : ratio(e);
    const auto f = table->evaluate<T>(eps, T(0.0), along, across).force;
    push = n * T(unit * f.x);
    // Without motion across, its resistance is still a number: force per speed.
    if (straight)
      push += rest * T(unit * table->across_resistance(value_of(eps), value_of(along)));
    else
      push += rest * T(unit * f.y / across);
    return with_torques(m, push, spin_drag);
  }
};

}  // namespace freeplay::films
