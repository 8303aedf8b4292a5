// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/hysteresis.hpp"

#include <numbers>

namespace freeplay::laws {

/// Hertz stiffness with damping while the bodies approach and none while they part.
struct Jankowski : PointSpring<Jankowski> {
  static constexpr bool uses_impact_rate = false;
  static constexpr Text key = "jankowski";
  static constexpr Text title = "Jankowski";
  static constexpr Text cite = "Jankowski 2005, 2006";
  static constexpr Text formula =
      "F = K d^1.5 + 2 z sqrt(m K) d^0.25 d' for d' > 0, K d^1.5 for d' < 0; z = 9 sqrt(5)/2 (1 "
      "- c^2)/(c (c (9 pi - 16) + 16))";
  static constexpr Text limits =
      "Restitutes 0.292, 0.495, 0.698, 0.900 for c = 0.3, 0.5, 0.7, 0.9. The slope of the force "
      "jumps at greatest compression.";

  double restitution = 0.9, mass = kDerived;
  double damping = kUnprepared, damping_ratio = kUnprepared, floor = 0;  // derived

  static constexpr auto fields() {
    using L = Jankowski;
    return std::array{stiffness_field(),
                      Field<L>{&L::restitution, "restitution", "1",
                               "c, separation over approach speed", kSmallestRestitution, 1},
                      Field<L>{&L::mass, "mass", "kg",
                               "m; by default the effective mass along the normal", 1e-12, 1e12}};
  }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 2317.43414},
                                      ContactSample{{1e-5, -0.1, 0.2}, 2090.32827}};

  [[nodiscard]] std::string misfit(const ContactSite& site) const {
    const std::string why = PointSpring::misfit(site);
    return why.empty() ? misfit_of_mass(site, mass) : why;
  }
  void prepare(const ContactSite& site) {
    PointSpring::prepare(site);
    const double c = restitution, m = std::isnan(mass) ? site.mass : mass;
    damping_ratio =
        4.5 * std::sqrt(5.0) * (1 - c * c) / (c * (c * (9 * std::numbers::pi - 16) + 16));
    damping = 2 * damping_ratio * std::sqrt(m * spring.K);
    floor = slope_floor(spring, m);
  }

  template <class T>
  T force(const Contact<T>& c) const {
    if (c.depth <= T(0)) return T(0);
    const T elastic = spring.force(c.depth);
    if (c.rate <= T(0)) return elastic;
    const double damper = damping * std::sqrt(std::isnan(mass) ? c.mass_ratio : 1.0);
    return elastic + damper * steep_power(c.depth, 0.25, floor) * c.rate;
  }
  [[nodiscard]] std::vector<Derived> derived() const {
    return {stiffness_report(), {"damping ratio", damping_ratio, "1"}};
  }
};

}  // namespace freeplay::laws
