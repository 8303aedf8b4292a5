// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/contact.hpp"
#include "laws/numerics.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace freeplay::laws {

/// What the contact laws of users have in common: a function of depth, rate, approach speed and
/// mass, with `value` and `with_slopes` (of depth and rate), in which the other numbers of the site
/// are fixed. They answer at points, so that every geometry takes them.
template <class Function>
struct OwnContact {
  static constexpr bool uses_impact_rate = true, impulsive = false;
  static constexpr ContactSite sample_site = kBallSite;
  enum Index { kDepth, kRate, kTouch, kMass, kModulus, kRadius, kLength };

  bool tension = false;
  // derived
  std::shared_ptr<const Function> compiled;
  double mass = kUnprepared;       // at the site; kg
  double reference = kUnprepared;  // approach speed that the stored energy belongs to; m/s
  double floor = 0;                // depth below which slopes are those at it; m

  template <class T>
  T force(const Contact<T>& c) const {
    if (c.depth <= T(0)) return T(0);
    const T f = at(c.depth, c.rate, c.impact_rate, mass * c.mass_ratio);
    return tension ? f : never_tensile(f);
  }
  template <class T>
  T elastic(const T& depth) const {
    if (depth <= T(0)) return T(0);
    const T f = at(depth, T(0), reference, mass);
    return tension ? f : never_tensile(f);
  }
  template <class T>
  T potential(const T& depth) const {
    if (depth <= T(0)) return T(0);
    const double U = work_to(value_of(depth), [this](double d) { return elastic(d); });
    return with_slope(U, value_of(elastic(depth)), depth);
  }
  [[nodiscard]] double depth_limit() const { return kInfinity; }
  [[nodiscard]] std::vector<Derived> derived() const;

 protected:
  /// The function is that of the site; what follows from it is worked out.
  void settle(std::shared_ptr<const Function> function, const ContactSite& site);

 private:
  template <class T>
  T at(const T& depth, const T& rate, double v0, double m) const {
    if (!compiled) return T(kUnprepared);
    const std::array numbers{value_of(depth), value_of(rate), v0, m};
    if constexpr (std::is_same_v<T, double>) {
      return compiled->value(numbers.data());
    } else {
      const double f = compiled->value(numbers.data());
      const auto slope = slopes(std::max(numbers[0], floor), numbers[1], v0, m);
      return T(f, depth.d * slope[1] + rate.d * slope[2]);
    }
  }
  [[nodiscard]] std::array<double, 3> slopes(double d, double v, double v0, double m) const {
    return compiled->with_slopes(std::array{d, v, v0, m}.data());
  }
};

}  // namespace freeplay::laws
