// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "films/journal/journal_film.hpp"
#include "films/reynolds/journal_reynolds.hpp"
#include "films/reynolds/polar_table.hpp"
#include "films/roughness.hpp"

#include <algorithm>
#include <memory>
#include <span>

namespace freeplay::films {

/// The bearing of finite length, solved numerically; one law per cavitation condition.
template <class L, Cavitation kCondition>
struct ReynoldsFilm : JournalFilm<L> {
  using Base = JournalFilm<L>;
  static constexpr Cavitation cavitation = kCondition;
  static constexpr bool out_of_round = true;

  double cells_around = 64, cells_along = 16;
  double supply_pressure = 0, ambient_pressure = 0;
  double grooves = 0, groove_angle = 0, groove_width = 0;
  double liner_thickness = 0, liner_modulus = kDerived, liner_poisson = 0.3;
  double roughness = 0;
  double summit_radius = kDerived, summit_density = kDerived, summit_modulus = kDerived;
  bool full_shear = false, tabulated = false, record_pressure = false, steady_voids = false;
  std::shared_ptr<const JournalReynolds> solver;  // after prepare()
  std::shared_ptr<const PolarTable> table;        // if tabulated, in units of the bearing
  double force_unit = kUnprepared;                // of the table: eta R^4/c^3; N s/m

  static constexpr auto fields() {
    return std::array{
        Base::viscosity_field(),
        Base::minimum_film_field(),
        Base::radius_field(),
        Field<L>{&L::cells_around, "cells_around", "1", "intervals around the journal", 12, 2000},
        Field<L>{&L::cells_along, "cells_along", "1", "intervals along the axis, even", 4, 500},
        Field<L>{&L::grooves, "grooves", "1", "axial supply grooves, evenly spaced; 0: none", 0,
                 12},
        Field<L>{&L::groove_angle, "groove_angle", "rad",
                 "middle of the first groove, from the x axis of the bearing", -100, 100},
        Field<L>{&L::groove_width, "groove_width", "rad", "of each groove; 0: a line", 0, 3},
        Field<L>{&L::supply_pressure, "supply_pressure", "Pa",
                 "in the grooves, above the cavitation pressure", 0, 1e9},
        Field<L>{&L::ambient_pressure, "ambient_pressure", "Pa",
                 "at both ends, above the cavitation pressure", 0, 1e9},
        Field<L>{&L::liner_thickness, "liner_thickness", "m", "of an elastic liner; 0: rigid", 0,
                 1},
        Field<L>{&L::liner_modulus, "liner_modulus", "Pa", "Young's modulus of the liner", 1e3,
                 1e13},
        Field<L>{&L::liner_poisson, "liner_poisson", "1", "Poisson's ratio of the liner", 0, 0.499},
        Field<L>{&L::roughness, "roughness", "m",
                 "standard deviation of both surfaces together; 0: smooth", 0, 1e-3},
        Field<L>{&L::summit_radius, "summit_radius", "m",
                 "beta of the asperities; given, they carry load", 1e-9, 1},
        Field<L>{&L::summit_density, "summit_density", "1/m^2", "asperities per area, eta_s", 1,
                 1e18},
        Field<L>{&L::summit_modulus, "summit_modulus", "Pa",
                 "E' of both surfaces: 1/E' = (1 - nu1^2)/E1 + (1 - nu2^2)/E2", 1e3, 1e13}};
  }
  static constexpr auto flags() {
    constexpr Flag<L> shear{&L::full_shear, "full_shear", "cavitated oil drags like a full film"};
    constexpr Flag<L> record{&L::record_pressure, "record_pressure",
                             "write the pressure of every node with every row of the result"};
    if constexpr (kCondition == Cavitation::mass_conserving)
      return std::array{
          shear, record,
          Flag<L>{&L::steady_voids, "steady_voids",
                  "the voids are those that the motion of the instant would keep up for ever"}};
    else
      return std::array{
          shear, record,
          Flag<L>{&L::tabulated, "tabulated",
                  "solve once for a table of eccentricity ratio and direction of motion; needs a "
                  "rigid bearing without grooves; a journal that tilts is solved for each time"}};
  }

  [[nodiscard]] std::string conflict() const {
    const auto whole = [](double x) { return x == std::floor(x); };
    if (!whole(cells_around) || !whole(cells_along) || !whole(grooves))
      return "cells_around, cells_along and grooves must be whole numbers";
    if (static_cast<int>(cells_along) % 2 != 0) return "cells_along must be even";
    if (grooves * groove_width >= 6) return "the grooves leave no room for pads";
    if (liner_thickness > 0 && std::isnan(liner_modulus)) return "a liner needs liner_modulus";
    if (tabulated && (grooves > 0 || liner_thickness > 0 || ambient_pressure > 0))
      return "a table needs a rigid bearing without grooves and ambient pressure";
    const int summits =
        !std::isnan(summit_radius) + !std::isnan(summit_density) + !std::isnan(summit_modulus);
    if (summits != 0 && (summits != 3 || roughness == 0))
      return "asperities that carry load need roughness, summit_radius, summit_density and "
             "summit_modulus";
    if (kCondition == Cavitation::mass_conserving) {
      if (grooves == 0 && ambient_pressure == 0)
        return "without a groove or an ambient pressure above the cavitation pressure a "
               "mass-conserving film runs dry";
    }
    return {};
  }

  [[nodiscard]] std::string misfit(const FilmSite& site) const {
    if ((site.outer || site.inner) && tabulated)
      return "its table is of round surfaces; leave out 'tabulated'";
    if ((site.outer || site.inner) && !std::isnan(summit_radius))
      return "asperities that bear load are those of round surfaces; leave out 'summit_radius', "
             "'summit_density' and 'summit_modulus'";
    return Base::misfit(site);
  }
  void prepare(const FilmSite& site) {
    Base::prepare(site);
    ReynoldsSettings s;
    if (site.outer) s.bearing = *site.outer;
    if (site.inner) s.journal = *site.inner;
    s.around = static_cast<int>(cells_around);
    s.along = static_cast<int>(cells_along);
    s.cavitation = kCondition;
    for (int g = 0; g < static_cast<int>(grooves); ++g)
      s.grooves.push_back({groove_angle + 2 * std::numbers::pi * g / grooves, groove_width});
    s.radius = this->R;
    s.length = this->length;
    s.clearance = this->c;
    s.viscosity = this->viscosity;
    s.minimum_film = this->floor;
    s.supply_pressure = supply_pressure;
    s.ambient_pressure = ambient_pressure;
    // Winkler: each column of the liner stands alone, held sideways, theory/films (F.26).
    if (liner_thickness > 0)
      s.compliance = liner_thickness * (1 + liner_poisson) * (1 - 2 * liner_poisson) /
                     ((1 - liner_poisson) * liner_modulus);
    s.roughness = roughness;
    s.full_shear = full_shear;
    solver = std::make_shared<const JournalReynolds>(s);
    force_unit = this->viscosity * std::pow(this->R, 4) / std::pow(this->c, 3);
    table = nullptr;
    if (tabulated) table = make_table(s);
  }

  template <class T>
  FilmForce<T> force(const FilmMotion<T>& m) const {
    const Relative<T> v = relative(m);
    if (table) {
      const Planar<T> e = floored_eccentricity(m.ex, m.ey, this->c, this->floor);
      const auto [f, shear] = table->evaluate<T>(T(e.x / this->c), T(e.y / this->c), v.x, v.y);
      return with_summits(m, with_torques(m, {f.x * force_unit, f.y * force_unit}, shear));
    }
    return with_summits(m, result(m, v, solve(m)));
  }

  /// The solution behind the force, never the table.
  template <class T>
  [[nodiscard]] ReynoldsResult solve(const FilmMotion<T>& m) const {
    const Relative<T> v = relative(m);
    return solver->solve(value_of(m.ex), value_of(m.ey), value_of(v.x), value_of(v.y),
                         value_of(v.slip), kGradients<T>, value_of(m.turn));
  }
  template <class T>
  [[nodiscard]] ReynoldsResult solve(const TiltedMotion<T>& m) const {
    const Relative<T> v = relative(m.centre);
    const T mean = 0.5 * (m.centre.spin_outer + m.centre.spin_inner);
    return solver->solve_tilted(value_of(m.centre.ex), value_of(m.centre.ey), value_of(v.x),
                                value_of(v.y), value_of(m.slope_x), value_of(m.slope_y),
                                value_of(T(m.slope_x_dot + mean * m.slope_y)),
                                value_of(T(m.slope_y_dot - mean * m.slope_x)), kGradients<T>);
  }
  /// Largest pressure and wet share of a parallel journal.
  [[nodiscard]] PolarTable::Seen seen(const FilmMotion<>& m) const {
    if (!table) {
      const ReynoldsResult r = solve(m);
      return {r.max_pressure, r.wet_share};
    }
    const Relative<double> v = relative(m);
    const Planar<double> e = floored_eccentricity(m.ex, m.ey, this->c, this->floor);
    PolarTable::Seen out = table->observe(e.x / this->c, e.y / this->c, v.x, v.y);
    out.max_pressure *= force_unit / (this->R * this->R);
    return out;
  }

  template <class T>
  TiltedForce<T> force(const TiltedMotion<T>& m) const {
    const Relative<T> v = relative(m.centre);
    const T mean = 0.5 * (m.centre.spin_outer + m.centre.spin_inner);
    const T svx = m.slope_x_dot + mean * m.slope_y, svy = m.slope_y_dot - mean * m.slope_x;
    const ReynoldsResult r = solve(m);
    const std::array<T, 9> inputs{m.centre.ex, m.centre.ey, v.x, v.y, v.slip,
                                  m.slope_x,   m.slope_y,   svx, svy};
    TiltedForce<T> out;
    const T mx = chained(r.mx, r.dmx, inputs), my = chained(r.my, r.dmy, inputs);
    // e x F of a tilted film: that of the middle plane plus slope times moment.
    out.centre = with_torques(
        m.centre, Planar<T>{chained(r.fx, r.dfx, inputs), chained(r.fy, r.dfy, inputs)},
        chained(r.shear, r.dshear, inputs), T(-m.slope_x * mx - m.slope_y * my));
    out.mx = mx;
    out.my = my;
    add_summits(m, out);
    return out;
  }

  /// Numbers in State: the voids of a film that conserves mass.
  [[nodiscard]] std::size_t states() const {
    return kCondition == Cavitation::mass_conserving && !steady_voids ? solver->states() : 0;
  }
  /// With memory: implicit Euler from the voids `before`, dt ago, to those `after`. The axes are
  /// those of the bearing. dt = 0 and no voids are not meant: use force().
  template <class T>
  FilmForce<T> force(const FilmMotion<T>& m, std::span<const double> before, double dt,
                     std::span<double> after) const {
    const Relative<T> v = relative(m);
    const ReynoldsResult r =
        solver->solve_step(value_of(m.ex), value_of(m.ey), value_of(v.x), value_of(v.y),
                           value_of(v.slip), before, dt, after, kGradients<T>);
    return with_summits(m, result(m, v, r));
  }

 private:
  template <class T>
  static constexpr bool kGradients = !std::is_same_v<T, double>;

  /// In units of the bearing the film depends on L/R, floor and roughness over clearance and on the
  /// grid: a study of viscosities or clearances shares one table.
  static std::shared_ptr<const PolarTable> make_table(const ReynoldsSettings& s) {
    ReynoldsSettings unit = s;
    unit.radius = unit.clearance = unit.viscosity = 1;
    unit.length = s.length / s.radius;
    unit.minimum_film = s.minimum_film / s.clearance;
    unit.roughness = s.roughness / s.clearance;
    const std::vector<double> key{double(kCondition),   double(s.around), double(s.along),
                                  double(s.full_shear), unit.length,      unit.minimum_film,
                                  unit.roughness};
    const JournalReynolds bearing(unit);
    return shared_table(key, 1 - unit.minimum_film, 49, 97,
                        [&](double ratio, double along, double across) -> PolarTable::Row {
                          const ReynoldsResult r = bearing.solve(ratio, 0, along, across, 0, false);
                          return {r.fx, r.fy, r.shear, r.max_pressure, r.wet_share};
                        });
  }

  /// Load of the asperities; Greenwood & Tripp 1970, theory/films (F.28). It acts through the
  /// centre of the journal at each station, so that it adds no torque to a parallel one.
  [[nodiscard]] Asperities summits() const {
    return {roughness, summit_radius, summit_density, summit_modulus};
  }
  template <class T>
  FilmForce<T> with_summits(const FilmMotion<T>& m, FilmForce<T> out) const {
    if (std::isnan(summit_radius)) return out;
    const Planar<T> push = summits().journal_force(m.ex, m.ey, this->c, this->R, this->length);
    out.fx += push.x;
    out.fy += push.y;
    return out;
  }
  template <class T>
  void add_summits(const TiltedMotion<T>& m, TiltedForce<T>& out) const {
    if (std::isnan(summit_radius)) return;
    for (const GaussPoint& g : kGauss16) {
      const double z = 0.5 * this->length * g.x;
      const Planar<T> push =
          summits().journal_force(T(m.centre.ex + z * m.slope_x), T(m.centre.ey + z * m.slope_y),
                                  this->c, this->R, 0.5 * g.weight * this->length);
      out.centre.fx += push.x;
      out.centre.fy += push.y;
      out.mx -= z * push.y;
      out.my += z * push.x;
      out.centre.torque_inner += z * (m.slope_x * push.y - m.slope_y * push.x);
    }
  }

  template <class T>
  struct Relative {
    T x, y, slip;
  };
  template <class T>
  static Relative<T> relative(const FilmMotion<T>& m) {
    const T mean = 0.5 * (m.spin_outer + m.spin_inner);
    return {m.ex_dot + mean * m.ey, m.ey_dot - mean * m.ex, 0.5 * (m.spin_inner - m.spin_outer)};
  }
  template <class T>
  FilmForce<T> result(const FilmMotion<T>& m, const Relative<T>& v, const ReynoldsResult& r) const {
    const std::array<T, 9> inputs{m.ex, m.ey, v.x, v.y, v.slip, m.turn, T(0.0), T(0.0), T(0.0)};
    FilmForce<T> out =
        with_torques(m, Planar<T>{chained(r.fx, r.dfx, inputs), chained(r.fy, r.dfy, inputs)},
                     chained(r.shear, r.dshear, inputs));
    if (solver->round()) return out;
    // Pressure on surfaces that are not round, theory/films (F.30).
    const T twist = chained(r.twist, r.dtwist, inputs);
    out.torque_inner += twist;
    out.torque_outer -= twist;
    return out;
  }
  /// theory/films (F.6); `further` is what e x F gains by the tilt.
  template <class T>
  FilmForce<T> with_torques(const FilmMotion<T>& m, const Planar<T>& f, const T& shear,
                            const T& further = T(0.0)) const {
    const double unit = this->viscosity * this->length * std::pow(this->R, 3) / this->c;
    const T couette = unit * (shear * (m.spin_inner - m.spin_outer));
    const T half = 0.5 * (m.ex * f.y - m.ey * f.x + further);
    return {f.x, f.y, -couette - half + further, couette - half};
  }
};

struct ReynoldsSwiftStieber : ReynoldsFilm<ReynoldsSwiftStieber, Cavitation::swift_stieber> {
  static constexpr Text key = "reynolds";
  static constexpr Text title = "Finite bearing, Reynolds condition";
  static constexpr Text cite = "Reynolds 1886; Swift 1932, Stieber 1933";
  static constexpr Text formula =
      "div(h^3 grad p) = 6 eta (w_outer + w_inner) dh/dth + 12 eta dh/dt where p > 0; "
      "p >= 0 and no more oil than that: a complementarity problem; h = c - e.r";
  static constexpr Text limits =
      "Conserves oil where the film breaks, not where it forms again: without a groove it starts "
      "where the pressure rises by itself. Isothermal, no inertia, c/R up to 0.01.";
  static constexpr std::array samples{
      FilmSample{{27e-6, 0, 0, 0, 0, 600}, -14.8050369, 40.4457316}};
};

struct ReynoldsGuembel : ReynoldsFilm<ReynoldsGuembel, Cavitation::guembel> {
  static constexpr Text key = "reynolds-guembel";
  static constexpr Text title = "Finite bearing, half film";
  static constexpr Text cite = "Reynolds 1886; Guembel 1921";
  static constexpr Text formula =
      "div(h^3 grad p) = 6 eta (w_outer + w_inner) dh/dth + 12 eta dh/dt everywhere; "
      "only p > 0 counts; h = c - e.r";
  static constexpr Text limits =
      "Does not conserve oil; 5 to 20 % less load than the Reynolds condition. Isothermal, no "
      "inertia, c/R up to 0.01.";
  static constexpr std::array samples{
      FilmSample{{27e-6, 0, 0, 0, 0, 600}, -12.3844989, 39.3254167}};
};

struct ReynoldsFullFilm : ReynoldsFilm<ReynoldsFullFilm, Cavitation::full_film> {
  static constexpr Text key = "reynolds-full-film";
  static constexpr Text title = "Finite bearing, full film";
  static constexpr Text cite = "Reynolds 1886; Sommerfeld 1904";
  static constexpr Text formula =
      "div(h^3 grad p) = 6 eta (w_outer + w_inner) dh/dth + 12 eta dh/dt everywhere; h = c - e.r";
  static constexpr Text limits =
      "Oil bears any tension: right for high ambient pressure only. Isothermal, no inertia, c/R up "
      "to 0.01.";
  static constexpr std::array samples{FilmSample{{27e-6, 0, 0, 0, 0, 600}, 0, 78.6508335}};
};

struct ReynoldsMassConserving : ReynoldsFilm<ReynoldsMassConserving, Cavitation::mass_conserving> {
  static constexpr Text key = "reynolds-mass-conserving";
  static constexpr Text title = "Finite bearing, mass-conserving";
  static constexpr Text cite =
      "Jakobsson & Floberg 1957, Olsson 1965; complementarity as in Giacopini et al. 2010";
  static constexpr Text formula =
      "div(h^3/(12 eta) grad p) = (w_outer + w_inner)/2 d(a h)/dth + d(a h)/dt; "
      "p >= 0; 0 < a <= 1; p (1 - a) = 0; a: share of oil in the gap";
  static constexpr Text limits =
      "Needs a supply: a groove, or ambient above cavitation pressure. First order in the grid "
      "where voids are carried along. A tilted journal takes the Reynolds condition. The voids of "
      "a moving journal are a memory of one number a cell, switching between void and pressure; a "
      "run does not carry it and takes this law only with steady_voids, exact at equilibrium and "
      "for motion that is slow against a turn of the oil.";

  ReynoldsMassConserving() { grooves = 1; }
  static constexpr std::array samples{
      FilmSample{{-27e-6, 0, 0, 0, 0, 600}, 15.8217721, -40.1307547}};
};

}  // namespace freeplay::films
