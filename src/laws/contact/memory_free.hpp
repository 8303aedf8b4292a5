// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/root_damper.hpp"

namespace freeplay::laws {

/// Lets go when the force vanishes: a touch may be grazing and contact may last.
struct MemoryFree : RootDamper<MemoryFree> {
  static constexpr Text key = "memory-free";
  static constexpr Text title = "Memory-free exact restitution";
  static constexpr Text cite =
      "after Tsuji, Tanaka & Ishida 1992 and Antypov & Elliott 2011 (Hertz); here for any exponent "
      "and without tension";
  static constexpr Text formula =
      "F = K d^n + 2 z sqrt((n + 1)/2 m K) d^((n - 1)/2) d', never tensile; c = exp(-2 z "
      "acos(z)/sqrt(1 - z^2))";
  static constexpr Text limits =
      "The mass must be that along the normal: c is off by the error of sqrt(m) in z. With n = 1 "
      "the force jumps at the touch. Never pulls, and so needs more damping for the same c than "
      "`tsuji`, which does.";

  static constexpr auto fields() {
    return std::array{stiffness_field(), exponent_field(), restitution_field(), mass_field()};
  }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 2201.10425},
                                      ContactSample{{1e-5, -0.1, 0.2}, 1979.5523}};

  void prepare(const ContactSite& site) { prepare_with(site, release_damping_ratio(restitution)); }
  template <class T>
  T force(const Contact<T>& c) const {
    return never_tensile(force_with_tension(c));
  }
};

}  // namespace freeplay::laws
