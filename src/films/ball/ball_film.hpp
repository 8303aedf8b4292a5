// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "films/gap_floor.hpp"
#include "laws/numerics.hpp"

#include <numbers>

// What the films of a ball in its socket have in common.
namespace freeplay::films {

template <class L>
struct BallFilm {
  static constexpr FilmSite sample_site = kOilBall;
  static constexpr bool spherical = true;

  double viscosity = 0.4;
  double minimum_film = kDerived;
  double radius = kDerived;
  double R = kUnprepared, c = kUnprepared, floor = kUnprepared;

  static constexpr Field<L> viscosity_field() {
    return {&L::viscosity, "viscosity", "Pa s", "dynamic viscosity of the oil", 1e-9, 1e6, true};
  }
  static constexpr Field<L> minimum_film_field() {
    return {&L::minimum_film,
            "minimum_film",
            "m",
            "the film law sees no thinner film; absent: a thousandth of the clearance",
            1e-12,
            1};
  }
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
  void prepare(const FilmSite& site) {
    R = std::isnan(radius) ? site.radius : radius;
    c = site.clearance;
    floor = std::isnan(minimum_film) ? 1e-3 * c : minimum_film;
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
  /// Ratio of the floored eccentricity, its length being e.
  template <class T>
  T ratio(const T& e) const {
    return (c - floored(T(c - e), floor)) / c;
  }
};

}  // namespace freeplay::films
