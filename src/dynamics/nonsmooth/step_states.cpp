// SPDX-License-Identifier: Apache-2.0
#include "dynamics/nonsmooth/step_states.hpp"

#include <algorithm>

namespace freeplay::dynamics {

StepStates::StepStates(const Cartesian& system)
    : positions_(system.position_size()), velocities_(system.velocity_size()) {
  block_of_.assign(static_cast<std::size_t>(system.state_size()), -1);
  const auto add = [&](const Elements::Entry& entry) {
    const Element& element = *entry.element;
    if (element.states() == 0) return;
    Block block;
    block.first = element.state();
    block.count = element.states();
    int side = 0;
    for (const FrameIndex frame : {element.first(), element.second()}) {
      if (frame == kGround) continue;
      const int body = system.bodies().owner(frame);
      block.dof[side] = system.bodies().velocity_of(body);
      block.wide[side] = system.bodies().body(body).velocities();
      if (side == 1 && block.dof[0] == block.dof[1]) block.wide[1] = 0;  // of one body
      ++side;
    }
    const int wide = block.wide[0] + block.wide[1];
    block.slope = MatX::Zero(block.count, block.count);
    block.motion = MatX::Zero(block.count, wide);
    block.force = MatX::Zero(wide, block.count);
    block.rates = block.change = VecX::Zero(block.count);
    for (int i = 0; i < block.count; ++i)
      block_of_[static_cast<std::size_t>(block.first + i)] = static_cast<int>(blocks_.size());
    blocks_.push_back(std::move(block));
  };
  for (const auto* list : {&system.elements().forces(), &system.elements().joints()})
    for (const Elements::Entry& entry : *list) add(entry);
}

void StepStates::begin() {
  for (Block& block : blocks_) {
    block.slope.setZero();
    block.motion.setZero();
    block.force.setZero();
  }
}

void StepStates::add_rate(int state, int column, double x, double place, double rate,
                          const std::vector<std::vector<std::pair<int, double>>>& turn) {
  Block& block = blocks_[static_cast<std::size_t>(block_of_[static_cast<std::size_t>(state)])];
  const int row = state - block.first;
  if (column >= positions_ + velocities_) {
    block.slope(row, column - positions_ - velocities_ - block.first) += x;
  } else if (column >= positions_) {
    block.motion(row, block.local(column - positions_)) += rate * x;
  } else {
    for (const auto& [velocity, share] : turn[static_cast<std::size_t>(column)])
      block.motion(row, block.local(velocity)) += place * share * x;
  }
}

bool StepStates::condense(const Elements& elements, double h, double theta, ImpulseProblem& problem,
                          double* force) {
  for (const auto* list : {&elements.forces(), &elements.joints()})
    for (const Elements::Entry& entry : *list) {
      const Element& element = *entry.element;
      if (element.states() == 0) continue;
      Block& block =
          blocks_[static_cast<std::size_t>(block_of_[static_cast<std::size_t>(element.state())])];
      std::copy_n(entry.rates.data(), block.count, block.rates.data());
    }
  const double rate = theta * h;
  for (Block& block : blocks_) {
    block.slope = MatX::Identity(block.count, block.count) - rate * block.slope;
    block.factors.compute(block.slope);
    block.motion = block.factors.solve(block.motion);
    block.rates = block.factors.solve(block.rates) * h;
    if (!block.rates.allFinite() || !block.motion.allFinite()) return false;
    for (Eigen::Index i = 0; i < block.force.rows(); ++i) {
      const int row = block.velocity(static_cast<int>(i));
      force[row] -= rate * block.force.row(i).dot(block.rates);
      for (Eigen::Index k = 0; k < block.motion.cols(); ++k)
        problem.add_mass(row, block.velocity(static_cast<int>(k)),
                         rate * block.force.row(i).dot(block.motion.col(k)));
    }
  }
  return true;
}

void StepStates::advance(const double* dv, double* states) const {
  for (const Block& block : blocks_)
    for (int i = 0; i < block.count; ++i) {
      double change = block.rates[i];
      for (Eigen::Index k = 0; k < block.motion.cols(); ++k)
        change += block.motion(i, k) * dv[block.velocity(static_cast<int>(k))];
      states[block.first + i] += change;
    }
}

}  // namespace freeplay::dynamics
