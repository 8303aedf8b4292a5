// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact/hysteresis.hpp"

#include <cmath>
#include <numbers>

namespace freeplay::laws {

/// The logarithmic laws of a pin in a hole of length l: d = F/B (ln(A/F) + kappa) with B = pi E* l,
/// damped to restitute exactly c. They differ in A = L::scale(site) and L::kappa.
template <class L>
struct LineLaw : Hysteretic<L> {
  static constexpr double min_restitution = kSmallestRestitution;
  static constexpr ContactSite sample_site = kJournalSite;

  LineSpring spring;  // derived

  static constexpr auto fields() { return std::array{L::restitution_field()}; }

  [[nodiscard]] std::string misfit(const ContactSite& site) const { return misfit_of_line(site); }
  void prepare(const ContactSite& site) {
    const double B = std::numbers::pi * site.composite_modulus * site.length;
    spring = LineSpring(L::scale(site) * std::exp(L::kappa), B);
    this->beta = exact_hysteresis(this->restitution);
  }

  template <class T>
  T elastic(const T& depth) const {
    return spring.force(depth);
  }
  template <class T>
  T potential(const T& depth) const {
    return spring.energy(depth);
  }
  [[nodiscard]] double depth_limit() const { return spring.limit; }
  [[nodiscard]] std::vector<Derived> derived() const {
    auto out =
        this->derived_with({"stiffness at a depth of 1 um", spring.force(1e-6) / 1e-6, "N/m"});
    out.push_back({"greatest depth of the formula", spring.max_depth(), "m"});
    return out;
  }
};

}  // namespace freeplay::laws
