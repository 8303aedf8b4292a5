// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact.hpp"
#include "laws/contact/springs.hpp"

#include <array>

namespace freeplay::laws {

/// A linear spring with a damper beside it: F = K d + D d'. L sets D.
template <class L>
struct SpringAndDamper {
  static constexpr bool uses_impact_rate = false, impulsive = false, recordable = true;
  static constexpr ContactSite sample_site = kFaceSite;

  double stiffness = 1e7;
  bool tension = false;
  double damper = kUnprepared;         // derived; N s/m
  double damping_ratio = kUnprepared;  // derived; NaN if the mass is not known

  static constexpr Field<L> stiffness_field() {
    return {&L::stiffness, "stiffness", "N/m", "K, linear", 1e-3, 1e20, true};
  }
  static constexpr auto flags() {
    return std::array{Flag<L>{
        &L::tension, "tension",
        "contact lasts until the depth is 0 again and pulls at the end, as in linear theory"}};
  }

  template <class T>
  T force(const Contact<T>& c) const {
    if (c.depth <= T(0)) return T(0);
    using std::sqrt;
    Lasting<T> known = 1;  // a damper worked out from the mass follows the mass
    if constexpr (requires(L l) { l.mass; })
      if (std::isnan(static_cast<const L&>(*this).mass)) known = sqrt(c.mass_ratio);
    const T f = stiffness * c.depth + damper * known * c.rate;
    return tension ? f : never_tensile(f);
  }
  template <class T>
  T elastic(const T& depth) const {
    return depth > T(0) ? stiffness * depth : T(0);
  }
  template <class T>
  T potential(const T& depth) const {
    return depth > T(0) ? 0.5 * stiffness * depth * depth : T(0);
  }
  [[nodiscard]] double depth_limit() const { return kInfinity; }
  [[nodiscard]] std::vector<Derived> derived() const {
    const double zeta = damping_ratio;
    std::vector<Derived> out{{"damping", damper, "N s/m"}};
    if (!std::isnan(zeta)) {
      out.push_back({"damping ratio", zeta, "1"});
      out.push_back({"restitution of two free bodies",
                     tension ? relaxed_restitution(zeta) : release_restitution(zeta), "1"});
    }
    return out;
  }
};

/// The linear model with both numbers given.
struct KelvinVoigt : SpringAndDamper<KelvinVoigt> {
  static constexpr Text key = "kelvin-voigt";
  static constexpr Text title = "Kelvin-Voigt";
  static constexpr Text cite = "Goldsmith 1960; Dubowsky & Freudenstein 1971";
  static constexpr Text formula = "F = K d + D d'; never tensile unless `tension` is set";
  static constexpr Text limits =
      "The force jumps by D v0 at the touch. Restitution depends on the mass m through z = D/(2 "
      "sqrt(K m)): exp(-2 z acos(z)/sqrt(1 - z^2)), or exp(-pi z/sqrt(1 - z^2)) with tension.";

  double damping = 100;

  static constexpr auto fields() {
    using L = KelvinVoigt;
    return std::array{stiffness_field(),
                      Field<L>{&L::damping, "damping", "N s/m", "D of the damper beside the spring",
                               0, 1e15, true}};
  }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 110.0},
                                      ContactSample{{1e-5, -0.1, 0.2}, 90.0},
                                      ContactSample{{1e-5, -1.5, 0.2}, 0.0}};

  [[nodiscard]] std::string misfit(const ContactSite&) const { return {}; }
  void prepare(const ContactSite& site) {
    damper = damping;
    damping_ratio = site.mass > 0 ? damping / (2 * std::sqrt(stiffness * site.mass)) : kUnprepared;
  }
};

}  // namespace freeplay::laws
