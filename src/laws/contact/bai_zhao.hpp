// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/hysteresis.hpp"

#include <numbers>

namespace freeplay::laws {

/// Improved elastic foundation under a pin in a hole. The printed stiffness K_mod is the tangent of
/// the force of Liu, Zhang & Yang 2007, and K_mod d is 1.42 to 1.50 times that force; the default
/// is the force.
struct BaiZhao : Hysteretic<BaiZhao> {
  static constexpr ContactSite sample_site = kJournalSite;
  static constexpr Text key = "bai-zhao";
  static constexpr Text title = "Bai-Zhao";
  static constexpr Text cite =
      "Bai & Zhao 2013; Tian, Flores & Lankarani 2018, eqs. 16-18; Liu, Zhang & Yang 2007";
  static constexpr Text formula =
      "F = pi/2 E* L d sqrt(d/(2 (dR + d))) (1 + b d'/v0), b = 3/4 (1 - c^2) exp(2 (1 - c)); as "
      "printed: K L d (1 + b d'/v0), K = pi/8 E* sqrt(2 d (3 dR + 2 d)^2/(dR + d)^3)";
  static constexpr Text limits =
      "Restitutes 0.896 for c = 0.9 and 0.483 for 0.5. A foundation: softer than the half-space "
      "laws at small depth.";

  bool as_printed = false;
  ConformalSpring spring;  // derived

  static constexpr auto fields() { return std::array{restitution_field()}; }
  static constexpr auto flags() {
    return std::array{Flag<BaiZhao>{
        &BaiZhao::as_printed, "as_printed",
        "the tangent K_mod used as stiffness, with exponent 1 and the length: too stiff"}};
  }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 2884.36036},
                                      ContactSample{{1e-5, -0.1, 0.2}, 2422.52863}};

  [[nodiscard]] std::string misfit(const ContactSite& site) const { return misfit_of_line(site); }
  void prepare(const ContactSite& site) {
    spring = {std::numbers::pi * site.composite_modulus * site.length / std::sqrt(8.0),
              site.clearance()};
    beta = 0.75 * (1 - restitution * restitution) * std::exp(2 * (1 - restitution));
  }

  template <class T>
  T elastic(const T& depth) const {
    return as_printed ? spring.tangent(depth) * depth : spring.force(depth);
  }
  template <class T>
  T potential(const T& depth) const {  // integral of d F' = d F - integral of F
    const T U = spring.energy(depth);
    return as_printed ? spring.force(depth) * depth - U : U;
  }
  [[nodiscard]] double depth_limit() const { return kInfinity; }
  [[nodiscard]] std::vector<Derived> derived() const {
    return derived_with({"stiffness at a depth of 1 um", elastic(1e-6) / 1e-6, "N/m"});
  }
};

}  // namespace freeplay::laws
