// SPDX-License-Identifier: Apache-2.0
#include "films/reynolds/reynolds_solution.hpp"

namespace freeplay::films {

JournalReynolds::Solution::Solution(const JournalReynolds& bearing, const Problem& problem,
                                    Work& work)
    : s(bearing.settings_),
      g(bearing.grid_),
      q(problem),
      w(work),
      n(g.size()),
      b(w.rows),
      m(s.along),
      size(n * b),
      conserving(s.cavitation == Cavitation::mass_conserving && !q.tilted),
      complementary(s.cavitation == Cavitation::swift_stieber ||
                    s.cavitation == Cavitation::mass_conserving),
      to_pressure(s.viscosity * s.radius * s.radius / (s.clearance * s.clearance * s.clearance)),
      supply(s.supply_pressure / to_pressure),
      ambient(s.ambient_pressure / to_pressure),
      kappa(s.compliance * to_pressure / s.clearance),
      floor(s.minimum_film / s.clearance),
      sigma(s.roughness / s.clearance),
      aspect(s.radius / s.length),
      per_row(1.0 / m),
      carry(12 * s.clearance * q.slip * per_row),
      storage(std::isfinite(q.dt) ? 12 * s.clearance / q.dt * per_row : 0.0),
      elastic(kappa > 0 || !q.dent.empty()),
      round(bearing.round()),
      resting(complementary && q.vx == 0 && q.vy == 0 && q.slope_vx == 0 && q.slope_vy == 0 &&
              (round || q.slip == 0) && supply == 0 && ambient == 0 && q.before.empty()),
      unit(-s.viscosity * s.radius * s.radius * s.radius * s.length /
           (s.clearance * s.clearance * s.clearance)),
      columns(q.tilted                ? 9
              : !round                ? 6
              : conserving || elastic ? 5
                                      : 4),
      K(q.tilted                          ? 10
        : conserving || elastic || !round ? 6
                                          : 4) {
  const double per_c = 1 / s.clearance, L = s.length;
  scale = {per_c, per_c, 1, 1, 1, per_c, per_c, 1, 1};
  lever = {1, 1, 1, 1, 1, L, L, L, L};
  if (!q.tilted) scale[5] = lever[5] = 1;  // the turn
  w.first.resize(at(n));
}

ReynoldsResult JournalReynolds::Solution::compute() {
  if (!round) lay_out();
  begin();
  sweep_until_settled();
  integrate_force();
  if (q.gradients) differentiate();
  read();
  return out;
}

}  // namespace freeplay::films
