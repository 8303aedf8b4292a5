// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/indentation.hpp"
#include "laws/contact/springs.hpp"

#include <array>

namespace freeplay::laws {

/// Two straight lines: soft while pressed in, stiff on the way back.
struct WaltonBraun : Indenting<WaltonBraun> {
  static constexpr ContactSite sample_site = kFaceSite;
  static constexpr Text key = "walton-braun";
  static constexpr Text title = "Walton & Braun";
  static constexpr Text cite = "Walton & Braun 1986, eqs. 1 to 4";
  static constexpr Text formula =
      "F = K d while pressed in; K2 (d - d0) on the way back from d_max and in again, d0 = d_max "
      "(1 - K/K2), nothing below d0; K2 = K/c^2 + S K d_max";
  static constexpr Text limits =
      "Two free bodies restitute sqrt(K/K2): c whatever mass and speed if S = 0, less the faster "
      "they meet otherwise. Loses energy by yielding alone: what lies in its dent and vibrates "
      "there does so for ever. A new touch finds no dent. Acts at points.";

  double stiffness = 1e7, restitution = 0.9, hardening = 0;
  double K = kUnprepared;  // derived: the same

  static constexpr auto fields() {
    using L = WaltonBraun;
    return std::array{
        Field<L>{&L::stiffness, "stiffness", "N/m", "K, pressed in for the first time", 1e-3, 1e20,
                 true},
        Field<L>{&L::restitution, "restitution", "1", "c at vanishing speed", 1e-3, 1},
        Field<L>{&L::hardening, "hardening", "1/m",
                 "S, by which the way back is the steeper the larger the force was", 0, 1e12}};
  }
  static constexpr double kBack[] = {kSpringing, 2e-5}, kDent[] = {kOpen, 2e-5};
  static constexpr std::array samples{ContactSample{{1e-5, 0.1, 0.2}, 100.0},
                                      ContactSample{{1.8e-5, -0.1, 0.2, 1, kBack}, 175.30864198},
                                      ContactSample{{1e-6, -0.1, 0.2, 1, kDent}, 0.0}};

  [[nodiscard]] std::string misfit(const ContactSite&) const { return {}; }
  void prepare(const ContactSite&) { K = stiffness; }

  [[nodiscard]] static double yield_depth() { return 0; }
  template <class T>
  T intact(const T& depth) const {
    return K * depth;
  }
  template <class T>
  T yielding(const T& depth) const {
    return K * depth;
  }
  [[nodiscard]] double back(double deepest) const {  // K2; N/m
    return K * (1 / (restitution * restitution) + hardening * deepest);
  }
  template <class T>
  T springing(const T& depth, double deepest) const {
    return K * deepest + back(deepest) * (depth - deepest);
  }
  [[nodiscard]] double dent(double deepest) const { return deepest * (1 - K / back(deepest)); }
  template <class T>
  T potential(const T& depth) const {
    return depth > T(0) ? 0.5 * K * depth * depth : T(0);
  }
  [[nodiscard]] double depth_limit() const { return kInfinity; }
  [[nodiscard]] std::vector<Derived> derived() const {
    return {{"stiffness on the way back of a light contact", back(0), "N/m"}};
  }
};

}  // namespace freeplay::laws
