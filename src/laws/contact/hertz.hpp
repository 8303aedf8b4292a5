// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/point_spring.hpp"

#include <array>

namespace freeplay::laws {

/// The elastic point contact without damping: every impact gives all energy back.
struct Hertz : PointSpring<Hertz> {
  static constexpr bool uses_impact_rate = false, recordable = true;
  static constexpr Text key = "hertz";
  static constexpr Text title = "Hertz";
  static constexpr Text cite = "Hertz 1881; Tian, Flores & Lankarani 2018";
  static constexpr Text formula = "F = K d^n; K = 4/3 E* sqrt(R), n = 1.5";
  static constexpr Text limits =
      "Loses no energy. The contact radius sqrt(R d) must stay small beside the radii, which "
      "conformal joints violate quickly.";

  static constexpr auto fields() { return std::array{stiffness_field(), exponent_field()}; }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 2090.32827}};

  template <class T>
  T force(const Contact<T>& c) const {
    return elastic(c.depth);
  }
  [[nodiscard]] std::vector<Derived> derived() const { return {stiffness_report()}; }
};

}  // namespace freeplay::laws
