// SPDX-License-Identifier: Apache-2.0
#include "laws/numerics.hpp"

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/lambert_w.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <boost/math/tools/toms748_solve.hpp>

#include <cstdint>
#include <limits>
#include <numbers>

namespace freeplay::laws {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

/// The root of f in [left, right], where f changes sign, to the last digits.
template <class F>
double root_between(F f, double left, double right) {
  std::uintmax_t iterations = 200;
  const auto narrow = boost::math::tools::eps_tolerance<double>(52);
  const auto [a, b] = boost::math::tools::toms748_solve(f, left, right, narrow, iterations);
  return 0.5 * (a + b);
}

/// acos(z)/sqrt(1 - z^2) and its continuation acosh(z)/sqrt(z^2 - 1); 1 at z = 1.
double arc_over_root(double z) {
  const double t = 1 - z;
  if (std::abs(t) < 1e-4) return 1 + t * (1.0 / 3 + t * (2.0 / 15 + t * (2.0 / 35)));
  return z < 1 ? std::acos(z) / std::sqrt(t * (1 + z)) : std::acosh(z) / std::sqrt(-t * (1 + z));
}

}  // namespace

double lambert_wm1(double x) {
  // Called while stepping, where nothing may throw: outside its range the answer is NaN.
  using namespace boost::math::policies;
  constexpr policy<domain_error<ignore_error>, pole_error<ignore_error>,
                   overflow_error<ignore_error>, evaluation_error<ignore_error>>
      quiet;
  return std::isnan(x) ? x : boost::math::lambert_wm1(x, quiet);
}

double exact_hysteresis(double c) {
  if (c >= 1) return 0;
  if (c <= 0) return kInf;
  if (c < 0.08) {
    // beta c = 1 - y with a y too small to be seen beside 1; this iteration contracts by 2e-4 or
    // better.
    double y = 0;
    for (int i = 0; i < 6; ++i) y = (1 + (1 - y) / c) * std::exp(-(1 - y) * (1 + 1 / c));
    return (1 - y) / c;
  }
  // ln(1 + x) - x keeps the digits that cancel as c -> 1. The root lies above 1 - c (it tends to
  // 3/2 (1 - c)) and below the pole at 1/c, by 1e-5 or more for these c.
  using boost::math::log1pmx;
  return root_between([c](double b) { return log1pmx(b) - log1pmx(-b * c); }, 1 - c,
                      (1 - 1e-9) / c);
}

double achieved_restitution(double beta) {
  if (beta <= 0) return 1;
  if (beta == kInf) return 0;
  // Close to its branch point W loses half the digits: start from the first terms there, and let
  // Newton finish on the relation itself, which is well conditioned up to beta = 1.
  double c = beta > 0.01 ? (1 + boost::math::lambert_w0(-(1 + beta) * std::exp(-1 - beta))) / beta
                         : 1 + beta * (-2.0 / 3 + beta * 4.0 / 9);
  for (int i = 0; i < 3 && beta < 1; ++i) {
    const double f = boost::math::log1pmx(beta) - boost::math::log1pmx(-beta * c);
    c -= f * (1 - beta * c) / (beta * beta * c);
  }
  return c;
}

double release_restitution(double zeta) {
  if (zeta == kInf) return 0;
  return std::exp(-2 * zeta * arc_over_root(zeta));
}

double release_damping_ratio(double c) {
  if (c >= 1) return 0;
  if (c <= 0) return kInf;
  // For large zeta the restitution tends to 1/(4 zeta^2), from below.
  return root_between([c](double z) { return 2 * z * arc_over_root(z) + std::log(c); }, 0,
                      1 + 1 / std::sqrt(c));
}

double relaxed_damping_ratio(double c) {
  if (c <= 0) return 1;
  const double loss = -std::log(c);
  return loss / std::hypot(std::numbers::pi, loss);
}

double relaxed_restitution(double zeta) {
  return zeta < 1 ? std::exp(-std::numbers::pi * zeta / std::sqrt((1 - zeta) * (1 + zeta))) : 0;
}

double work_to(double depth, const std::function<double(double)>& force) {
  const auto integrand = [&](double root) { return 2 * root * force(root * root); };
  return boost::math::quadrature::gauss<double, 30>::integrate(integrand, 0.0, std::sqrt(depth));
}

}  // namespace freeplay::laws
