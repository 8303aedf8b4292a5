// SPDX-License-Identifier: Apache-2.0
#include "sim/breakpoints.hpp"

#include "model/force_parts.hpp"

#include <algorithm>

namespace freeplay::sim {
namespace {

/// Breakpoints nearer to each other, or to the ends, than this share of the run are one: no slivers
/// of steps. chosen: far below any feature that a table or a formula of the run has, far above
/// round-off of its times.
constexpr double kNear = 1e-9;

/// take(motion) for whatever is prescribed in time.
template <class Take>
void each_motion(const Model& model, Take&& take) {
  for (const Joint& joint : model.joints)
    for (const Drive& drive : joint.drives) take(drive.motion);
  for (const Force& force : model.forces)
    if (const Motion* magnitude = magnitude_of(force)) take(*magnitude);
}

}  // namespace

double longest_step(const Model& model) {
  double longest = 0;
  each_motion(model, [&](const Motion& motion) {
    const double quarter = std::holds_alternative<Sine>(motion) ? 0.25 * period(motion, 0) : 0;
    if (quarter > 0) longest = longest > 0 ? std::min(longest, quarter) : quarter;
  });
  return longest;
}

std::vector<double> breakpoints(const Model& model) {
  std::vector<double> times;
  each_motion(model, [&](const Motion& motion) {
    if (const auto* step = std::get_if<SmoothStep>(&motion))
      times.insert(times.end(), {step->t0, step->t1});
    if (const auto* table = std::get_if<Table>(&motion))
      times.insert(times.end(), table->time.begin(), table->time.end());
  });
  std::sort(times.begin(), times.end());
  const double start = model.simulation.start, duration = model.simulation.duration,
               near = kNear * duration;
  std::vector<double> out;
  for (double t : times)
    if (t > (out.empty() ? start : out.back()) + near && t < start + duration - near)
      out.push_back(t);
  return out;
}

}  // namespace freeplay::sim
