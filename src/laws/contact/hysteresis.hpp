// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/point_spring.hpp"

#include <array>
#include <vector>

namespace freeplay::laws {

/// Restitution that the laws with 1/c in them still accept: 0 would need infinite damping.
inline constexpr double kSmallestRestitution = 1e-3;

/// Damping in phase with the elastic force: F = E(d) (1 + beta d'/v0), never tensile, with v0 the
/// approach speed at first touch. What two free bodies restitute depends on beta alone, not on E,
/// mass or speed (numerics.hpp: achieved_restitution). L brings the elastic part and sets beta.
template <class L>
struct Hysteretic {
  static constexpr bool uses_impact_rate = true, impulsive = false;
  static constexpr double min_restitution = 0;

  double restitution = 0.9;
  double beta = kUnprepared;  // derived

  static constexpr Field<L> restitution_field() {
    return {&L::restitution,
            "restitution",
            "1",
            "c, separation over approach speed",
            L::min_restitution,
            1};
  }

  template <class T>
  T force(const Contact<T>& c) const {
    if (c.depth <= T(0)) return T(0);
    const T elastic = static_cast<const L&>(*this).elastic(c.depth);
    return never_tensile(elastic * (1.0 + beta * c.rate / c.impact_rate));
  }
  [[nodiscard]] std::vector<Derived> derived_with(Derived stiffness) const {
    return {std::move(stiffness),
            {"hysteresis factor", beta, "1"},
            {"restitution of two free bodies", achieved_restitution(beta), "1"}};
  }
};

/// Hunt & Crossley 1975: K d^n with hysteresis damping. The laws of this family differ in nothing
/// but beta = L::hysteresis(c), their answer to "how much damping restitutes c?".
template <class L>
struct HuntCrossleyFamily : PointSpring<L>, Hysteretic<L> {
  static constexpr bool impulsive = false, recordable = true;

  static constexpr auto fields() {
    return std::array{L::stiffness_field(), L::exponent_field(), L::restitution_field()};
  }
  void prepare(const ContactSite& site) {
    PointSpring<L>::prepare(site);
    this->beta = L::hysteresis(this->restitution);
  }
  [[nodiscard]] std::vector<Derived> derived() const {
    return this->derived_with(this->stiffness_report());
  }
};

}  // namespace freeplay::laws
