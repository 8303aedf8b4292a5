// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laws/friction_laws.hpp"

#include <array>
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

/// `states` and `load_rate` serve bristle laws; `last_slip`, a unit vector, serves Coulomb's: the
/// direction of its force is carried smoothly through a reversal, which is a located event.
template <class T>
FrictionAction<T> act(const laws::FrictionLaw& law, const Vec3T<T>& slip, const T& load,
                      const T* states, double load_rate, const double* last_slip) {
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
          const T speed = sqrt(slip.dot(slip) + 1e-40);
          double along = 0;
          for (int k = 0; k < 3; ++k) along += value_of(slip[k]) * last_slip[k];
          if (value_of(speed) < 1e-18)  // no direction of its own
            for (int k = 0; k < 3; ++k) out.force[k] = T(-l.kinetic * last_slip[k]) * load;
          else
            out.force = slip * T((along < 0 ? l.kinetic : -l.kinetic) * load / speed);
        } else {
          const T speed = sqrt(slip.dot(slip) + 1e-40);
          out.force = slip * T(-l.ratio(speed) * load);
        }
      },
      law);
  return out;
}

}  // namespace freeplay::joints
