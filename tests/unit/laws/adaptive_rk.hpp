// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include <algorithm>
#include <cmath>

// A small accurate integrator, independent of the engine's: Dormand & Prince 5(4) with error
// control, and a stop where an event function falls to 0.
namespace freeplay::test {

template <int N>
using Y = Eigen::Array<double, N, 1>;

template <int N, class F>
Y<N> dormand_prince(F&& f, double t, const Y<N>& y, double h, Y<N>& error) {
  const Y<N> k1 = f(t, y), k2 = f(t + h / 5, y + h * k1 / 5);
  const Y<N> k3 = f(t + 3 * h / 10, y + h * (3 * k1 / 40 + 9 * k2 / 40));
  const Y<N> k4 = f(t + 4 * h / 5, y + h * (44 * k1 / 45 - 56 * k2 / 15 + 32 * k3 / 9));
  const Y<N> k5 = f(t + 8 * h / 9, y + h * (19372 * k1 / 6561 - 25360 * k2 / 2187 +
                                            64448 * k3 / 6561 - 212 * k4 / 729));
  const Y<N> k6 = f(t + h, y + h * (9017 * k1 / 3168 - 355 * k2 / 33 + 46732 * k3 / 5247 +
                                    49 * k4 / 176 - 5103 * k5 / 18656));
  const Y<N> next =
      y + h * (35 * k1 / 384 + 500 * k3 / 1113 + 125 * k4 / 192 - 2187 * k5 / 6784 + 11 * k6 / 84);
  const Y<N> k7 = f(t + h, next);
  error = h * (71 * k1 / 57600 - 71 * k3 / 16695 + 71 * k4 / 1920 - 17253 * k5 / 339200 +
               22 * k6 / 525 - k7 / 40);
  return next;
}

/// Advances (t, y) to t_end or to the first t at which event(y) <= 0. The error of a step stays
/// below tolerance x scale in each component.
template <int N, class F, class E>
void integrate(F&& f, double& t, Y<N>& y, double t_end, const Y<N>& scale, E&& event,
               double tolerance = 1e-12) {
  double h = 1e-4 * (t_end - t);
  Y<N> error;
  while (t < t_end) {
    h = std::min(h, t_end - t);
    const Y<N> next = dormand_prince<N>(f, t, y, h, error);
    const double size = (error / scale).abs().maxCoeff() / tolerance;
    if (size <= 1 || h < 1e-14 * std::abs(t)) {
      if (event(next) <= 0) {  // bisect for the length of the last step
        double low = 0, high = h;
        for (int i = 0; i < 60; ++i) {
          const double middle = 0.5 * (low + high);
          (event(dormand_prince<N>(f, t, y, middle, error)) > 0 ? low : high) = middle;
        }
        y = dormand_prince<N>(f, t, y, high, error);
        t += high;
        return;
      }
      t += h;
      y = next;
    }
    h *= std::clamp(0.9 * std::pow(size + 1e-12, -0.2), 0.2, 5.0);
  }
}
template <int N, class F>
void integrate(F&& f, double& t, Y<N>& y, double t_end, const Y<N>& scale,
               double tolerance = 1e-12) {
  integrate<N>(
      f, t, y, t_end, scale, [](const Y<N>&) { return 1.0; }, tolerance);
}

}  // namespace freeplay::test
