// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/hysteresis.hpp"

namespace freeplay::laws {

/// Sphere in a socket of nearly its radius, profile r^(2q), on the circle in which the undeformed
/// surfaces would intersect. That circle is sqrt(2) wider than Hertz's for small depth, and so is
/// the force; `hertz_consistent` takes a = Ri sqrt(d/(dR + d)), which tends to Hertz's circle and
/// agrees with the other for d >> dR.
struct LiuSteuermann : Hysteretic<LiuSteuermann> {
  static constexpr bool recordable = true;
  static constexpr double min_restitution = kSmallestRestitution;
  static constexpr ContactSite sample_site = kBallSite;
  static constexpr Text key = "liu-steuermann";
  static constexpr Text title = "Liu-Steuermann";
  static constexpr Text cite =
      "Steuermann 1939; Liu, Zhang & Yang 2006; Tian, Flores & Lankarani 2018, eq. 19";
  static constexpr Text formula =
      "F = 4 q/(2 q + 1) E* a d (1 + b d'/v0) with the exact b; a = Ri sqrt(2 dR d + d^2)/(dR + "
      "d)";
  static constexpr Text limits =
      "Spherical joints only. With q = 1 it tends to sqrt(2) times Hertz for d << dR unless "
      "`hertz_consistent` is set.";

  double profile = 1;
  bool hertz_consistent = false;
  ConformalSpring spring;  // derived; k = 4 q/(2 q + 1) E* Ri

  static constexpr auto fields() {
    using L = LiuSteuermann;
    return std::array{
        restitution_field(),
        Field<L>{&L::profile, "profile", "1", "q; 1 for a sphere, large for a flat punch", 1, 1e6}};
  }
  static constexpr auto flags() {
    using L = LiuSteuermann;
    return std::array{
        Flag<L>{&L::hertz_consistent, "hertz_consistent", "contact circle that tends to Hertz's"}};
  }
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 3237.0789},
                                      ContactSample{{1e-5, -0.1, 0.2}, 2739.57629}};

  [[nodiscard]] std::string misfit(const ContactSite& site) const {
    if (!site.spherical) return "is a law for a ball in a socket";
    if (site.external_curvature)
      return "is a law for a ball in a socket; external curvature has no meaning for it";
    return misfit_of_point(site);
  }
  void prepare(const ContactSite& site) {
    const double share = 4 * profile / (2 * profile + 1);
    spring = {share * site.composite_modulus * site.outer_radius, site.clearance()};
    beta = exact_hysteresis(restitution);
  }

  template <class T>
  T elastic(const T& depth) const {
    using std::sqrt;
    if (depth <= T(0) || hertz_consistent) return spring.force(depth);
    return spring.k * depth * sqrt(depth * (2.0 * spring.gap + depth)) / (spring.gap + depth);
  }
  template <class T>
  T potential(const T& depth) const {
    if (depth <= T(0) || hertz_consistent) return spring.energy(depth);
    const double U = work_to(value_of(depth), [this](double d) { return elastic(d); });
    return with_slope(U, value_of(elastic(depth)), depth);
  }
  [[nodiscard]] double depth_limit() const { return kInfinity; }
  [[nodiscard]] std::vector<Derived> derived() const {
    return derived_with({"stiffness at a depth of 1 um", elastic(1e-6) / 1e-6, "N/m"});
  }
};

}  // namespace freeplay::laws
