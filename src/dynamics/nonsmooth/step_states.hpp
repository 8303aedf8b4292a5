// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/cartesian/cartesian.hpp"
#include "dynamics/nonsmooth/impulse_problem.hpp"

#include <Eigen/LU>

#include <utility>
#include <vector>

// Continuous states of elements over a time step: the forces of dampers in series and of rubber
// that relaxes. They follow the theta method together with the velocities, so that relaxation
// faster than a step does not limit it; element by element they are taken out of the equations of
// the velocities, theory/time_stepping (N.11).
namespace freeplay::dynamics {

class StepStates {
 public:
  explicit StepStates(const Cartesian& system);
  [[nodiscard]] bool empty() const { return blocks_.empty(); }

  /// Derivatives of the rates of states, and of the momentum rows by states, follow.
  void begin();
  /// How position `column`, moved by velocities as `turn` says, velocity or state changes a rate.
  void add_rate(int state, int column, double x, double place, double rate,
                const std::vector<std::vector<std::pair<int, double>>>& turn);
  void add_force(int row, int state, double x) {
    Block& block = blocks_[static_cast<std::size_t>(block_of_[static_cast<std::size_t>(state)])];
    block.force(block.local(row), state - block.first) += x;
  }
  /// Into the masses and forces of the step; false where the states cannot be solved for.
  [[nodiscard]] bool condense(const Elements& elements, double h, double theta,
                              ImpulseProblem& problem, double* force);
  /// The states, for this change of the velocities.
  void advance(const double* dv, double* states) const;

 private:
  struct Block {
    int first = 0, count = 0;               // states
    int dof[2] = {0, 0}, wide[2] = {0, 0};  // velocities of the two bodies
    MatX slope;                             // of the rates by the states
    MatX motion;                            // change of the states by that of the velocities
    MatX force;                             // of the momentum rows by the states
    VecX rates, change;
    [[nodiscard]] int local(int velocity) const {
      const int first_body = velocity - dof[0];
      if (first_body >= 0 && first_body < wide[0]) return first_body;
      return wide[0] + velocity - dof[1];
    }
    [[nodiscard]] int velocity(int local) const {
      return local < wide[0] ? dof[0] + local : dof[1] + local - wide[0];
    }
    Eigen::PartialPivLU<MatX> factors;
  };
  std::vector<Block> blocks_;
  std::vector<int> block_of_;  // of each state
  int positions_, velocities_;
};

}  // namespace freeplay::dynamics
