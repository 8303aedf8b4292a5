// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rotation.hpp"
#include "joints/small_numbers.hpp"
#include "laws/friction_laws.hpp"
#include <freeplay/model.hpp>

#include <array>
#include <cmath>
#include <optional>

// A friction law at work on one slip, whatever kind of law it is.
namespace freeplay::joints {

using laws::kMaxFrictionStates;

template <class T>
struct FrictionAction {
  Vec3T<T> force = Vec3T<T>::Zero();               ///< on the second (inner) part; N
  std::array<T, kMaxFrictionStates> state_rate{};  ///< of bristle laws, in axes that do not turn
};

/// Coulomb friction: coefficients while sliding and at rest; nothing for other laws.
struct DryFriction {
  double kinetic = 0, breakaway = 0;
};
inline std::optional<DryFriction> dry_friction(const laws::FrictionLaw& law) {
  const auto* coulomb = std::get_if<laws::Coulomb>(&law);
  if (!coulomb) return {};
  return DryFriction{coulomb->kinetic, coulomb->breakaway()};
}

/// Speed below which the direction of a slip is that of the last one rather than its own; m/s. The
/// force of dry friction turns with its slip within m |slip| / (mu N): a slip in two directions
/// that begins without an acceleration would be stiff beyond all measure. A direction that is
/// altogether wrong up to a speed v costs a way of v times the while it takes to get there, sqrt(2
/// v / jerk), in the units of the mechanism v^1.5: below the tolerance of places.
[[nodiscard]] inline double aimless_speed(const Model& model) {
  const Scales scales = scales_of(model);
  return std::pow(model.simulation.tolerance, 2.0 / 3) * scales.length / scales.time;
}

/// Of a law without memory, on the inner part; N.
template <class T, laws::SlipLaw L>
Vec3T<T> slip_force(const L& law, const Vec3T<T>& slip, const T& load) {
  using std::sqrt;
  const T speed = sqrt(freeplay::dot(slip, slip) + kRegularRate);
  return slip * T(-laws::ratio_under(law, speed, load) * load);
}

/// `states` and `load_rate` serve bristle laws; `last_slip`, a unit vector, serves Coulomb's: the
/// direction of its force is carried smoothly through a reversal, which is a located event, and
/// through slips slower than `aimless`.
template <class T>
FrictionAction<T> act(const laws::FrictionLaw& law, const Vec3T<T>& slip, const T& load,
                      const T* states, double load_rate, const double* last_slip, double aimless) {
  using std::sqrt;
  FrictionAction<T> out;
  std::visit(
      [&]<class L>(const L& l) {
        if constexpr (L::states > 0) {
          laws::BristleState<T, L::states> z;
          for (int k = 0; k < L::states; ++k) z[k] = states[k];
          const auto result = l.evaluate(laws::Slip<T>{slip, load}, T(load_rate), z);
          out.force = result.force;
          for (int k = 0; k < L::states; ++k) out.state_rate[k] = result.rate[k];
        } else if constexpr (L::sticks_by_events) {
          double along = 0;
          for (int k = 0; k < 3; ++k) along += value_of(slip[k]) * last_slip[k];
          // Fades as the cube, so that nothing of it is left in slips worth the name.
          const T faster = slip.dot(slip) / (aimless * aimless);
          const T last = aimless / (1.0 + faster);
          Vec3T<T> direction;
          for (int k = 0; k < 3; ++k)
            direction[k] = (along < 0 ? -slip[k] : slip[k]) + last * last_slip[k];
          const T size = sqrt(direction.dot(direction) + kRegularRate);
          out.force = direction * T(-l.kinetic * load / size);
        } else {
          out.force = slip_force(l, slip, load);
        }
      },
      law);
  return out;
}

/// Coulomb friction at its limit, at rest: against the slip that is about to begin.
template <class T>
Vec3T<T> yield(const DryFriction& dry, const T& load, const double* last_slip) {
  Vec3T<T> out;
  for (int k = 0; k < 3; ++k) out[k] = T(-dry.breakaway * last_slip[k]) * load;
  return out;
}

}  // namespace freeplay::joints
