// SPDX-License-Identifier: Apache-2.0
#include "core/cubic_piece.hpp"
#include "core/smooth_slopes.hpp"
#include "model/formula.hpp"
#include <freeplay/motion.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace freeplay {
namespace {

Jet at(const Constant& m, double) { return {m.value, 0, 0}; }
Jet at(const ConstantSpeed& m, double t) { return {m.start + m.speed * t, m.speed, 0}; }
Jet at(const Polynomial& m, double t) {
  Jet j;  // Horner, with both derivatives
  for (auto c = m.coefficients.rbegin(); c != m.coefficients.rend(); ++c) {
    j.ddx = j.ddx * t + 2 * j.dx;
    j.dx = j.dx * t + j.x;
    j.x = j.x * t + *c;
  }
  return j;
}
Jet at(const Sine& m, double t) {
  const double w = 2 * M_PI * m.frequency, a = w * t + m.phase;
  return {m.offset + m.amplitude * std::sin(a), m.amplitude * w * std::cos(a),
          -m.amplitude * w * w * std::sin(a)};
}
Jet at(const SmoothStep& m, double t) {
  const double T = m.t1 - m.t0, u = std::clamp((t - m.t0) / T, 0.0, 1.0), rise = m.to - m.from;
  const double u2 = u * u;
  return {m.from + rise * u2 * u * (10 + u * (-15 + 6 * u)),
          rise / T * 30 * u2 * (1 + u * (-2 + u)),
          rise / (T * T) * 60 * u * (1 + u * (-3 + 2 * u))};
}
Jet at(const Table& m, double t) {
  // Largest k with time[k] <= t, kept inside the table; the loader guarantees that it covers the
  // run.
  const auto upper = std::upper_bound(m.time.begin() + 1, m.time.end() - 1, t);
  const std::size_t k = static_cast<std::size_t>(upper - m.time.begin()) - 1;
  const double h = m.time[k + 1] - m.time[k], u = (t - m.time[k]) / h;
  const CubicPiece p(h, m.value[k], m.value[k + 1], m.slope[k], m.slope[k + 1]);
  return {p.value(u), p.slope(u) / h, p.bend(u) / (h * h)};
}
Jet at(const Formula& m, double t) {
  using Number = Series<double, 3>;
  const Number out = model::evaluate<Number>(m, {0.0, 0.0, Number::variable(t)});
  return {out.c[0], out.c[1], 2 * out.c[2]};
}

Jet at(const Input& m, double t) { return m.signal ? evaluate(*m.signal, t) : Jet{m.start, 0, 0}; }

Jet at(const Follow&, double) { return {}; }

}  // namespace

Jet evaluate(const Signal& s, double t) {
  if (t >= s.end) return {s.last + s.rate * (t - s.end), s.rate, 0};
  const double u = t - s.begin;
  return {s.c[0] + u * (s.c[1] + u * (s.c[2] + u * s.c[3])),
          s.c[1] + u * (2 * s.c[2] + 3 * u * s.c[3]), 2 * s.c[2] + 6 * u * s.c[3]};
}

Jet evaluate(const Motion& motion, double t) {
  return std::visit([t](const auto& m) { return at(m, t); }, motion);
}

double period(const Motion& motion, double turn) {
  if (const auto* m = std::get_if<ConstantSpeed>(&motion))
    return m->speed != 0 && turn > 0 ? std::abs(turn / m->speed) : 0;
  if (const auto* m = std::get_if<Sine>(&motion))
    return m->frequency != 0 ? 1 / std::abs(m->frequency) : 0;
  if (const auto* m = std::get_if<SmoothStep>(&motion)) return m->t1 - m->t0;
  return 0;
}

Table make_table(std::vector<double> time, std::vector<double> value) {
  std::vector<double> slope = smooth_slopes(time, value);
  return {std::move(time), std::move(value), std::move(slope)};
}

bool Formula::of_motion() const {
  return std::any_of(code.begin(), code.end(),
                     [](const Instruction& i) { return i.op > Op::time && i.op <= Op::variable; });
}

}  // namespace freeplay
