// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/math.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

// y' = f(y) for rates that relax: Runge-Kutta-Chebyshev steps of second order (Sommeijer, Shampine
// & Verwer 1998). A step of s stages is stable up to h rho = 0.65 s^2, where Euler's rule stops at
// 2: for a relaxation as stiff as wear on an elastic bed (theory/wear (W.11)) it needs no Jacobian
// and few evaluations, each of which is a simulated cycle.
namespace freeplay::study {

class ChebyshevSteps {
 public:
  /// f(y, x): the rates there; x is where the stage lies.
  using Rates = std::function<bool(const VecX& y, double x, VecX& out)>;

  /// Stages that a step of h rho takes.
  [[nodiscard]] static int stages(double h_rho) {
    return std::max(2, 1 + static_cast<int>(std::ceil(std::sqrt(1 + 1.54 * h_rho))));
  }

  /// One step from (x, y) with f0 = f(y): y1, and f1 there. False when f gave up.
  static bool step(const Rates& f, double x, const VecX& y, const VecX& f0, double h, int s,
                   VecX& y1, VecX& f1) {
    const double epsilon = 2.0 / 13;
    const double w0 = 1 + epsilon / (s * s);
    const Chebyshev last = at(s, w0);
    const double w1 = last.d / last.dd;
    double b1 = 1 / (4 * w0 * w0), b2 = b1;  // of the stage before, and of that before it
    double a1 = 1 - b1 * w0;
    const double first = b1 * w1;
    VecX before = y, now = y + first * h * f0, next, rate(y.size());
    double c = first;
    for (int j = 2; j <= s; ++j) {
      if (!f(now, x + c * h, rate)) return false;
      const Chebyshev t = at(j, w0);
      const double b = t.dd / (t.d * t.d);
      const double mu = 2 * b * w0 / b1, nu = -b / b2, mu_f = 2 * b * w1 / b1, gamma = -a1 * mu_f;
      next = (1 - mu - nu) * y + mu * now + nu * before + (mu_f * h) * rate + (gamma * h) * f0;
      before.swap(now);
      now.swap(next);
      b2 = b1, b1 = b;
      a1 = 1 - b * t.value;
      c = w1 * t.dd / t.d;
    }
    y1 = now;
    return f(y1, x + h, f1);
  }

  /// How far the step is off, component by component.
  static VecX error(const VecX& y, const VecX& f0, const VecX& y1, const VecX& f1, double h) {
    return 0.8 * (y - y1) + (0.4 * h) * (f0 + f1);
  }

 private:
  struct Chebyshev {
    double value, d, dd;
  };
  /// T_n and its derivatives.
  static Chebyshev at(int n, double x) {
    Chebyshev before{1, 0, 0}, now{x, 1, 0};
    if (n == 0) return before;
    for (int k = 2; k <= n; ++k) {
      const Chebyshev next{2 * x * now.value - before.value,
                           2 * now.value + 2 * x * now.d - before.d,
                           4 * now.d + 2 * x * now.dd - before.dd};
      before = now;
      now = next;
    }
    return now;
  }
};

}  // namespace freeplay::study
