// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/kelvin_voigt.hpp"

namespace freeplay::laws {

/// Kelvin-Voigt with the damper that would restitute c if the contact could pull at its end.
struct Anagnostopoulos : SpringAndDamper<Anagnostopoulos> {
  static constexpr Text key = "anagnostopoulos";
  static constexpr Text title = "Anagnostopoulos";
  static constexpr Text cite = "Anagnostopoulos 1988, corrected 2004";
  static constexpr Text formula = "F = K d + 2 z sqrt(K m) d'; z = -ln c/sqrt(pi^2 + ln^2 c)";
  static constexpr Text limits =
      "Restitutes c only with `tension`; without it 0.397, 0.550, 0.902 for c = 0.3, 0.5, 0.9. "
      "The force jumps at the touch.";

  double restitution = 0.9, mass = kDerived;

  static constexpr auto fields() {
    using L = Anagnostopoulos;
    return std::array{
        stiffness_field(),
        Field<L>{&L::restitution, "restitution", "1", "c, separation over approach speed", 0, 1},
        Field<L>{&L::mass, "mass", "kg", "m; by default the effective mass along the normal", 1e-12,
                 1e12}};
  }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 121.198928562},
                                      ContactSample{{1e-5, -0.1, 0.2}, 78.801071438}};

  [[nodiscard]] std::string misfit(const ContactSite& site) const {
    return misfit_of_mass(site, mass);
  }
  void prepare(const ContactSite& site) {
    damping_ratio = relaxed_damping_ratio(restitution);
    damper = 2 * damping_ratio * std::sqrt(stiffness * (std::isnan(mass) ? site.mass : mass));
  }
};

}  // namespace freeplay::laws
