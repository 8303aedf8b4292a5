// SPDX-License-Identifier: Apache-2.0
#include "sim/audit.hpp"

#include "model/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace freeplay::sim {

using dynamics::Snapshot;

namespace {
// Of the energy of a free fall over the mechanism: the least that residuals are measured against. A
// motion that stores less would have its own round-off called a violation.
constexpr double kLeastEnergy = 1e-2;
// Of the force that accelerates the mechanism on its own scales, of its size, and of a friction
// bound. chosen: a hundred times what location and round-off leave
constexpr double kLawSlack = 1e-9;
// Tolerances that a bristle may be off its bound, and the audit off zero: errors of many steps add
// up.
constexpr double kTolerances = 1e4;
// Of the energy in motion: what round-off leaves of the audit, and what nobody would call kept.
constexpr double kLeastResidual = 1e-9, kMostResidual = 0.05;
}  // namespace

Audit::Audit(dynamics::System& system, const State& start) : system_(system) {
  // Before anything moves, the work integrals are measured against the energy of free fall over L.
  const Scales& s = system.scales();
  scale_ = std::max(kLeastEnergy * s.mass * std::pow(s.length / s.time, 2),
                    start.memory[dynamics::kEnergyScale]);
  system.set_energy_scale(scale_);
}

bool Audit::broken(std::string reason, std::string remedy) {
  reason_ = std::move(reason);
  remedy_ = std::move(remedy);
  return false;
}

void Audit::watch_energy(const Snapshot& now, State& state) {
  const double swing =
      std::abs(now.potential + now.elastic - state.memory[dynamics::kStartPotential]);
  scale_ = std::max(scale_, now.kinetic + swing);
  residual_ = std::max(residual_, std::abs(now.residual));
  system_.set_energy_scale(scale_);
  state.memory[dynamics::kEnergyScale] = scale_;
}

bool Audit::laws_hold(const Snapshot& now, double time) {
  const Snapshot::Strain& strain = now.strain;
  friction_use_ = std::max(friction_use_, strain.friction);
  const Scales& s = system_.scales();
  const auto violated = [&](int joint, const std::string& what) {
    return broken(fmt::format("the laws of contact are broken at t = {:.9g} s in joint {}: {}",
                              time, system_.model().joints[joint].name, what),
                  "tighten 'tolerance', and please report the model");
  };
  const double slack =
      kLawSlack + (strain.bristles ? kTolerances * system_.model().simulation.tolerance : 0.0);
  if (strain.friction > 1 + slack)
    return violated(strain.friction_joint,
                    fmt::format("friction is {:.6g} times what its law allows", strain.friction));
  if (strain.pull > kLawSlack * s.mass * s.length / (s.time * s.time))
    return violated(strain.pull_joint,
                    fmt::format("a contact at rest pulls with {:.3g} N", strain.pull));
  if (strain.gap > kLawSlack * s.length)
    return violated(strain.gap_joint,
                    fmt::format("a contact at rest is {:.3g} m off its wall", strain.gap));
  return true;
}

bool Audit::energy_is_accounted_for() {
  const Simulation& sim = system_.model().simulation;
  const double allowed =
      has_fixed_step(sim) || kind_of(sim.method).non_smooth
          ? kMostResidual
          : std::min(kMostResidual, std::max(kTolerances * sim.tolerance, kLeastResidual));
  if (residual_ <= allowed * scale_) return true;
  return broken(fmt::format("the energy audit is broken: {:.3g} J are unaccounted for, {:.2g} of "
                            "the energy in motion",
                            residual_, residual_ / scale_),
                "tighten 'tolerance' (or 'step'), and compare with 'freeplay converge'");
}

}  // namespace freeplay::sim
