// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/system.hpp"

#include <string>

// What is checked at every accepted step: that all energy is accounted for, and that friction and
// contacts at rest keep to their laws, which energy alone cannot see.
namespace freeplay::sim {

class Audit {
 public:
  /// `start`: its memory says what the audit of a resumed run has seen.
  Audit(dynamics::System& system, const State& start);

  /// Energy in motion and the residual so far; noted in the state, and in the scale of the system's
  /// work integrals.
  void watch_energy(const dynamics::Snapshot& now, State& state);
  /// Friction within its bound, contacts at rest that press and are closed. False when not.
  [[nodiscard]] bool laws_hold(const dynamics::Snapshot& now, double time);
  /// At the end of a run. The audit is broken when the residual is out of all proportion to the
  /// tolerance: a force that is not what it says it is, or steps that were never accurate.
  [[nodiscard]] bool energy_is_accounted_for();
  /// Why, and what to do, after one of them said no.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  [[nodiscard]] const std::string& remedy() const { return remedy_; }

  [[nodiscard]] double scale() const { return scale_; }        ///< energy in motion; J
  [[nodiscard]] double residual() const { return residual_; }  ///< largest so far; J
  /// Largest friction over what its law allows, so far.
  [[nodiscard]] double friction_use() const { return friction_use_; }

 private:
  bool broken(std::string reason, std::string remedy);

  dynamics::System& system_;
  double scale_ = 0, residual_ = 0, friction_use_ = 0;
  std::string reason_, remedy_;
};

}  // namespace freeplay::sim
