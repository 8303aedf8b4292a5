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

std::optional<BearingPoint> point(const BearingCase& b, const FilmLaw& law, double ratio,
                                  double& guess) {
  const double e = ratio * b.site.clearance;
  if (!has_fixed_grooves(b)) {
    // With the eccentricity along x the load comes out by itself, `attitude` behind it.
    const Answer a = answer(law, b, e, 0);
    const double attitude = std::atan2(a.fy, -a.fx);
    if (!std::isfinite(attitude)) return std::nullopt;
    guess = attitude;
    return finished(b, law, a, ratio, attitude, -attitude);
  }
  // The load along x: the attitude at which the film pushes straight back, by secants.
  const auto off = [&](double attitude, Answer& a) {
    a = answer(law, b, e * std::cos(attitude), e * std::sin(attitude));
    return std::atan2(-a.fy, -a.fx);
  };
  Answer a{};
  double x0 = guess, f0 = off(x0, a), x1 = x0 - 0.5 * f0, f1 = off(x1, a);
  for (int i = 0; i < 60 && std::abs(f1) > 1e-12; ++i) {
    const double step = f1 == f0 ? -0.5 * f1 : -f1 * (x1 - x0) / (f1 - f0);
    x0 = x1;
    f0 = f1;
    x1 += std::clamp(step, -0.3, 0.3);
    f1 = off(x1, a);
  }
  if (!(std::abs(f1) < 1e-8)) return std::nullopt;
  guess = x1;
  return finished(b, law, a, ratio, x1, 0);
}

}  // namespace

std::optional<BearingPoint> point_at_ratio(const BearingCase& bearing, double ratio) {
  double guess = std::atan2(kPi * std::sqrt(1 - ratio * ratio), 4 * ratio);
  return point(bearing, prepared(bearing), ratio, guess);
}

std::optional<BearingPoint> point_at_load(const BearingCase& bearing, double load) {
  const FilmLaw law = prepared(bearing);
  // The load grows with the ratio; search in the logarithm of both by bisection and secants.
  double guess = 1.4;
  const auto miss = [&](double ratio, std::optional<BearingPoint>& p) {
    guess = std::atan2(kPi * std::sqrt(1 - ratio * ratio), 4 * ratio);
    p = point(bearing, law, ratio, guess);
    return p ? std::log(p->load / load) : kUnknown;
  };
  std::optional<BearingPoint> p;
  double low = 1e-4, high = 0.999;
  double f_low = miss(low, p), f_high = miss(high, p);
  if (!(f_low <= 0) || !(f_high >= 0)) return std::nullopt;
  for (int i = 0; i < 200; ++i) {
    double middle = i % 2 ? 0.5 * (low + high) : (low * f_high - high * f_low) / (f_high - f_low);
    if (!(middle > low && middle < high)) middle = 0.5 * (low + high);
    const double f = miss(middle, p);
    if (std::isnan(f)) return std::nullopt;
    if (std::abs(f) < 1e-12 || high - low < 1e-14) return p;
    (f < 0 ? low : high) = middle;
    (f < 0 ? f_low : f_high) = f;
  }
  return p;
}

}  // namespace freeplay::films
