// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/archive.hpp"
#include "dynamics/system.hpp"

#include <string>
#include <vector>

// When parts are pressed into each other as no parts are: deeper than the play between them, which
// is said; so deep that no law means anything, which ends the run; and so hard that only a drive
// that forces its way through a mechanism that has jammed can do it, which ends it too.
namespace freeplay::sim {

class OverloadWatch {
 public:
  explicit OverloadWatch(dynamics::System& system);

  /// Looks at an accepted state whose energies are in `snapshot`. False when the run must end.
  [[nodiscard]] bool bearable(const State& state, const dynamics::Snapshot& snapshot,
                              double energy_scale);
  /// Why, and what to do, after `bearable` said no.
  [[nodiscard]] const std::string& reason() const { return reason_; }
  [[nodiscard]] const std::string& remedy() const { return remedy_; }
  /// A joint whose parts were just seen pressed deeper than its play for the first time.
  struct Warning {
    Event event;
    std::string text;
  };
  [[nodiscard]] bool take_warning(Warning& out);
  /// Saves or restores what was said already.
  void carry(Archive& archive) { archive(warned_); }

 private:
  dynamics::System& system_;
  std::vector<char> warned_;  // by element
  std::vector<Warning> pending_;
  std::vector<std::size_t> drives_, forces_;  // works: who moves it, and what loads it
  std::string reason_, remedy_;
};

/// Throws a ModelError when parts overlap at the start by more than their own size.
void refuse_overlap(const dynamics::System& system, const dynamics::Snapshot& start);

/// The drive that a mechanism which locks resists, as "the drive of joint crank cannot take its
/// angle past 0.927 rad"; empty when none has to push out of all proportion to the energy in
/// motion.
[[nodiscard]] std::string blocked_drive(const dynamics::System& system,
                                        const dynamics::Snapshot& snapshot, double energy_scale);

/// What to name when a step fails although every evaluation succeeded: the joint that carried most
/// in a recorded row, as "joint pin (1.2e+04 N)"; empty when none did.
[[nodiscard]] std::string most_loaded_joint(const std::vector<Channel>& channels,
                                            const std::vector<double>& row);

}  // namespace freeplay::sim
