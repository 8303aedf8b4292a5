// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

// The planar slider-crank of Flores et al. (verification/cases G) with play between rod and slider,
// by hand:
//
//   y = (psi, x, psi', x')
//
// psi is the angle of the rod, x the place of the slider. The crank turns at 5000 rpm.
namespace yardstick {

template <class Number = double>
class SliderCrank {
 public:
  using Real = Number;
  static constexpr int kSize = 4;
  static constexpr Real kSpeed = 5000 * 2 * M_PI / 60;  // rad/s

  Real play = 0.5e-3, stiffness = 6.61e10;  // m, N/m^1.5; those of case G
  bool touching = false;

  /// Stretched out along x, centres coincident, velocities of the ideal mechanism.
  [[nodiscard]] static std::array<Real, kSize> start() {
    return {0, kCrank + kRod, -kCrank * kSpeed / kRod, 0};
  }
  [[nodiscard]] static std::array<Real, kSize> scale() {
    const Real length = kCrank + kRod, turn = 2 * M_PI / kSpeed;
    return {1, length, 1 / turn, length / turn};
  }
  static void normalise(Real*) {}

  void touch(Real rate) {
    touching = true;
    damping_ = 0.75 * (1 - 0.9 * 0.9) / std::max(rate, Real(1e-5));
  }
  void part() { touching = false; }

  void gap(Real t, const Real* y, Real& depth, Real& rate) const {
    const Real s = std::sin(kSpeed * t), c = std::cos(kSpeed * t);
    const Real sp = std::sin(y[0]), cp = std::cos(y[0]);
    const Real ex = kCrank * c + kRod * cp - y[1], ey = kCrank * s + kRod * sp;
    const Real vx = -kCrank * kSpeed * s - kRod * sp * y[2] - y[3];
    const Real vy = kCrank * kSpeed * c + kRod * cp * y[2];
    const Real e = std::sqrt(ex * ex + ey * ey);
    depth = e - play;
    rate = e > 0 ? (ex * vx + ey * vy) / e : 0;
  }

  void derivative(Real t, const Real* y, Real* f) const {
    const Real s = std::sin(kSpeed * t), c = std::cos(kSpeed * t);
    const Real sp = std::sin(y[0]), cp = std::cos(y[0]);
    Real fx = 0, fy = 0;  // on the journal, at the end of the rod
    if (touching) {
      const Real ex = kCrank * c + kRod * cp - y[1], ey = kCrank * s + kRod * sp;
      const Real e = std::sqrt(ex * ex + ey * ey), depth = e - play;
      if (depth > 0) {
        const Real vx = -kCrank * kSpeed * s - kRod * sp * y[2] - y[3];
        const Real vy = kCrank * kSpeed * c + kRod * cp * y[2];
        const Real rate = (ex * vx + ey * vy) / e;
        const Real load =
            std::max(Real(0), stiffness * depth * std::sqrt(depth) * (1 + damping_ * rate)) / e;
        fx = -load * ex, fy = -load * ey;
      }
    }
    // About the crank pin, which accelerates by -a w^2 (c, s).
    const Real pin = kCrank * kSpeed * kSpeed;
    const Real moment =
        kRod * (cp * fy - sp * fx) - kRodMass * 0.5 * kRod * (-sp * -pin * c + cp * -pin * s);
    f[0] = y[2];
    f[1] = y[3];
    f[2] = moment / (kRodInertia + kRodMass * 0.25 * kRod * kRod);
    f[3] = -fx / kSlider;
  }

 private:
  static constexpr Real kCrank = 0.05, kRod = 0.12, kRodMass = 0.21, kRodInertia = 2.5e-4,
                        kSlider = 0.14;
  Real damping_ = 0;
};

}  // namespace yardstick
