// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/hysteresis.hpp"

namespace freeplay::laws {

/// Two flat faces: the mean displacement of a half-space under a uniformly loaded square of side 2
/// a.
struct PlaneFace : Hysteretic<PlaneFace> {
  static constexpr double min_restitution = kSmallestRestitution;
  static constexpr ContactSite sample_site = kFaceSite;
  static constexpr Text key = "plane-face";
  static constexpr Text title = "Plane faces";
  static constexpr Text cite = "Lankarani 1988; Tian, Flores & Lankarani 2018, eq. 23";
  static constexpr Text formula = "F = K d (1 + b d'/v0) with the exact b; K = a E*/0.475";
  static constexpr Text limits =
      "Flat parallel faces in full contact, square of side 2 a. Tilted faces need the "
      "distributed form.";

  double stiffness = kDerived;
  PowerSpring spring;  // derived

  static constexpr auto fields() {
    using L = PlaneFace;
    return std::array{Field<L>{&L::stiffness, "stiffness", "N/m",
                               "K; by default from material and face", 1e-3, 1e20},
                      restitution_field()};
  }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 12968.8191},
                                      ContactSample{{1e-5, -0.1, 0.2}, 10975.6575}};

  [[nodiscard]] std::string misfit(const ContactSite& site) const {
    if (!(site.face_half_width > 0)) return "is a law for plane faces and needs their width";
    if (std::isnan(stiffness) && !(site.composite_modulus > 0))
      return "needs a material, or a contact stiffness";
    return {};
  }
  void prepare(const ContactSite& site) {
    // 0.475 as printed; direct integration gives 0.4733.
    const double K = site.face_half_width * site.composite_modulus / 0.475;
    spring = {std::isnan(stiffness) ? K : stiffness, 1};
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
    return derived_with({"stiffness", spring.K, "N/m"});
  }
};

}  // namespace freeplay::laws
