// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/hysteresis.hpp"

namespace freeplay::laws {

/// Damping that makes the impact a linear oscillator in y = sqrt(2 U(d)): restitution is exact at
/// any speed without knowledge of the approach speed, so a touch may be grazing and contact may
/// last.
struct MemoryFree : PointSpring<MemoryFree> {
  static constexpr bool uses_impact_rate = false;
  static constexpr Text key = "memory-free";
  static constexpr Text title = "Memory-free exact restitution";
  static constexpr Text cite =
      "Tsuji, Tanaka & Ishida 1992 and Antypov & Elliott 2011 (Hertz); physics 3.7 (any "
      "exponent, no tension)";
  static constexpr Text formula =
      "F = K d^n + 2 z sqrt((n + 1)/2 m K) d^((n - 1)/2) d', never tensile; c = exp(-2 z "
      "acos(z)/sqrt(1 - z^2))";
  static constexpr Text limits =
      "The mass must be that along the normal: c is off by the error of sqrt(m) in z. With n = 1 "
      "the force jumps at the touch.";

  double restitution = 0.9, mass = kDerived;
  double damping = kUnprepared, damping_ratio = kUnprepared, floor = 0;  // derived

  static constexpr auto fields() {
    using L = MemoryFree;
    return std::array{stiffness_field(), exponent_field(),
                      Field<L>{&L::restitution, "restitution", "1",
                               "c, separation over approach speed", kSmallestRestitution, 1},
                      Field<L>{&L::mass, "mass", "kg",
                               "m; by default the effective mass along the normal", 1e-12, 1e12}};
  }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 2201.10425},
                                      ContactSample{{1e-5, -0.1, 0.2}, 1979.5523}};

  [[nodiscard]] std::string misfit(const ContactSite& site) const {
    const std::string why = PointSpring::misfit(site);
    return why.empty() ? misfit_of_mass(site, mass) : why;
  }
  void prepare(const ContactSite& site) {
    PointSpring::prepare(site);
    const double m = std::isnan(mass) ? site.mass : mass;
    damping_ratio = release_damping_ratio(restitution);
    damping = 2 * damping_ratio * std::sqrt(0.5 * (spring.n + 1) * m * spring.K);
    floor = slope_floor(spring, m);
  }

  template <class T>
  T force(const Contact<T>& c) const {
    if (c.depth <= T(0)) return T(0);
    const T damper = damping * std::sqrt(std::isnan(mass) ? c.mass_ratio : 1.0) *
                     steep_power(c.depth, 0.5 * (spring.n - 1), floor);
    return never_tensile(spring.force(c.depth) + damper * c.rate);
  }
  [[nodiscard]] std::vector<Derived> derived() const {
    return {stiffness_report(), {"damping ratio", damping_ratio, "1"}};
  }
};

}  // namespace freeplay::laws
