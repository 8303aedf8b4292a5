// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/system.hpp"

#include <functional>
#include <vector>

// The largest load and depth of each contact. They lie between the steps, so they are looked for on
// the dense output, for each contact and each of the two by itself: contacts that press together
// peak at different instants.
namespace freeplay::sim {

class PeakSearch {
 public:
  explicit PeakSearch(dynamics::System& system);
  /// Raises the peaks recorded in the memory of `state` to what its contacts reach from t0 to t1;
  /// `interpolate(t, y)` is the dense output.
  void look(double t0, double t1, State& state,
            const std::function<void(double, VecX&)>& interpolate);

 private:
  using What = double dynamics::Peak::*;
  template <class At>
  [[nodiscard]] double highest(int contact, What what, double record, const At& at) const;

  dynamics::System& system_;
  std::vector<dynamics::Peak> seen_;  // look by look, all contacts
  VecX y_;
};

}  // namespace freeplay::sim
