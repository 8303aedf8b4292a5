// SPDX-License-Identifier: Apache-2.0
#include "films/chart.hpp"

#include <limits>
#include <numbers>

namespace freeplay::films {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Force, torque and their derivatives by position and velocity, in axes of the caller.
struct Answer {
  double fx, fy, torque;
  std::array<double, 4> position, velocity;  // dF_i/dx_j: xx, xy, yx, yy
  double side_flow = kUnknown, max_pressure = kUnknown;
};

template <class L>
Answer evaluate(const L& law, const BearingCase& b, double ex, double ey) {
  using D = Dual<4>;
  const FilmMotion<D> m{D::variable(ex, 0), D::variable(ey, 1), D::variable(0, 2),
                        D::variable(0, 3),  D(b.bearing_speed), D(b.speed)};
  const FilmForce<D> f = law.force(m);
  Answer out{f.fx.value,
             f.fy.value,
             -f.torque_inner.value,
             {f.fx.d[0], f.fx.d[1], f.fy.d[0], f.fy.d[1]},
             {f.fx.d[2], f.fx.d[3], f.fy.d[2], f.fy.d[3]}};
  const double mean = 0.5 * (b.speed + b.bearing_speed);
  if constexpr (requires { law.solver; }) {
    const ReynoldsResult r =
        law.solver->solve(ex, ey, mean * ey, -mean * ex, 0.5 * (b.speed - b.bearing_speed), false);
    out.side_flow = r.side_flow;
    out.max_pressure = r.max_pressure;
  } else if constexpr (std::is_same_v<L, ShortBearing>) {
    // p = 6 eta eps w sin/(c^2 u^3) L^2/4 in the middle plane, w the mean spin; largest where
    // C = cos satisfies 2 eps C^2 - C - 3 eps = 0.
    const double eps = std::hypot(ex, ey) / law.c;
    const double C = (1 - std::sqrt(1 + 24 * eps * eps)) / (4 * eps);
    const double u = 1 + eps * C, sine = std::sqrt(1 - C * C);
    out.max_pressure = 1.5 * law.viscosity * law.length * law.length / (law.c * law.c) * eps *
                       mean * sine / (u * u * u);
    // What the rotation brings through the widest gap and does not take through the narrowest.
    if (!law.full_film) out.side_flow = 2 * mean * law.R * law.length * law.c * eps;
  }
  return out;
}

/// The journal law of the case, prepared; with its inlet where the gap is widest if so asked, for
/// an eccentricity along x.
FilmLaw prepared(const BearingCase& b) {
  FilmLaw law = b.law;
  std::visit(
      [&]<class L>(L& l) {
        if constexpr (requires { l.grooves; })
          if (b.inlet_at_widest_gap) {
            l.grooves = 1;
            l.groove_angle = kPi;
            l.groove_width = 0;
          }
        l.prepare(b.site);
      },
      law);
  return law;
}

Answer answer(const FilmLaw& law, const BearingCase& b, double ex, double ey) {
  return std::visit(
      [&]<class L>(const L& l) -> Answer {
        if constexpr (L::spherical)
          return {kUnknown, kUnknown, kUnknown, {}, {}};
        else
          return evaluate(l, b, ex, ey);
      },
      law);
}

bool has_fixed_grooves(const BearingCase& b) {
  return !b.inlet_at_widest_gap && std::visit(
                                       []<class L>(const L& l) {
                                         if constexpr (requires { l.grooves; })
                                           return l.grooves > 0;
                                         else
                                           return false;
                                       },
                                       b.law);
}

std::array<double, 4> turned(const std::array<double, 4>& m, double angle) {
  // R^T m R with R the rotation by `angle`.
  const double c = std::cos(angle), s = std::sin(angle);
  const auto [xx, xy, yx, yy] = m;
  return {c * c * xx + c * s * (xy + yx) + s * s * yy, c * c * xy - s * s * yx + c * s * (yy - xx),
          c * c * yx - s * s * xy + c * s * (yy - xx), c * c * yy - c * s * (xy + yx) + s * s * xx};
}

/// Routh-Hurwitz of a rigid journal on eight coefficients.
double critical_mass(const std::array<double, 4>& k, const std::array<double, 4>& c) {
  const double sum = c[0] + c[3], det_c = c[0] * c[3] - c[1] * c[2];
  const double det_k = k[0] * k[3] - k[1] * k[2];
  const double mixed = k[0] * c[3] + k[3] * c[0] - k[1] * c[2] - k[2] * c[1];
  const double k0 = mixed / sum;
  const double whirl2 = ((k0 - k[0]) * (k0 - k[3]) - k[1] * k[2]) / det_c;
  if (!(whirl2 > 0) || !(k0 > 0)) return det_k > 0 ? std::numeric_limits<double>::infinity() : 0;
  return k0 / whirl2;
}

BearingPoint finished(const BearingCase& b, const FilmLaw& law, const Answer& a, double ratio,
                      double attitude, double turn) {
  const auto [R, c, length, viscosity] = std::visit(
      [&]<class L>(const L& l) -> std::array<double, 4> {
        return {l.R, l.c, b.site.length, l.viscosity};
      },
      law);
  BearingPoint out;
  out.ratio = ratio;
  out.attitude = attitude;
  out.load = std::hypot(a.fx, a.fy);
  const double turns = std::abs(b.speed) / (2 * kPi);
  out.sommerfeld = viscosity * turns * length * 2 * R * (R / c) * (R / c) / out.load;
  out.torque = a.torque;
  out.friction = a.torque / (c * out.load);
  out.power = a.torque * b.speed;
  out.min_film = c * (1 - ratio);
  out.side_flow = a.side_flow;
  out.max_pressure = a.max_pressure;
  out.stiffness = turned(a.position, turn);
  out.damping = turned(a.velocity, turn);
  for (std::size_t i = 0; i < 4; ++i) {
    out.stiffness[i] = -out.stiffness[i];
    out.damping[i] = -out.damping[i];
    out.stiffness_number[i] = out.stiffness[i] * c / out.load;
    out.damping_number[i] = out.damping[i] * c * b.speed / out.load;
  }
  out.critical_mass = critical_mass(out.stiffness, out.damping);
  return out;
}

/// Where the journal runs, in axes in which the caller looks at it: the load along x where grooves
/// are fixed, otherwise the eccentricity.
struct Place {
  double ex = 0, ey = 0;  ///< m
  double attitude = 0;    ///< of the eccentricity, ahead of the load; rad
  double turn = 0;        ///< from these axes to those of the load; rad
};

/// With the eccentricity along x the load comes out by itself, `attitude` behind it.
std::optional<Place> place_without_grooves(const BearingCase& b, const FilmLaw& law, double ratio) {
  const double e = ratio * b.site.clearance;
  const Answer a = answer(law, b, e, 0);
  const double attitude = std::atan2(a.fy, -a.fx);
  if (!std::isfinite(attitude)) return std::nullopt;
  return Place{e, 0, attitude, -attitude};
}

/// The load along x: the attitude at which the film pushes straight back. Not every ratio has one:
/// where the grooves interrupt the film it may push sideways all around.
std::optional<Place> place_with_grooves(const BearingCase& b, const FilmLaw& law, double ratio) {
  const double e = ratio * b.site.clearance;
  const auto off = [&](double attitude) {
    const Answer a = answer(law, b, e * std::cos(attitude), e * std::sin(attitude));
    return std::atan2(-a.fy, -a.fx);
  };
  const auto at = [&](double attitude) {
    const double wrapped = std::remainder(attitude, 2 * kPi);
    return Place{e * std::cos(wrapped), e * std::sin(wrapped), wrapped, 0};
  };
  // By secants from the attitude of a short bearing, which is near it for most.
  double x0 = std::atan2(kPi * std::sqrt(1 - ratio * ratio), 4 * ratio), f0 = off(x0);
  const double first = x0;
  double x1 = x0 - 0.5 * f0, f1 = off(x1);
  for (int i = 0; i < 60 && std::abs(f1) > 1e-12; ++i) {
    const double step = f1 == f0 ? -0.5 * f1 : -f1 * (x1 - x0) / (f1 - f0);
    x0 = x1;
    f0 = f1;
    x1 += std::clamp(step, -0.3, 0.3);
    f1 = off(x1);
  }
  if (std::abs(f1) < 1e-8) return at(x1);
  // Else look all around, and take the nearest place where the force turns through the load.
  std::optional<double> best;
  constexpr int kLooks = 90;
  double left = -kPi, f_left = off(left);
  for (int k = 1; k <= kLooks; ++k) {
    const double right = -kPi + 2 * kPi * k / kLooks, f_right = off(right);
    if (f_left * f_right <= 0 && std::abs(f_left - f_right) < kPi) {
      double a = left, fa = f_left, z = right;
      for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (a + z), f = off(middle);
        if (f * fa > 0)
          a = middle, fa = f;
        else
          z = middle;
      }
      const auto distance = [&](double x) { return std::abs(std::remainder(x - first, 2 * kPi)); };
      // A jump of the direction is no zero of it.
      if (std::abs(off(z)) < 1e-8 && (!best || distance(z) < distance(*best))) best = z;
    }
    left = right;
    f_left = f_right;
  }
  if (!best) return std::nullopt;
  return at(*best);
}

/// Where a load rests between fixed grooves. A massless journal is let go and followed until it
/// stands: c e' = F + W by implicit Euler, whose steps grow as the balance is approached and then
/// are Newton's; c is the film's largest damping there, which grows towards the wall. No step takes
/// more than half the film, so the way never leads out of the bearing, and no attitude is asked for
/// at a ratio that has none.
std::optional<Place> place_under_load(const BearingCase& b, const FilmLaw& law, double load,
                                      std::optional<Place> guess) {
  const double c = b.site.clearance;
  double ex = 0.3 * c, ey = 0.4 * c;
  if (guess) ex = guess->ex, ey = guess->ey;
  Answer a = answer(law, b, ex, ey);
  const auto miss = [&](const Answer& x) { return std::hypot(x.fx + load, x.fy) / load; };
  double now = miss(a), dt = 1 / std::abs(b.speed);
  for (int i = 0; i < 400 && now > 1e-11; ++i) {
    // (c/dt + K) de = F + W with K = -dF/de.
    double damping = 0;
    for (const double x : a.velocity) damping = std::max(damping, std::abs(x));
    std::array<double, 4> m;
    for (std::size_t k = 0; k < 4; ++k) m[k] = -a.position[k];
    m[0] += damping / dt;
    m[3] += damping / dt;
    const double det = m[0] * m[3] - m[1] * m[2], rx = a.fx + load, ry = a.fy;
    double dx = (m[3] * rx - m[1] * ry) / det, dy = (m[0] * ry - m[2] * rx) / det;
    const double length = std::hypot(dx, dy), room = c - std::hypot(ex, ey);
    if (!std::isfinite(length)) return std::nullopt;
    const double allowed = std::min(0.3 * c, 0.5 * room);
    if (length > allowed) dx *= allowed / length, dy *= allowed / length;
    const Answer next = answer(law, b, ex + dx, ey + dy);
    const double then = miss(next);
    if (!std::isfinite(then)) return std::nullopt;
    if (then > 3 * now && then > 0.1 && length * b.speed * dt > 1e-12 * c) {
      dt *= 0.25;
      continue;
    }
    dt *= std::clamp(2 * now / then, 1.0, 20.0);
    ex += dx;
    ey += dy;
    a = next;
    now = then;
  }
  if (!(now < 1e-8) || !(std::hypot(ex, ey) < 0.999 * c)) return std::nullopt;
  return Place{ex, ey, std::atan2(ey, ex), 0};
}

/// Without grooves the load grows with the ratio; by false position and bisection in its logarithm.
std::optional<Place> ratio_of_load(const BearingCase& b, const FilmLaw& law, double load) {
  const auto miss = [&](double ratio) {
    const Answer a = answer(law, b, ratio * b.site.clearance, 0);
    return std::log(std::hypot(a.fx, a.fy) / load);
  };
  double low = 1e-4, high = 0.999, f_low = miss(low), f_high = miss(high), middle = low;
  if (!(f_low <= 0) || !(f_high >= 0)) return std::nullopt;
  for (int i = 0; i < 200; ++i) {
    middle = i % 2 ? 0.5 * (low + high) : (low * f_high - high * f_low) / (f_high - f_low);
    if (!(middle > low && middle < high)) middle = 0.5 * (low + high);
    const double f = miss(middle);
    if (std::isnan(f)) return std::nullopt;
    if (std::abs(f) < 1e-12 || high - low < 1e-14) break;
    (f < 0 ? low : high) = middle;
    (f < 0 ? f_low : f_high) = f;
  }
  return place_without_grooves(b, law, middle);
}

/// The case on another grid; nothing if its law has none, or none as coarse as that.
std::optional<BearingCase> on_grid(const BearingCase& b, int around, int along) {
  BearingCase out = b;
  const bool possible = std::visit(
      [&]<class L>(L& l) {
        if constexpr (requires { l.solver; }) {
          if (around < 12 || along < 4 || along % 2 != 0) return false;
          l.cells_around = around;
          l.cells_along = along;
          return true;
        }
        return false;
      },
      out.law);
  if (!possible) return std::nullopt;
  return out;
}

std::array<int, 2> grid_of(const FilmLaw& law) {
  return std::visit(
      []<class L>(const L& l) -> std::array<int, 2> {
        if constexpr (requires { l.solver; })
          return {static_cast<int>(l.cells_around), static_cast<int>(l.cells_along)};
        else
          return {0, 0};
      },
      law);
}

/// What half as many intervals, around or along, make of the same place. Load converges with the
/// second order, so that the change is three times the error; stiffness jumps with the edge of the
/// film from node to node, and its change is taken for its error.
struct GridError {
  double load = kUnknown, stiffness = kUnknown;
};
GridError error_against(const BearingCase& b, const BearingPoint& p, const Place& place, int around,
                        int along) {
  const auto coarse = on_grid(b, around, along);
  if (!coarse) return {};
  const FilmLaw law = prepared(*coarse);
  const BearingPoint q = finished(*coarse, law, answer(law, *coarse, place.ex, place.ey), p.ratio,
                                  p.attitude, place.turn);
  const double xy = std::abs(p.stiffness[1]), yx = std::abs(p.stiffness[2]);
  // One of the two passes through zero; a fifth of the other is then its scale.
  const double floor = 0.2 * std::max(xy, yx);
  return {std::abs(q.load - p.load) / p.load,
          std::max(std::abs(q.stiffness[1] - p.stiffness[1]) / std::max(xy, floor),
                   std::abs(q.stiffness[2] - p.stiffness[2]) / std::max(yx, floor))};
}

/// `find(case, prepared law, place on the last grid)` on finer and finer grids, until halving them
/// changes little enough.
template <class Find>
std::optional<BearingPoint> solved(const BearingCase& bearing, const Find& find) {
  constexpr int kFinestAround = 1024, kFinestAlong = 64;
  std::optional<Place> place;
  BearingCase b = bearing;
  for (;;) {
    const FilmLaw law = prepared(b);
    place = find(b, law, place);
    if (!place) return std::nullopt;
    const double ratio = std::hypot(place->ex, place->ey) / b.site.clearance;
    BearingPoint p =
        finished(b, law, answer(law, b, place->ex, place->ey), ratio, place->attitude, place->turn);
    const auto [around, along] = grid_of(b.law);
    p.cells_around = around;
    p.cells_along = along;
    const GridError round = error_against(b, p, *place, around / 2, along);
    const GridError length = error_against(b, p, *place, around, along / 2);
    p.load_error = (round.load + length.load) / 3;
    p.stiffness_error = round.stiffness + length.stiffness;
    const auto within = [](const GridError& e, double share) {
      return e.load / 3 <= share * kLoadError && e.stiffness <= share * kStiffnessError;
    };
    if (!b.refine || around == 0 ||
        (p.load_error <= kLoadError && p.stiffness_error <= kStiffnessError))
      return p;
    const bool finer_around = !within(round, 0.5) && around < kFinestAround;
    const bool finer_along = !within(length, 0.5) && along < kFinestAlong;
    if (!finer_around && !finer_along) return p;
    b = *on_grid(b, finer_around ? 2 * around : around, finer_along ? 2 * along : along);
  }
}

}  // namespace

std::optional<BearingPoint> point_at_ratio(const BearingCase& bearing, double ratio) {
  return solved(bearing, [&](const BearingCase& b, const FilmLaw& law, const auto&) {
    return has_fixed_grooves(b) ? place_with_grooves(b, law, ratio)
                                : place_without_grooves(b, law, ratio);
  });
}

std::optional<BearingPoint> point_at_load(const BearingCase& bearing, double load) {
  return solved(bearing, [&](const BearingCase& b, const FilmLaw& law, const auto& last) {
    return has_fixed_grooves(b) ? place_under_load(b, law, load, last)
                                : ratio_of_load(b, law, load);
  });
}

}  // namespace freeplay::films
