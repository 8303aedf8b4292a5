// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "films/gap_floor.hpp"
#include "films/oil_film.hpp"
#include "laws/numerics.hpp"

#include <numbers>

// What the films of a ball in its socket have in common.
namespace freeplay::films {

template <class L>
struct BallFilm : OilFilm<L> {
  using OilFilm<L>::minimum_film, OilFilm<L>::radius;
  using OilFilm<L>::R, OilFilm<L>::c, OilFilm<L>::floor;

  static constexpr FilmSite sample_site = kOilBall;
  static constexpr bool spherical = true;

  double viscosity = 0.4;

  static constexpr Field<L> radius_field() {
    return {&L::radius, "radius", "m", "of the film; absent: that of the ball", 1e-9, 1e3};
  }

  [[nodiscard]] std::string misfit(const FilmSite& site) const {
    if (!site.spherical) return "it is for a ball in its socket";
    if (!(site.clearance > 0)) return "it needs a clearance";
    if (!(site.radius > 0) && std::isnan(radius)) return "it needs the radius of the ball";
    if (minimum_film >= 0.4 * site.clearance) return "minimum_film must lie below 0.4 clearance";
    return {};
  }
  [[nodiscard]] std::vector<Derived> derived() const {
    return {{"clearance ratio c/R", c / R, "1"},
            {"damping at the centre",
             4 * std::numbers::pi * viscosity * std::pow(R, 4) / (c * c * c), "N s/m"},
            {"thinnest film of the law", floor, "m"}};
  }

 protected:
  /// Velocity seen from the frame that turns at the mean spin.
  template <class T>
  static Vec3T<T> entrained(const BallMotion<T>& m) {
    const Vec3T<T> mean = (m.spin_outer + m.spin_inner) * T(0.5);
    return m.e_dot - mean.cross(m.e);
  }
  /// The moments on both parts and e x F balance, theory/films (F.6). `spin_drag`: against the
  /// relative spin, as of a centred ball.
  template <class T>
  BallForce<T> with_torques(const BallMotion<T>& m, const Vec3T<T>& force, bool spin_drag) const {
    const Vec3T<T> half = m.e.cross(force) * T(0.5);
    Vec3T<T> drag = Vec3T<T>::Constant(T(0.0));
    if (spin_drag)
      drag = (m.spin_inner - m.spin_outer) *
             T(8 * std::numbers::pi * viscosity * R * R * R * R / (3 * c));
    return {force, -drag - half, drag - half};
  }
  /// Ratio of the floored eccentricity, its length being e.
  template <class T>
  T ratio(const T& e) const {
    return (c - floored(T(c - e), floor)) / c;
  }
};

}  // namespace freeplay::films
