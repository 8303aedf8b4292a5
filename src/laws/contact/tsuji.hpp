// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/root_damper.hpp"

namespace freeplay::laws {

/// As published: the contact lasts until the depth is zero again and pulls on the way there.
struct Tsuji : RootDamper<Tsuji> {
  static constexpr bool pulls = true;
  static constexpr Text key = "tsuji";
  static constexpr Text title = "Tsuji";
  static constexpr Text cite = "Tsuji, Tanaka & Ishida 1992";
  static constexpr Text formula =
      "F = K d^1.5 + alpha sqrt(m K) d^0.25 d' while d > 0; alpha = sqrt(5) z; z = -ln c/sqrt(pi^2 "
      "+ ln^2 c)";
  static constexpr Text limits =
      "Pulls before it lets go, at zero depth; friction is nought meanwhile. `memory-free` is the "
      "same damper, but lets go when the force vanishes: with the alpha of this law it would "
      "restitute 0.397, 0.718, 0.902 for c = 0.3, 0.7, 0.9. The mass must be that along the "
      "normal.";

  double alpha = kDerived;

  static constexpr auto fields() {
    using L = Tsuji;
    // alpha = sqrt(5) would be overdamped: the contact would never end.
    return std::array{stiffness_field(), restitution_field(),
                      Field<L>{&L::alpha, "alpha", "1",
                               "damping; by default from restitution, which it replaces", 0, 2},
                      mass_field()};
  }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 2198.69006},
                                      ContactSample{{1e-5, -0.1, 0.2}, 1981.96648},
                                      ContactSample{{1e-7, -0.1, 0.2}, -32.1766781}};

  void prepare(const ContactSite& site) {
    if (!std::isnan(alpha)) restitution = relaxed_restitution(alpha / std::sqrt(5.0));
    prepare_with(site, relaxed_damping_ratio(restitution));
  }
  template <class T>
  T force(const Contact<T>& c) const {
    return force_with_tension(c);
  }
  [[nodiscard]] std::vector<Derived> derived() const {
    return {stiffness_report(),
            {"alpha", std::sqrt(5.0) * damping_ratio, "1"},
            {"restitution of two free bodies", restitution, "1"}};
  }
};

}  // namespace freeplay::laws
