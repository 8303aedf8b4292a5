// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "films/film_integrals.hpp"
#include "films/gap_floor.hpp"
#include "films/oil_film.hpp"

// What the closed forms of the journal bearing have in common. Each is a function of the
// eccentricity ratio and of the velocity seen from the frame that turns at the mean spin,
// V = de/dt - (spin_outer + spin_inner)/2 z x e: written with these two vectors everything is
// regular at the centre, and a rigid rotation of both parts gives no force, theory/films (F.2).
namespace freeplay::films {

/// Force and shear of a film in units of its own: see each law.
template <class T>
struct Resistance {
  Planar<T> force;  ///< N
  T shear;          ///< integral of 1/u over the sheared arc
};

/// Derived numbers and checks of every journal law. L gives resist(eps_x, eps_y, v_x, v_y), with v
/// in m/s, and axial_weight(z/L), the share of the force at a station, mean 1.
template <class L>
struct JournalFilm : OilFilm<L> {
  using OilFilm<L>::minimum_film, OilFilm<L>::radius;
  using OilFilm<L>::R, OilFilm<L>::c, OilFilm<L>::floor;

  static constexpr FilmSite sample_site = kOilJournal;
  static constexpr bool spherical = false;

  double viscosity = 0.02;
  double length = kUnprepared;

  static constexpr Field<L> radius_field() {
    return {&L::radius, "radius", "m", "of the film; absent: that of the inner part", 1e-9, 1e3};
  }

  /// Whether it knows surfaces that are out of round.
  static constexpr bool out_of_round = false;

  [[nodiscard]] std::string misfit(const FilmSite& site) const {
    if ((site.outer || site.inner) && !L::out_of_round)
      return "it is of round surfaces; 'reynolds' takes profiles and worn ones";
    if (site.spherical) return "it is for a journal in a bearing, not for a ball";
    if (!(site.length > 0)) return "it needs the length of the bearing";
    if (!(site.clearance > 0)) return "it needs a clearance";
    if (!(site.radius > 0) && std::isnan(radius)) return "it needs the radius of the journal";
    if (minimum_film >= 0.4 * site.clearance) return "minimum_film must lie below 0.4 clearance";
    return {};
  }
  void prepare(const FilmSite& site) {
    OilFilm<L>::prepare(site);
    length = site.length;
  }
  [[nodiscard]] std::vector<Derived> derived() const {
    return {{"clearance ratio c/R", c / R, "1"},
            {"L/D", length / (2 * R), "1"},
            {"thinnest film of the law", floor, "m"}};
  }

  template <class T>
  FilmForce<T> force(const FilmMotion<T>& m) const {
    const Resistance<T> r = resistance(m);
    return with_torques(m, r);
  }

  /// Each slice along the axis works as if the bearing had its eccentricity throughout,
  /// theory/films (F.21).
  template <class T>
  TiltedForce<T> force(const TiltedMotion<T>& m) const {
    TiltedForce<T> out{{T(0.0), T(0.0), T(0.0), T(0.0)}, T(0.0), T(0.0)};
    for (const GaussPoint& g : kGauss16) {
      const double z = 0.5 * length * g.x, share = 0.5 * g.weight;
      FilmMotion<T> at = m.centre;
      at.ex += z * m.slope_x;
      at.ey += z * m.slope_y;
      at.ex_dot += z * m.slope_x_dot;
      at.ey_dot += z * m.slope_y_dot;
      Resistance<T> r = resistance(at);
      const double weight = share * L::axial_weight(0.5 * g.x);
      r.force.x *= T(weight);
      r.force.y *= T(weight);
      r.shear *= T(share);
      const FilmForce<T> f = with_torques(at, r);
      out.centre.fx += f.fx;
      out.centre.fy += f.fy;
      out.centre.torque_inner += f.torque_inner;
      out.centre.torque_outer += f.torque_outer;
      out.mx -= z * f.fy;
      out.my += z * f.fx;
      // The slice pulls at its own centre, z slope away from that of the journal.
      out.centre.torque_inner += z * (m.slope_x * f.fy - m.slope_y * f.fx);
    }
    return out;
  }

 private:
  [[nodiscard]] const L& law() const { return static_cast<const L&>(*this); }

  template <class T>
  Resistance<T> resistance(const FilmMotion<T>& m) const {
    const T mean = 0.5 * (m.spin_outer + m.spin_inner);
    const T vx = m.ex_dot + mean * m.ey, vy = m.ey_dot - mean * m.ex;
    const Planar<T> e = floored_eccentricity(m.ex, m.ey, c, floor);
    return law().resist(e.x / c, e.y / c, vx, vy);
  }

  // theory/films (F.6): with e x F the moments on both parts balance exactly.
  template <class T>
  FilmForce<T> with_torques(const FilmMotion<T>& m, const Resistance<T>& r) const {
    const T couette =
        viscosity * length * R * R * R / c * (r.shear * (m.spin_inner - m.spin_outer));
    const T half = 0.5 * (m.ex * r.force.y - m.ey * r.force.x);
    return {r.force.x, r.force.y, -couette - half, couette - half};
  }
};

/// The direction of the eccentricity and the parts of the velocity along and across it.
template <class T>
struct Polar {
  T eps, nx, ny;  ///< t = (-ny, nx)
  T vn, vt;
};
/// eps must not vanish.
template <class T>
[[nodiscard]] Polar<T> polar(const T& eps_x, const T& eps_y, const T& vx, const T& vy) {
  using std::sqrt;
  Polar<T> p;
  p.eps = sqrt(eps_x * eps_x + eps_y * eps_y);
  p.nx = eps_x / p.eps;
  p.ny = eps_y / p.eps;
  p.vn = p.nx * vx + p.ny * vy;
  p.vt = p.nx * vy - p.ny * vx;
  return p;
}
template <class T>
[[nodiscard]] Planar<T> from_polar(const Polar<T>& p, const T& radial, const T& tangential) {
  return {p.nx * radial - p.ny * tangential, p.ny * radial + p.nx * tangential};
}

/// Ratios below which the direction of the eccentricity means nothing.
inline constexpr double kCentred = 1e-8;

/// The shear integral of a half film ahead of the velocity, for tiny ratios.
template <class T>
[[nodiscard]] T centred_shear(const T& ax, const T& ay, const T& vx, const T& vy) {
  using std::sqrt;
  return std::numbers::pi + 2.0 * (ax * vx + ay * vy) / sqrt(vx * vx + vy * vy);
}

/// 2 pi/sqrt(1 - eps^2): the shear integral of a full film.
template <class T>
[[nodiscard]] T full_shear_integral(const T& eps_x, const T& eps_y) {
  using std::sqrt;
  return 2 * std::numbers::pi / sqrt(1.0 - eps_x * eps_x - eps_y * eps_y);
}

}  // namespace freeplay::films
