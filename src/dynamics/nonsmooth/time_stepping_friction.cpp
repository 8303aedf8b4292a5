// SPDX-License-Identifier: Apache-2.0
#include "dynamics/nonsmooth/time_stepping.hpp"

#include <algorithm>

// Friction of ideal joints in a time step: surfaces that never part, under the reaction that the
// impulse problem finds with them (theory/time_stepping (N.12)).
namespace freeplay::dynamics {

ImpulseProblem::Surfaces TimeStepping::surfaces_of(const Cartesian::Friction& friction) const {
  const Joint& joint = model_.joints[friction.element.joint()];
  const auto body_of = [&](FrameIndex frame) {
    return frame == kGround ? -1 : system_.bodies().owner(frame);
  };
  ImpulseProblem::Surfaces out;
  out.first = body_of(joint.first.body);
  out.second = body_of(joint.second.body);
  out.tangents = friction.element.components();
  out.rubs = true;
  for (int r = 0; r < system_.rows(); ++r)
    if (system_.joint_of_row(r) == friction.element.joint() && !system_.drives(r))
      out.pressed_by.push_back(r);
  return out;
}

/// At the poses of the moment, for which the rows must have been evaluated.
void TimeStepping::take_frictions(double h, const std::vector<double>& memory) {
  const auto frictions = system_.frictions();
  const auto poses = system_.poses();
  for (std::size_t f = 0; f < frictions.size(); ++f) {
    const JointFriction& element = frictions[f].element;
    const Joint& joint = model_.joints[element.joint()];
    const FrameIndex b1 = joint.first.body, b2 = joint.second.body;
    const int surfaces = static_cast<int>(contacts_.elements().size() + f);
    ImpulseProblem::Contact is;
    is.place = problem_.place_of(surfaces);
    is.tangents = element.components();
    is.load = element.preload() * h;
    is.at_rest = element.dry()->breakaway;
    is.sliding = element.dry()->kinetic;
    const auto lines = element.rows(joint, poses[static_cast<std::size_t>(b1)],
                                    poses[static_cast<std::size_t>(b2)], model_.planar);
    for (int i = 0; i < element.components(); ++i) {
      double* out = problem_.gradient(is.place, 1 + i);
      if (b1 != kGround) {
        spread(b1, lines[i].v1, lines[i].w1, out);
        out += system_.bodies().body(system_.bodies().owner(b1)).velocities();
      }
      if (b2 != kGround) spread(b2, lines[i].v2, lines[i].w2, out);
    }
    Vec3* presses = problem_.presses(is.place);
    for (int r = 0; r < system_.rows(); ++r)
      if (system_.joint_of_row(r) == element.joint() && !system_.drives(r))
        *presses++ = system_.pressing_of(frictions[f], r);
    const auto past = recall_slip(&memory[static_cast<std::size_t>(frictions[f].memory)]);
    const auto rub = system_.step_record()->recall_rub(static_cast<int>(f), memory.data());
    is.mode = past.sticking == joints::kSticks ? Mode::stick : Mode::slip;
    is.pressing = Vec3(rub.pressing[0], rub.pressing[1], rub.pressing[2]);
    problem_.take(is, y_middle_.data() + system_.position_size());
  }
}

}  // namespace freeplay::dynamics
