// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/friction.hpp"

#include <array>
#include <cmath>

namespace freeplay::laws {

/// What the bristle laws share. The deflection z (m) lies in the tangent plane; the force is load x
/// sigma0 z and more, with sigma0 in 1/m, so that it fades with the load instead of turning
/// singular.
///
/// A load that grows while z is held would create energy, theory/friction (R.7). By default z
/// therefore shrinks as the load grows, at the rate max(dN/dt, 0)/N: loading keeps the force,
/// unloading the deflection.
template <class L>
struct BristleBase {
  static constexpr int states = 3;
  static constexpr bool can_hold_load = true, sticks_by_events = false;

  double kinetic = 0.1, sigma0 = 1e5, reference_load = kDerived;
  bool as_published = false;

  static constexpr Field<L> sigma0_field() {
    return {&L::sigma0, "sigma0", "1/m", "bristle stiffness over load", 1, 1e15, true, "N/m"};
  }
  static constexpr Field<L> reference_load_field() {
    return {&L::reference_load,
            "reference_load",
            "N",
            "given: the sigmas are forces (N/m, N s/m) at this load and are divided by it",
            1e-9,
            1e12};
  }
  [[nodiscard]] std::string conflict() const {
    if constexpr (requires(L l) { l.static_; })
      if (law().static_ < kinetic) return "static friction below kinetic";
    return {};
  }

  /// Deflection at which the bristles give way, the scale of z; m.
  [[nodiscard]] double deflection_scale() const { return kinetic / scaled(sigma0); }

 protected:
  /// A sigma per unit of load.
  [[nodiscard]] double scaled(double sigma) const {
    return std::isnan(reference_load) ? sigma : sigma / reference_load;
  }
  /// The rate at which a growing load shrinks z; 1/s.
  template <class T>
  T relief(const T& load, const T& load_rate) const {
    return as_published || load <= T(0) || load_rate <= T(0) ? T(0) : T(load_rate / load);
  }

 private:
  [[nodiscard]] const L& law() const { return static_cast<const L&>(*this); }
};

/// Bristles with inner damping and a level that falls from static to kinetic friction with the
/// speed.
template <class L>
struct DampedBristle : BristleBase<L> {
  double static_ = 0.15, sigma1 = 316.227766, sigma2 = 0, vs = 1e-3;

  static constexpr Field<L> sigma1_field(double min = 0) {
    return {&L::sigma1, "sigma1", "s/m", "bristle damping over load", min, 1e12, false, "N s/m"};
  }
  static constexpr Field<L> sigma2_field() {
    return {&L::sigma2, "sigma2", "s/m", "viscous friction over load", 0, 1e12, false, "N s/m"};
  }

 protected:
  /// With sigma1 fading as exp(-(v/vd)^2) the law is passive at constant load for any vd if
  /// sigma2 >= sigma1 (static/kinetic - 1) (Barabanov & Ortega 2000), or if
  /// sigma1 vd <= 4 sqrt(2 e) kinetic: worst case of sigma1 v (a - 1) exp(-(v/vd)^2) <= g a^2
  /// over v and the bend a = sigma0 z/g. Says so if neither holds.
  [[nodiscard]] std::string active_with(double vd) const {
    const double mu = this->kinetic, sufficient = sigma1 * (static_ / mu - 1);
    if (this->as_published || sigma2 >= sufficient || this->scaled(sigma1) * vd <= 9.32 * mu)
      return {};
    return "so much sigma1 can create energy: keep sigma1 times its fading speed below 9.3 "
           "kinetic, raise sigma2, or "
           "set as_published";
  }
  /// Most of |sigma0 z (1 - r) + (s1 + sigma2) v|, r = s1 v/g, over all z. |z| <= static/sigma0,
  /// for |z|' <= |v| (1 - sigma0 |z|/g), g <= static; it may still be that just after the speed
  /// or its direction has changed. `s1` is the damping at that speed, per load; s/m.
  [[nodiscard]] double bound_with(double s1, double speed) const {
    return static_ * std::abs(1 - s1 * speed / level(speed)) + (s1 + this->scaled(sigma2)) * speed;
  }
  template <class T>
  T level(const T& speed) const {
    using std::exp;
    const T x = speed / vs;
    return this->kinetic + (static_ - this->kinetic) * exp(-(x * x));
  }
};

}  // namespace freeplay::laws
