// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact.hpp"
#include "laws/contact/springs.hpp"

#include <string>

namespace freeplay::laws {

/// The elastic part K d^n of the point laws: K from material and radii (Hertz 1881, then n = 1.5)
/// or given.
template <class L>
struct PointSpring {
  static constexpr bool impulsive = false;
  static constexpr ContactSite sample_site = kBallSite;

  double stiffness = kDerived, exponent = 1.5;
  PowerSpring spring;        // derived
  double range = kInfinity;  // derived; m

  static constexpr Field<L> stiffness_field() {
    return {&L::stiffness, "stiffness", "N/m^n", "K; by default from material and radii (Hertz)",
            1e-3,          1e20};
  }
  static constexpr Field<L> exponent_field() {
    return {&L::exponent, "exponent", "1", "n; other than 1.5 only with a given stiffness", 1, 3};
  }

  [[nodiscard]] std::string misfit(const ContactSite& site) const {
    if (!std::isnan(stiffness)) return {};
    if (exponent != 1.5) return "needs a contact stiffness if the exponent is not 1.5";
    return misfit_of_point(site);
  }
  void prepare(const ContactSite& site) {
    const bool given = !std::isnan(stiffness);
    spring = {given ? stiffness : hertz_stiffness(site), exponent};
    // Half-space theory asks for a contact radius a = sqrt(R_eff d) small beside the radii;
    // at a = 0.3 R the neglected terms of order (a/R)^2 reach a tenth. chosen.
    const double a = 0.3 * site.inner_radius;
    range = given ? kInfinity : a * a / site.effective_radius();
  }

  template <class T>
  T elastic(const T& depth) const {
    return spring.force(depth);
  }
  template <class T>
  T potential(const T& depth) const {
    return spring.energy(depth);
  }
  [[nodiscard]] double depth_limit() const { return range; }
  [[nodiscard]] Derived stiffness_report() const {
    return {"stiffness", spring.K, stiffness_unit(spring.n)};
  }
};

}  // namespace freeplay::laws
