// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/system.hpp"

#include <array>
#include <functional>
#include <vector>

// What the surfaces lose in a step: the rates of wear of every joint that wears, summed over the
// step that was taken on its dense output (theory/wear (W.8)). The integrator never sees them, so
// that hundreds of sectors cost nothing in its inner loop, and what is rejected leaves no trace.
namespace freeplay::sim {

class WearSum {
 public:
  explicit WearSum(dynamics::System& system);

  [[nodiscard]] bool needed() const { return !records_.empty(); }
  /// Adds to the records in the memory of `state` what is lost from t0 to t1; `interpolate(t, y)`
  /// is the dense output.
  void add(double t0, double t1, State& state,
           const std::function<void(double, VecX&)>& interpolate);

 private:
  /// Sums of one joint over a part of the step, by rules of seven, three and one nodes.
  struct Record {
    std::vector<double> rate, seven, three, one;
  };
  [[nodiscard]] bool agree(std::vector<double> Record::*better,
                           std::vector<double> Record::*worse) const;
  /// Rates of all joints that wear at an instant.
  void look(double t, const State& state, const std::function<void(double, VecX&)>& interpolate);

  dynamics::System& system_;
  std::vector<Record> records_;
  VecX y_;
};

}  // namespace freeplay::sim
