// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/hysteresis.hpp"

namespace freeplay::laws {

/// K d^n with the damper that makes an impact a linear oscillator in y = sqrt(2 U(d)),
///
///   F = K d^n + 2 z sqrt((n + 1)/2 m K) d^((n - 1)/2) d'
///
/// (Tsuji, Tanaka & Ishida 1992 for n = 1.5): restitution follows from the damping ratio z alone,
/// at any speed, without knowledge of the approach speed. L sets z and says when the contact lets
/// go.
template <class L>
struct RootDamper : PointSpring<L> {
  static constexpr bool uses_impact_rate = false;

  double restitution = 0.9, mass = kDerived;
  double damping = kUnprepared, damping_ratio = kUnprepared, floor = 0;  // derived

  static constexpr Field<L> restitution_field() {
    return {&L::restitution,
            "restitution",
            "1",
            "c, separation over approach speed",
            kSmallestRestitution,
            1};
  }
  static constexpr Field<L> mass_field() {
    return {&L::mass, "mass", "kg", "m; by default the effective mass along the normal",
            1e-12,    1e12};
  }

  [[nodiscard]] std::string misfit(const ContactSite& site) const {
    const std::string why = PointSpring<L>::misfit(site);
    return why.empty() ? misfit_of_mass(site, mass) : why;
  }
  [[nodiscard]] std::vector<Derived> derived() const {
    return {this->stiffness_report(), {"damping ratio", damping_ratio, "1"}};
  }

 protected:
  void prepare_with(const ContactSite& site, double ratio) {
    PointSpring<L>::prepare(site);
    const double m = std::isnan(mass) ? site.mass : mass;
    damping_ratio = ratio;
    damping = 2 * ratio * std::sqrt(0.5 * (this->spring.n + 1) * m * this->spring.K);
    floor = slope_floor(this->spring, m);
  }
  /// Spring and damper, which pulls at the end of a contact.
  template <class T>
  T force_with_tension(const Contact<T>& c) const {
    if (c.depth <= T(0)) return T(0);
    const T damper = damping * std::sqrt(std::isnan(mass) ? c.mass_ratio : 1.0) *
                     steep_power(c.depth, 0.5 * (this->spring.n - 1), floor);
    return this->spring.force(c.depth) + damper * c.rate;
  }
};

}  // namespace freeplay::laws
