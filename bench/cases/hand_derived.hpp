// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/numeric/odeint.hpp>

#include <array>
#include <cmath>
#include <numbers>

// The slider-crank of cases.md G with play between rod and slider, as one writes it by hand for a
// paper: the two equations of motion derived on paper, Dormand-Prince 5(4) with dense output, each
// touch located on it. What the engine's time per turn is compared with.
namespace freeplay::bench {

struct HandDerived {
  double clearance;         ///< m
  double stiffness;         ///< N/m^1.5
  double tolerance = 1e-7;  ///< absolute in m, rad, and relative
  double restitution = 0.9;
  double crank = 0.05, rod = 0.12, rod_mass = 0.21, rod_inertia = 2.5e-4, slider_mass = 0.14;
  double speed = 5000 * std::numbers::pi / 30;  ///< rad/s

  using Numbers = std::array<double, 4>;  ///< rod angle, slider position, their rates
  Numbers state{0, crank + rod, -speed* crank / rod, 0};
  double time = 0, approach = 0;  ///< approach speed of the contact at hand; 0 in flight
  long contacts = 0;

  struct Gap {
    double depth, rate, nx, ny;
  };
  [[nodiscard]] Gap gap(const Numbers& s, double t) const {
    const double c = std::cos(s[0]), sn = std::sin(s[0]), a = speed * t;
    const double ex = crank * std::cos(a) + rod * c - s[1], ey = crank * std::sin(a) + rod * sn;
    const double vx = -speed * crank * std::sin(a) - rod * sn * s[2] - s[3];
    const double vy = speed * crank * std::cos(a) + rod * c * s[2];
    const double e = std::max(std::hypot(ex, ey), 1e-12), nx = ex / e, ny = ey / e;
    return {e - clearance, vx * nx + vy * ny, nx, ny};
  }

  void operator()(const Numbers& s, Numbers& rate, double t) const {
    const double c = std::cos(s[0]), sn = std::sin(s[0]), a = speed * t;
    double push = 0, nx = 0, ny = 0;
    if (approach > 0) {
      const Gap g = gap(s, t);
      nx = g.nx, ny = g.ny;
      if (g.depth > 0)  // Lankarani and Nikravesh, never tensile
        push = std::max(0.0, stiffness * g.depth * std::sqrt(g.depth) *
                                 (1 + 0.75 * (1 - restitution * restitution) * g.rate / approach));
    }
    // The crank pin turns at constant speed; moments about it.
    const double across = push * (nx * sn - ny * c);
    const double pin = speed * speed * crank * (std::sin(a) * c - std::cos(a) * sn);
    rate = {
        s[2], s[3],
        (rod * across + 0.5 * rod * rod_mass * pin) / (rod_inertia + 0.25 * rod_mass * rod * rod),
        push * nx / slider_mass};
  }

  void run(double until) {
    namespace odeint = boost::numeric::odeint;
    auto stepper =
        odeint::make_dense_output(tolerance, tolerance, odeint::runge_kutta_dopri5<Numbers>());
    double step = 1e-7;
    while (time < until) {
      stepper.initialize(state, time, step);
      bool touching = approach > 0;
      for (;;) {
        const auto [from, to] = stepper.do_step(std::ref(*this));
        const bool inside = gap(stepper.current_state(), to).depth > 0;
        if (inside != touching) {
          double low = from, high = to;
          Numbers at;
          while (high - low > 1e-15) {
            const double middle = 0.5 * (low + high);
            stepper.calc_state(middle, at);
            ((gap(at, middle).depth > 0) == touching ? low : high) = middle;
          }
          stepper.calc_state(high, state);
          time = high;
          approach = touching ? 0 : std::max(gap(state, time).rate, 1e-5);
          contacts += touching ? 0 : 1;
          step = 1e-7;
          break;
        }
        if (to >= until) {
          stepper.calc_state(until, state);
          time = until;
          break;
        }
      }
    }
  }
};

}  // namespace freeplay::bench
