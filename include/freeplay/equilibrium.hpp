// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/model.hpp>
#include <freeplay/state.hpp>

#include <string>
#include <vector>

// Where a mechanism comes to rest, or runs steadily, and how it moves about such a state.
namespace freeplay {

/// What a joint with play carries in an equilibrium.
struct CarriedLoad {
  std::string joint;
  std::string by;    ///< which contact, "film" or "bushing"
  double force = 0;  ///< of the first body on the second; N (N m for an end stop of an angle)
  double depth = 0;  ///< of a contact; m
  double ratio = 0;  ///< of a film: eccentricity over clearance
};

/// The pose in which nothing accelerates, found from the assembled start: joints with play settle
/// into contact or on their oil. Spins that leave every centre of mass at rest go on (a rotor is in
/// equilibrium while it turns); all else stands still, drives where they start.
struct Equilibrium {
  bool found = false;
  std::string reason;  ///< why not; empty when found
  std::string remedy;
  bool spinning = false;
  int iterations = 0;
  double residual = 0;    ///< largest unbalanced acceleration; m/s^2 or rad/s^2
  double unbalanced = 0;  ///< largest unbalanced force; N or N m
  std::vector<CarriedLoad> loads;
  /// Motions that nothing resists: the pose is one of many. In words.
  std::vector<std::string> free_motions;
  State state;
  std::vector<double> row;  ///< reactions and the rest, as recorded
};
[[nodiscard]] Equilibrium find_equilibrium(const Model& model);

/// One mode of small motion about a state.
struct Mode {
  double frequency = 0;            ///< damped natural frequency; Hz
  double damping = 0;              ///< ratio; > 1 means two real roots were found
  double real = 0, imaginary = 0;  ///< eigenvalue; 1/s
  std::string motion;              ///< what moves most, in words
  [[nodiscard]] bool grows() const { return real > 0; }
};
/// Exact linearisation of the constrained motion about a state (at rest or moving steadily),
/// contact, oil and relaxing rubber included. The slowest first.
[[nodiscard]] std::vector<Mode> natural_modes(const Model& model, const State& about);
/// A body that spins and whose inertia is not the same all around its axis: small motions about it
/// have coefficients that change as it turns, and `natural_modes` are those of the instant only.
/// Its name; empty if there is none.
[[nodiscard]] std::string uneven_rotor(const Model& model, const State& about);

}  // namespace freeplay
