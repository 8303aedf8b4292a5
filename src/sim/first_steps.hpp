// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/archive.hpp"
#include "sim/locate.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace freeplay::sim {

/// The steps to begin with after events: what the last mode of the same kind began with. Impacts of
/// one joint are alike, and a step of flight that happens to pass the test of a first step in
/// contact spoils the accuracy of the whole run. In a large mechanism the other joints go on as
/// they did: while anything touches, no step is longer than the one that suited them before.
class FirstSteps {
 public:
  FirstSteps(int events, bool large)
      : steps_(2 * static_cast<std::size_t>(events), 0.0), large_(large) {}

  /// After these crossings; 0: never seen, the integrator looks for itself. s
  [[nodiscard]] double after(const std::vector<Crossing>& crossings, double before, bool touching) {
    begun_.clear();
    double step = std::numeric_limits<double>::infinity();
    for (const Crossing& crossing : crossings) {
      const std::size_t kind =
          2 * static_cast<std::size_t>(crossing.which) + (crossing.upward ? 1 : 0);
      begun_.push_back(kind);
      step = std::min(step, steps_[kind]);
    }
    return large_ && touching && before > 0 ? std::min(step, before) : step;
  }
  /// The step just taken and the length at which it would just have been acceptable; s. At most
  /// twice as long from one to the next: one that passed by luck shall not rule the rest.
  void learn(double step, double ideal) {
    for (const std::size_t kind : begun_) steps_[kind] = std::min(ideal, 2 * step);
    begun_.clear();
  }
  /// Saves or restores what was learnt.
  void carry(Archive& archive) {
    std::size_t begun = begun_.size();
    archive(steps_, begun);
    begun_.resize(begun);
    archive(begun_);
  }

 private:
  std::vector<double> steps_;  // for each event function, downward and upward
  bool large_ = false;
  std::vector<std::size_t> begun_;  // of those, what the step under way began with
};

}  // namespace freeplay::sim
