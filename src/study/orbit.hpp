// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/math.hpp>
#include <freeplay/state.hpp>

#include <complex>
#include <functional>
#include <optional>
#include <stdexcept>
#include <vector>

// Periodic motions, stable or not, by shooting: the state at the section that a turn leads back to
// itself, and how neighbouring states are led away from it (theory/chaos (L.8) to (L.10)).
namespace freeplay::study {

/// A turn of the motion, and the way back to the constraints of the mechanism. Both may throw.
struct ReturnMap {
  std::function<State(const State&)> turn;
  std::function<void(State&)> project;
};

/// What leads from one state to another: angles to the nearest turn, quaternions to the nearer of
/// the two that mean the same; by the scales of the first numbers of y.
[[nodiscard]] VecX displacement(const State& from, const State& to, const VecX& scale);

struct Orbit {
  State state;         ///< at the section
  double closure = 0;  ///< by how much a turn misses it: the largest, by the scales of the state
  int steps = 0;       ///< of Newton's method
  std::vector<std::complex<double>> multipliers;  ///< of Floquet, the largest first
  double error = 0;  ///< of the multipliers: how far two widths of the differences disagree
};

/// There is no such motion near, or its multipliers cannot be told.
class NoOrbit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `guess`: where the search begins. `scale`: of each number of y, of which the first `moving` are
/// the motion.
[[nodiscard]] Orbit find_orbit(State guess, const VecX& scale, Eigen::Index moving,
                               const ReturnMap& map);

/// What a motion may do where a multiplier leaves the unit circle.
enum class Bifurcation { none, fold, flip, torus };
/// By the multiplier that leaves it.
[[nodiscard]] Bifurcation kind_of(std::complex<double> multiplier);

/// Where `value` changes its sign between a and b (Illinois method), to 1e-10 of their distance or
/// the noise of `value`. Nothing: it could not be told on the way.
[[nodiscard]] std::optional<double> locate_sign(
    double a, double at_a, double b, double at_b,
    const std::function<std::optional<double>(double)>& value);

}  // namespace freeplay::study
