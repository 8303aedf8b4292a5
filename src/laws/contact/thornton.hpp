// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/indentation.hpp"
#include "laws/contact/point_spring.hpp"

#include <array>
#include <numbers>

namespace freeplay::laws {

/// Hertz contact of a material that yields at a limiting pressure. With K = 4/3 E* sqrt(R) and the
/// depth of first yield the radius drops out of all of Thornton's equations.
struct Thornton : Indenting<Thornton>, PointSpring<Thornton> {
  using Indenting::elastic;
  static constexpr bool impulsive = false;
  static constexpr Text key = "thornton";
  static constexpr Text title = "Thornton, elastic and perfectly plastic";
  static constexpr Text cite = "Thornton 1997, eqs. 5 to 20";
  static constexpr Text formula =
      "F = K d^1.5 up to d_y, then F_y + 1.5 K sqrt(d_y) (d - d_y); back from d_max as Hertz's "
      "contact of the flatter surface, K sqrt(K d_max^1.5/F_max) (d - d_p)^1.5, d_p = d_max - "
      "F_max/(K sqrt(d_max)); d_y = (pi p_y/(2 E*))^2 R";
  static constexpr Text limits =
      "Two free bodies restitute 1 up to the speed of first yield v_y, and sqrt(6 sqrt(3)/5) "
      "sqrt(1 "
      "- q^2/6) (q/(q + 2 sqrt(6/5 - q^2/5)))^(1/4) beyond, q = v_y/v: about 1.18 q^(1/4) when "
      "fast. p_y is a pressure in the contact, 1.6 (first yield) to 2.8 (a full dent) times the "
      "yield stress of a specimen. Loses energy by yielding alone. A new touch finds no dent. Acts "
      "at points.";

  double yield_pressure = 1e9;
  double d_y = kUnprepared, F_y = kUnprepared, slope = kUnprepared, v_y = kUnprepared;  // derived

  static constexpr auto fields() {
    using L = Thornton;
    return std::array{Field<L>{&L::yield_pressure, "yield_pressure", "Pa",
                               "p_y, largest pressure that the contact bears", 1, 1e13, true}};
  }
  static constexpr double kBack[] = {kSpringing, 1e-4}, kBeyond[] = {kYielding, 0};
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 2090.3282723},
                                      ContactSample{{1e-4, 0.1, 0.2, 1, kBeyond}, 52479.556569},
                                      ContactSample{{9.5e-5, -0.1, 0.2, 1, kBack}, 47600.803759}};

  [[nodiscard]] std::string misfit(const ContactSite& site) const {
    return site.composite_modulus > 0 ? misfit_of_point(site) : "needs a material";
  }
  void prepare(const ContactSite& site) {
    PointSpring::prepare(site);
    const double limit = std::numbers::pi * yield_pressure / (2 * site.composite_modulus);
    d_y = limit * limit * site.effective_radius();
    F_y = spring.force(d_y);
    slope = 1.5 * spring.K * std::sqrt(d_y);
    v_y = site.mass > 0 ? std::sqrt(2 * spring.energy(d_y) / site.mass) : kUnprepared;
  }

  [[nodiscard]] double yield_depth() const { return d_y; }
  template <class T>
  T intact(const T& depth) const {
    return spring.force(depth);
  }
  template <class T>
  T yielding(const T& depth) const {
    return F_y + slope * (depth - d_y);
  }
  [[nodiscard]] double dent(double deepest) const {
    return deepest - yielding(deepest) / (spring.K * std::sqrt(deepest));
  }
  template <class T>
  T springing(const T& depth, double deepest) const {
    const double flatter = spring.force(deepest) / yielding(deepest);  // R_p/R
    return PowerSpring{spring.K * std::sqrt(flatter), 1.5}.force(T(depth - dent(deepest)));
  }
  template <class T>
  T potential(const T& depth) const {
    if (!(depth > T(d_y))) return spring.energy(depth);
    const T x = depth - d_y;
    return spring.energy(d_y) + x * (F_y + 0.5 * slope * x);
  }
  [[nodiscard]] std::vector<Derived> derived() const {
    std::vector<Derived> out{stiffness_report(), {"depth of first yield", d_y, "m"}};
    if (!std::isnan(v_y)) out.push_back({"speed of first yield of two free bodies", v_y, "m/s"});
    return out;
  }
};

}  // namespace freeplay::laws
