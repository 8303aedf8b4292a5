// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <freeplay/math.hpp>
#include <freeplay/state.hpp>

#include <cstdint>
#include <vector>

// Motions a small distance from one another, brought together again each turn, from whose parting
// Lyapunov exponents follow (Benettin et al. 1980; theory/chaos (L.2)).
namespace freeplay::study {

class Neighbours {
 public:
  static constexpr double kDistance = 1e-7;  ///< far above the tolerance, far below any penetration

  /// `count` of them in random directions about `centre`. `scale`: of each number of the state, of
  /// which the first `moving` are the motion.
  Neighbours(const State& centre, const VecX& scale, Eigen::Index moving, int count,
             std::uint64_t seed);

  [[nodiscard]] std::vector<State>& states() { return states_; }

  /// How far each lies from the space that the centre and the neighbours before it span: root mean
  /// square over the numbers of the motion, each by its own scale.
  [[nodiscard]] std::vector<double> lengths(const State& centre) const;
  /// Back to kDistance, each across the ones before it.
  void bring_together(const State& centre);

 private:
  [[nodiscard]] VecX deviation(const State& centre, const State& other) const;
  [[nodiscard]] double apart(const State& centre, const State& other) const;

  VecX scale_;
  Eigen::Index moving_;
  std::vector<State> states_;
};

}  // namespace freeplay::study
