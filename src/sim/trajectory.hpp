// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/system.hpp"
#include "integrate/integrator.hpp"

#include <memory>
#include <string>
#include <vector>

// What the run loop integrates: the equations of motion, or, when drives fix every freedom, only
// the work of the drives while the motion itself is solved for at each instant.
namespace freeplay::sim {

class Trajectory : public integrate::Problem {
 public:
  /// The integrator's vector for a state; only lent.
  [[nodiscard]] virtual const VecX& reduce(const State& state) = 0;
  /// The state for the integrator's vector: satisfies all constraints. False when that is
  /// impossible.
  [[nodiscard]] virtual bool complete(double t, const VecX& y, State& state) = 0;
  /// Saves or restores what it keeps besides the state.
  virtual void carry(Archive&) {}
  /// What a reader of the results should know of how it went, a sentence each.
  virtual void add_warnings(std::vector<std::string>& /*warnings*/) const {}
};

/// `state` is the current state of the run: its memory is what evaluations see. Both outlive the
/// result.
[[nodiscard]] std::unique_ptr<Trajectory> make_trajectory(dynamics::System& system, State& state);

}  // namespace freeplay::sim
