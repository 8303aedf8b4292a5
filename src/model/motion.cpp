// SPDX-License-Identifier: Apache-2.0
#include <freeplay/motion.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace freeplay {
namespace {

// Second-order jets: value and two time derivatives, propagated through a formula.
Jet operator+(Jet a, Jet b) { return {a.x + b.x, a.dx + b.dx, a.ddx + b.ddx}; }
Jet operator-(Jet a, Jet b) { return {a.x - b.x, a.dx - b.dx, a.ddx - b.ddx}; }
Jet operator*(Jet a, Jet b) {
  return {a.x * b.x, a.dx * b.x + a.x * b.dx, a.ddx * b.x + 2 * a.dx * b.dx + a.x * b.ddx};
}
/// f(a) from f, f', f'' at a.x.
Jet chain(Jet a, double f, double f1, double f2) {
  return {f, f1 * a.dx, f2 * a.dx * a.dx + f1 * a.ddx};
}
Jet operator/(Jet a, Jet b) {
  const double r = 1 / b.x;
  return a * chain(b, r, -r * r, 2 * r * r * r);
}
Jet power(Jet a, Jet b) {
  if (b.dx == 0 && b.ddx == 0) {  // constant exponent: also negative bases with whole exponents
    const double n = b.x;
    const double f1 = n == 0 ? 0 : n * std::pow(a.x, n - 1);
    const double f2 = n == 0 || n == 1 ? 0 : n * (n - 1) * std::pow(a.x, n - 2);
    return chain(a, std::pow(a.x, n), f1, f2);
  }
  const Jet log_a = chain(a, std::log(a.x), 1 / a.x, -1 / (a.x * a.x));
  const Jet e = b * log_a;
  const double f = std::exp(e.x);
  return chain(e, f, f, f);
}

Jet apply(Formula::Op op, Jet a) {
  using Op = Formula::Op;
  const double x = a.x;
  switch (op) {
    case Op::negate:
      return {-a.x, -a.dx, -a.ddx};
    case Op::sin:
      return chain(a, std::sin(x), std::cos(x), -std::sin(x));
    case Op::cos:
      return chain(a, std::cos(x), -std::sin(x), -std::cos(x));
    case Op::tan: {
      const double t = std::tan(x), s = 1 + t * t;
      return chain(a, t, s, 2 * t * s);
    }
    case Op::asin: {
      const double r = 1 / std::sqrt(1 - x * x);
      return chain(a, std::asin(x), r, x * r * r * r);
    }
    case Op::acos: {
      const double r = 1 / std::sqrt(1 - x * x);
      return chain(a, std::acos(x), -r, -x * r * r * r);
    }
    case Op::atan: {
      const double r = 1 / (1 + x * x);
      return chain(a, std::atan(x), r, -2 * x * r * r);
    }
    case Op::sinh:
      return chain(a, std::sinh(x), std::cosh(x), std::sinh(x));
    case Op::cosh:
      return chain(a, std::cosh(x), std::sinh(x), std::cosh(x));
    case Op::tanh: {
      const double t = std::tanh(x), s = 1 - t * t;
      return chain(a, t, s, -2 * t * s);
    }
    case Op::exp:
      return chain(a, std::exp(x), std::exp(x), std::exp(x));
    case Op::log:
      return chain(a, std::log(x), 1 / x, -1 / (x * x));
    case Op::sqrt: {
      const double r = std::sqrt(x);
      return chain(a, r, 0.5 / r, -0.25 / (r * x));
    }
    case Op::abs:
      return x < 0 ? Jet{-a.x, -a.dx, -a.ddx} : a;
    default:
      return a;
  }
}

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
  const double h = m.time[k + 1] - m.time[k];
  const double a = (m.time[k + 1] - t) / h, b = (t - m.time[k]) / h;
  const double y0 = m.value[k], y1 = m.value[k + 1], s0 = m.second[k], s1 = m.second[k + 1];
  return {a * y0 + b * y1 + ((a * a * a - a) * s0 + (b * b * b - b) * s1) * h * h / 6,
          (y1 - y0) / h + ((1 - 3 * a * a) * s0 + (3 * b * b - 1) * s1) * h / 6, a * s0 + b * s1};
}
Jet at(const Formula& m, double t) {
  Jet stack[64];  // the loader refuses formulas that need more
  int top = -1;
  for (const Formula::Instruction& i : m.code) {
    using Op = Formula::Op;
    switch (i.op) {
      case Op::number:
        stack[++top] = {i.value, 0, 0};
        break;
      case Op::time:
        stack[++top] = {t, 1, 0};
        break;
      case Op::add:
        --top;
        stack[top] = stack[top] + stack[top + 1];
        break;
      case Op::subtract:
        --top;
        stack[top] = stack[top] - stack[top + 1];
        break;
      case Op::multiply:
        --top;
        stack[top] = stack[top] * stack[top + 1];
        break;
      case Op::divide:
        --top;
        stack[top] = stack[top] / stack[top + 1];
        break;
      case Op::power:
        --top;
        stack[top] = power(stack[top], stack[top + 1]);
        break;
      default:
        stack[top] = apply(i.op, stack[top]);
    }
  }
  return stack[0];
}

}  // namespace

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
  // Second derivatives s of the C2 cubic spline. Interior knots:
  //   h0 s0 + 2 (h0 + h1) s1 + h1 s2 = 6 [(y2 - y1)/h1 - (y1 - y0)/h0].
  // Ends: not-a-knot (third derivative continuous at the second knot), eliminated into the first
  // and last interior equation; with three points or fewer the natural spline.
  const std::size_t n = time.size();
  std::vector<double> s(n, 0.0);
  if (n == 3) {
    const double h0 = time[1] - time[0], h1 = time[2] - time[1];
    s[1] = 3 * ((value[2] - value[1]) / h1 - (value[1] - value[0]) / h0) / (h0 + h1);
  } else if (n > 3) {
    const std::size_t m = n - 2;
    std::vector<double> lower(m), diagonal(m), upper(m), rhs(m);
    for (std::size_t k = 0; k < m; ++k) {
      const double h0 = time[k + 1] - time[k], h1 = time[k + 2] - time[k + 1];
      lower[k] = h0;
      diagonal[k] = 2 * (h0 + h1);
      upper[k] = h1;
      rhs[k] = 6 * ((value[k + 2] - value[k + 1]) / h1 - (value[k + 1] - value[k]) / h0);
    }
    // s0 = s1 + (s1 - s2) h0/h1 and the mirror image at the end.
    const double ha = time[1] - time[0], hb = time[2] - time[1];
    diagonal[0] += ha * (1 + ha / hb);
    upper[0] -= ha * ha / hb;
    const double hy = time[n - 2] - time[n - 3], hz = time[n - 1] - time[n - 2];
    diagonal[m - 1] += hz * (1 + hz / hy);
    lower[m - 1] -= hz * hz / hy;
    for (std::size_t k = 1; k < m; ++k) {  // Thomas
      const double f = lower[k] / diagonal[k - 1];
      diagonal[k] -= f * upper[k - 1];
      rhs[k] -= f * rhs[k - 1];
    }
    for (std::size_t k = m; k-- > 0;)
      s[k + 1] = (rhs[k] - (k + 1 < m ? upper[k] * s[k + 2] : 0.0)) / diagonal[k];
    s[0] = s[1] + (s[1] - s[2]) * ha / hb;
    s[n - 1] = s[n - 2] + (s[n - 2] - s[n - 3]) * hz / hy;
  }
  return {std::move(time), std::move(value), std::move(s)};
}

}  // namespace freeplay
