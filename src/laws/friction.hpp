// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/law.hpp"
#include "laws/numerics.hpp"
#include <freeplay/math.hpp>

// The words of the friction laws. The load is the whole normal force, damping included. All laws
// scale with it: coefficients are forces over the load, so that friction vanishes with the contact.
// There are two kinds: slip laws know the friction from the velocity; bristle laws carry a
// deflection z in State.
namespace freeplay::laws {

/// Sliding at one contact point.
template <class T = double>
struct Slip {
  Vec3T<T> velocity;  ///< tangential, of the material points, inner part relative to outer; m/s
  T normal_force;     ///< N, >= 0
};

/// Worked example of a slip law with its defaults: friction over load at a speed.
struct SlipSample {
  double speed, coefficient;  ///< m/s, 1
};

/// Worked example of a bristle law with its defaults, along a line at constant load.
struct BristleSample {
  double velocity, load, deflection, dwell;  ///< m/s, N, m, 1 (laws with a dwell state)
  double force, rate;                        ///< on the inner part, N; dz/dt, m/s
};

/// What every friction law tells.
template <class L>
concept FrictionLawType = Law<L> && requires(const L& law) {
  { L::states } -> std::convertible_to<int>;             // numbers in State; 0 for slip laws
  { L::can_hold_load } -> std::convertible_to<bool>;     // keeps a loaded contact at rest
  { L::sticks_by_events } -> std::convertible_to<bool>;  // stick is a constraint of the engine
  { law.conflict() } -> std::same_as<std::string>;  // parameters at odds with each other, or ""
  { law.bound(1.0) } -> std::same_as<double>;  // most |friction|/load it can give at that speed
};

template <class L>
concept SlipLaw = FrictionLawType<L> && requires(const L& law, Slip<double> slip) {
  { law.ratio(1.0) } -> std::same_as<double>;  // friction/(load x speed), regular at rest; s/m
  { law.force(slip) } -> std::same_as<Vec3>;   // on the inner part; N
};

/// Force on the inner part and the rate of the states.
template <class T, int States>
struct BristleRate {
  Vec3T<T> force;                    ///< N
  Eigen::Matrix<T, States, 1> rate;  ///< in axes that do not turn (the joint adds Omega x z); m/s
};
template <class T, int States>
using BristleState = Eigen::Matrix<T, States, 1>;

template <class L>
concept BristleLaw = FrictionLawType<L> &&
    requires(const L& law, Slip<double> slip, BristleState<double, L::states> z) {
  // The second argument is the rate of the load, N/s. At separation the joint sets z to 0.
  { law.evaluate(slip, 1.0, z) } -> std::same_as<BristleRate<double, L::states>>;
};

/// Of a law without states: friction over load and speed, whether or not it depends on the load.
template <class T, SlipLaw L>
T ratio_under(const L& law, const T& speed, const T& load) {
  if constexpr (requires { law.ratio(speed, load); })
    return law.ratio(speed, load);
  else
    return law.ratio(speed);
}
/// The most friction over load that a law can give at that speed under that load.
template <FrictionLawType L>
double bound_under(const L& law, double speed, double load) {
  if constexpr (requires { law.bound(speed, load); })
    return law.bound(speed, load);
  else
    return law.bound(speed);
}

/// Coefficients and speeds that the laws have in common.
template <class L>
constexpr Field<L> kinetic_field(double min = 0) {
  return {&L::kinetic, "kinetic", "1", "coefficient of friction while sliding", min, 10, true};
}
template <class L>
constexpr Field<L> static_field() {
  return {&L::static_, "static", "1", "largest coefficient of friction at rest", 0, 10, true};
}
template <class L>
constexpr Field<L> speed_field(double L::*member, std::string_view key, std::string_view doc,
                               double min = 1e-9) {
  return {member, key, "m/s", doc, min, 1e3};
}

/// A law without memory; L gives ratio(speed).
template <class L>
struct SlipLawBase {
  static constexpr int states = 0;
  static constexpr bool can_hold_load = false, sticks_by_events = false;

  template <class T>
  Vec3T<T> force(const Slip<T>& slip) const {
    const T scale = -(law().ratio(length_of(slip.velocity)) * slip.normal_force);
    return Vec3T<T>(slip.velocity[0] * scale, slip.velocity[1] * scale, slip.velocity[2] * scale);
  }
  /// Friction over load at a speed.
  template <class T>
  T coefficient(const T& speed) const {
    return law().ratio(speed) * speed;
  }
  /// Without memory there is one value at each speed.
  [[nodiscard]] double bound(double speed) const { return coefficient(speed); }
  [[nodiscard]] std::string conflict() const {
    if constexpr (requires(L l) { l.static_; })
      if (law().static_ < law().kinetic) return "static friction below kinetic";
    if constexpr (requires(L l) { l.v0, l.v1; })
      if (law().v0 >= law().v1) return "v0 must lie below v1";
    return {};
  }

 private:
  [[nodiscard]] const L& law() const { return static_cast<const L&>(*this); }
};

}  // namespace freeplay::laws
