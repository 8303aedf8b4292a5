// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/hysteresis.hpp"

namespace freeplay::laws {

/// An explicit fit to the line contact, written in mm, N and MPa.
struct Pereira : Hysteretic<Pereira> {
  static constexpr double min_restitution = kSmallestRestitution;
  static constexpr ContactSite sample_site = kJournalSite;
  static constexpr Text key = "pereira";
  static constexpr Text title = "Pereira et al.";
  static constexpr Text cite = "Pereira, Ramalho & Ambrosio 2011, 2015";
  static constexpr Text formula =
      "F = (a dR + b) L E*/dR d^n in mm, N, MPa, times (1 + beta d'/v0) with the exact beta; "
      "internal: a = 0.965, b = 0.0965, n = Y dR^-0.005, Y = 1.51 ln(1000 dR)^-0.151 below dR = "
      "0.75, 1.151 + 0.0151 dR above; external: a = 0.39, b = 0.85, n = 1.094, dR = Ri + Rj";
  static constexpr Text limits = "Clearances from 5 um to 10 mm. Y jumps slightly at 0.75 mm.";

  PowerSpring spring;  // derived

  static constexpr auto fields() { return std::array{restitution_field()}; }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 10728.4313},
                                      ContactSample{{1e-5, -0.1, 0.2}, 9079.59215}};

  [[nodiscard]] std::string misfit(const ContactSite& site) const {
    ContactSite internal = site;
    internal.external_curvature = false;
    if (std::string why = misfit_of_line(internal); !why.empty()) return why;
    if (site.clearance() >= 5e-6 && site.clearance() < 10e-3) return {};
    return "is a fit for radial clearances from 5 um to 10 mm";
  }
  void prepare(const ContactSite& site) {
    // Stiffness per length and exponent in mm, N and MPa, then F = K_mm (1000 d)^n in SI.
    const bool outside = site.external_curvature;
    const double dR = 1e3 * (outside ? site.outer_radius + site.inner_radius : site.clearance());
    const double Y = dR < 0.75 ? 1.51 * std::pow(std::log(1000 * dR), -0.151) : 1.151 + 0.0151 * dR;
    const double a = outside ? 0.39 : 0.965, b = outside ? 0.85 : 0.0965;
    const double n = outside ? 1.094 : Y * std::pow(dR, -0.005);
    const double K_mm = (a * dR + b) / dR * (1e3 * site.length) * (1e-6 * site.composite_modulus);
    spring = {K_mm * std::pow(1e3, n), n};
    beta = exact_hysteresis(restitution);
  }

  template <class T>
  T elastic(const T& depth) const {
    return spring.force(depth);
  }
  template <class T>
  T potential(const T& depth) const {
    return spring.energy(depth);
  }
  [[nodiscard]] double depth_limit() const { return kInfinity; }
  [[nodiscard]] std::vector<Derived> derived() const {
    return derived_with({"stiffness", spring.K, stiffness_unit(spring.n)});
  }
};

}  // namespace freeplay::laws
