// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact.hpp"
#include "unit/laws/adaptive_rk.hpp"

namespace freeplay::test {

/// One impact of a free mass with a wall.
struct FreeImpact {
  double restitution, max_depth, duration;
  double loop_area;  ///< of force over depth: the energy lost; J
};

template <class L>
FreeImpact free_impact(const L& law, double mass, double speed, double gravity = 0) {
  const auto motion = [&](double, const Y<3>& y) {
    const double force = law.force(laws::Contact<>{y[0], y[1], speed});
    return Y<3>(y[1], gravity - force / mass, force * y[1]);
  };
  // Scales from the elastic depth: where the potential has taken up the kinetic energy.
  const double energy = 0.5 * mass * speed * speed;
  double depth = 1e-9;
  while (law.potential(depth) < energy) depth *= 1.5;
  const Y<3> scale(depth, speed, energy);

  Y<3> y(0, speed, 0);
  double t = 0;
  const double limit = 1e4 * depth / speed;
  integrate<3>(motion, t, y, limit, scale, [](const Y<3>& s) { return s[1]; });
  const double deepest = y[0];
  y[1] = 0;  // a rounding error could still count as approach
  integrate<3>(motion, t, y, limit, scale, [](const Y<3>& s) { return s[0]; });
  return {-y[1] / speed, deepest, t, y[2]};
}

}  // namespace freeplay::test
