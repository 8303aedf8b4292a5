// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/friction.hpp"

#include <array>
#include <cmath>

namespace freeplay::laws {

/// Dry friction proper. This file knows sliding only; at rest the engine holds the contact
/// (sticks_by_events).
struct Coulomb : SlipLawBase<Coulomb> {
  static constexpr bool can_hold_load = true, sticks_by_events = true;
  static constexpr Text key = "coulomb";
  static constexpr Text title = "Coulomb";
  static constexpr Text cite = "Coulomb 1785; Karnopp 1985";
  static constexpr Text formula =
      "F = kinetic N against the slip; at rest whatever holds, up to static N";
  static constexpr Text limits =
      "Sticks exactly: the run loop locates stick and slip and holds a sticking contact by a "
      "constraint. Set-valued at rest, so only with located events.";

  double kinetic = 0.1, static_ = kDerived;

  static constexpr auto fields() {
    using L = Coulomb;
    return std::array{kinetic_field<L>(),
                      Field<L>{&L::static_, "static", "1",
                               "largest coefficient at rest; by default kinetic", 0, 10}};
  }
  static constexpr std::array samples{SlipSample{5e-4, 0.1}};

  template <class T>
  T ratio(const T& v) const {
    return v > T(0) ? kinetic / v : T(0);  // no direction at rest
  }
  /// Coefficient up to which the engine holds the contact at rest.
  [[nodiscard]] double breakaway() const { return std::isnan(static_) ? kinetic : static_; }
  [[nodiscard]] double bound(double speed) const { return speed > 0 ? kinetic : breakaway(); }
};

}  // namespace freeplay::laws
