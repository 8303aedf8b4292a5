// SPDX-License-Identifier: Apache-2.0
#include "dynamics/cartesian/cartesian.hpp"

#include <algorithm>
#include <cmath>

// What sticks, slips, rests and parts from an instant on: one problem for all contacts and joints
// with Coulomb friction and all rigid contacts at rest, on the level of accelerations
// (contact_problem.hpp). One by one they would answer differently: each load and each slip depends
// on what all the others do.
namespace freeplay::dynamics {

using contact_problem::Contact;
using contact_problem::Mode;
using contact_problem::Solution;

/// One more unknown along a row.
void Cartesian::take_row(Together& all, const HoldRow& row, FrameIndex b1, FrameIndex b2) const {
  all.rows.push_back(generalised(row, b1, b2));
}

/// One more element with the rows of a hold; friction by default.
Contact& Cartesian::take(Together& all, int hold, const HoldRows& rows) const {
  const auto [b1, b2] = bodies_of_hold(holds_[hold]);
  Contact element;
  element.row = static_cast<int>(all.rows.size());
  element.count = holds_[hold].count;
  for (int k = 0; k < element.count; ++k) take_row(all, rows[k], b1, b2);
  all.holds.push_back(hold);
  all.frictions.push_back(holds_[hold].kind == Hold::Kind::joint_stick ? holds_[hold].index : -1);
  return all.problem.elements.emplace_back(std::move(element));
}

/// How the mechanism, with nothing held, answers to each unknown; it must be factorised.
void Cartesian::respond(Together& all) {
  const auto count = static_cast<Eigen::Index>(all.rows.size());
  all.problem.W.resize(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    VecX x = VecX::Zero(kkt_.size());
    x.head(velocity_size()) = all.rows[static_cast<std::size_t>(i)];
    kkt_.solve(x.data());
    for (Eigen::Index j = 0; j < count; ++j)
      all.problem.W(j, i) = all.rows[static_cast<std::size_t>(j)].dot(x.head(velocity_size()));
    all.response.push_back(std::move(x));
  }
  all.problem.W = (0.5 * (all.problem.W + all.problem.W.transpose())).eval();
  for (std::size_t e = 0; e < all.frictions.size(); ++e) {
    if (all.frictions[e] < 0) continue;
    Contact& element = all.problem.elements[e];
    element.response.resize(3, count);
    for (Eigen::Index i = 0; i < count; ++i)
      element.response.col(i) =
          pressing_force(frictions_[all.frictions[e]],
                         all.response[static_cast<std::size_t>(i)].data() + velocity_size());
  }
}

/// The friction of an ideal joint by another law than Coulomb's, as it is at the speed and with the
/// bristles of the instant: coefficient and direction. False where there is none.
bool Cartesian::take_friction_of_other_law(Together& all, const State& state, int index,
                                           Contact& element) const {
  const Friction& friction = frictions_[static_cast<std::size_t>(index)];
  if (friction.element.dry()) return false;
  const Joint& joint = model_.joints[friction.element.joint()];
  const BodyIndex b1 = joint.first.body, b2 = joint.second.body;
  const auto lines = friction.element.rows(joint, poses_[b1], poses_[b2], model_.planar);
  const Vec3 slip = friction.element.slip(lines, poses_[b1], poses_[b2]);
  const Vec3 force = friction.element
                         .act<double>(slip, 1.0, state.y.data() + motion_size() + friction.state, 0,
                                      state.memory.data() + friction.memory)
                         .force;
  if (force.isZero(0)) return false;
  element.row = static_cast<int>(all.rows.size());
  element.count = friction.element.components();
  element.sliding = force.norm();
  element.direction = -force.normalized();
  for (int k = 0; k < element.count; ++k)
    take_row(all, {lines[k].v1, lines[k].w1, lines[k].v2, lines[k].w2, 0, 0}, b1, b2);
  all.holds.push_back(-1);
  all.frictions.push_back(index);
  return true;
}

/// Everything at rest with Coulomb friction, every rigid contact that rests, and the friction of
/// whatever slips under a load that is a force of the mechanism. In `memory` all of it is held, so
/// that it adds nothing to the applied forces.
Cartesian::Together Cartesian::at_rest(const State& state, std::vector<double>& memory) {
  Together all;
  const double* y = state.y.data();
  set_poses(y);
  struct Slipping {
    int hold;
    DryState now;
  };
  std::vector<int> still;
  std::vector<Slipping> slipping;
  std::vector<int> normal(static_cast<std::size_t>(contacts_.size()), -1);
  HoldRows rows;
  for (std::size_t h = 0; h < holds_.size(); ++h) {
    const Hold& hold = holds_[h];
    const auto index = static_cast<int>(h);
    if (hold.kind == Hold::Kind::rest) {
      if (!holding(hold, memory.data()) || !hold_rows(hold, memory.data(), rows)) continue;
      // The unknown opens the gap, the row of the hold is the rate of the depth.
      for (Vec3* v : {&rows[0].v1, &rows[0].w1, &rows[0].v2, &rows[0].w2}) *v = -*v;
      rows[0].gamma = -rows[0].gamma;
      Contact& element = take(all, index, rows);
      element.kind = Contact::Kind::unilateral;
      normal[hold.index] = element.row;
      all.problem.b.conservativeResize(element.row + 1);
      all.problem.b[element.row] = -rows[0].gamma;
      continue;
    }
    const DryState now = dry_state(hold, memory.data());
    if (!now.possible) continue;
    // What was held has moved only if a blow has set it off.
    const double slowly = now.mode == joints::kSlips ? still_speed(hold) : rest_speed();
    if (now.slip.norm() <= slowly) {
      still.push_back(index);
      set_dry(hold, memory.data(), joints::kSticks, now.last);
    } else {
      set_dry(hold, memory.data(), joints::kSlips, now.slip.normalized());
      if (hold.kind == Hold::Kind::joint_stick || normal[hold.index] >= 0)
        slipping.push_back({index, now});
    }
  }
  const auto take_friction = [&](int h) -> Contact& {
    const Hold& hold = holds_[h];
    const DryState now = dry_state(hold, memory.data());
    Contact& element = take(all, h, rows);
    element.at_rest = now.law.breakaway;
    element.sliding = now.law.kinetic;
    all.problem.b.conservativeResize(element.row + element.count);
    for (int k = 0; k < element.count; ++k) all.problem.b[element.row + k] = -rows[k].gamma;
    if (hold.kind == Hold::Kind::joint_stick)
      element.fixed = frictions_[hold.index].element.preload();
    else if (normal[hold.index] >= 0)
      element.normal = normal[hold.index];
    else
      element.fixed = now.load;
    return element;
  };
  for (int h : still)
    if (hold_rows(holds_[h], memory.data(), rows)) take_friction(h);
  if (all.problem.elements.empty()) return all;  // nothing can change
  for (const auto& [h, now] : slipping) {
    if (!hold_rows(holds_[h], memory.data(), rows)) continue;
    Contact& element = take_friction(h);
    element.slides = true;
    for (int k = 0; k < element.count; ++k)
      element.direction[k] =
          holds_[h].kind == Hold::Kind::joint_stick ? now.slip[k] : now.slip.dot(rows[k].v2);
    element.direction.normalize();
  }
  // Joints under other laws load themselves too.
  for (std::size_t f = 0; f < frictions_.size(); ++f) {
    Contact element;
    if (!take_friction_of_other_law(all, state, static_cast<int>(f), element)) continue;
    element.slides = true;
    element.fixed = frictions_[f].element.preload();
    all.problem.b.conservativeResize(element.row + element.count);
    all.problem.b.tail(element.count).setZero();
    all.problem.elements.push_back(std::move(element));
  }
  return all;
}

bool Cartesian::settle(State& state) {
  if (holds_.empty()) return true;
  if (!collisions_solved_) return false;
  const std::vector<double> before = state.memory;
  std::vector<char> released(holds_.size(), false);
  // One that is at its limit to the last digit may be found holding by the problem and sliding by
  // the mechanism: it is let go, and everything is decided again. Once for each.
  for (std::size_t round = 0; round <= holds_.size(); ++round) {
    state.memory = before;
    bool redundant = false;
    if (!decide(state, released, redundant)) return false;
    if (!project(state.time, state.y.data(), state.memory.data())) return false;
    int beyond = -1;
    do {  // what was let go before and is at its limit again slides as it is: on to the others
      beyond = -1;
      if (!let_yield(state, redundant, beyond)) return false;
    } while (beyond >= 0 && released[beyond]);
    if (beyond < 0) break;
    released[beyond] = true;
  }
  tell_changes(before, state);
  return true;
}

/// Writes into the memory what the laws ask for where the state is.
bool Cartesian::decide(State& state, const std::vector<char>& released, bool& redundant) {
  const int n = velocity_size();
  set_poses(state.y.data());
  for (const Hold& hold : holds_) {  // what has left the surface that it lay on
    HoldRows rows;
    if (hold.kind != Hold::Kind::rest || !holding(hold, state.memory.data())) continue;
    if (hold_rows(hold, state.memory.data(), rows)) continue;
    joints::ContactMemory past = joints::recall(&state.memory[hold.memory]);
    past.resting = past.sticking = 0;
    joints::remember(&state.memory[hold.memory], past);
  }
  std::vector<double> memory = state.memory;
  const bool known = solve_accelerations(state.time, state.y.data(), memory.data());
  const VecX held = lambda_;
  Together all = at_rest(state, memory);
  if (all.problem.elements.empty()) {
    state.memory = std::move(memory);  // directions of what slips
    return true;
  }
  for (std::size_t e = 0; e < all.holds.size(); ++e) {
    Contact& element = all.problem.elements[e];
    const int h = all.holds[e];
    all.pulls.push_back(known && element.kind == Contact::Kind::unilateral &&
                        held[holds_[h].row] < -force_noise());
    if (h >= 0 && released[h]) element.at_rest = element.sliding;
  }
  update(state.time, state.y.data(), memory.data());
  drop_holds();
  right_hand_side(state.time, state.y.data(), memory.data());
  if (!kkt_.factorise()) return false;
  kkt_.solve(solution_.data());
  const VecX free = solution_;
  for (std::size_t i = 0; i < all.rows.size(); ++i)
    all.problem.b[static_cast<Eigen::Index>(i)] += all.rows[i].dot(free.head(n));
  respond(all);
  for (std::size_t e = 0; e < all.frictions.size(); ++e)
    if (all.frictions[e] >= 0)
      all.problem.elements[e].reaction =
          pressing_force(frictions_[all.frictions[e]], free.data() + n);

  const Solution answer = contact_problem::solve(all.problem);
  if (!answer.solved) return refuse(all, answer);
  redundant = answer.redundant;
  carry_out(all, answer, state.memory.data());
  return true;
}

bool Cartesian::refuse(const Together& all, const Solution& answer) {
  const std::size_t e = static_cast<std::size_t>(std::max(0, answer.culprit));
  const int hold = all.holds[e];
  const int joint = all.frictions[e] >= 0 ? frictions_[all.frictions[e]].element.joint()
                                          : contacts_.element(holds_[hold].index).joint();
  culprit_ = "friction of joint " + model_.joints[joint].name +
             ": no forces satisfy Coulomb's law for a rigid mechanism here (Painleve's paradox)";
  return false;
}

void Cartesian::carry_out(const Together& all, const Solution& answer, double* memory) const {
  constexpr double kRounding = 1e-12;  // of accelerations that add up to nothing
  const double noise = kRounding * scales_.length / (scales_.time * scales_.time);
  for (std::size_t e = 0; e < all.holds.size(); ++e) {
    if (all.holds[e] < 0) continue;
    const Hold& hold = holds_[all.holds[e]];
    const Contact& element = all.problem.elements[e];
    if (element.kind == Contact::Kind::unilateral) {
      // Where it begins to part, the acceleration apart is nothing yet; without a load, round-off.
      const bool parts = answer.motion[element.row] > noise || all.pulls[e];
      if (answer.mode[e] == Mode::closed || !parts) continue;
      joints::ContactMemory past = joints::recall(memory + hold.memory);
      past.resting = 0;
      joints::remember(memory + hold.memory, past);
    } else if (answer.mode[e] == Mode::stick) {
      const bool stuck = dry_state(hold, memory).held();
      set_dry(hold, memory, joints::kSticks, Vec3::Zero());
      if (!stuck) anchor(hold, memory);
    } else {
      set_dry(hold, memory, joints::kSlips, as_remembered(hold, memory, answer.direction[e]));
    }
  }
}

/// Where several hold the same motion, the constraints share the load evenly, which may be more
/// than one of them can carry although all together can: that one pulls as hard as it can, and the
/// others take the rest. One that is alone slides: it is named as `beyond`.
bool Cartesian::let_yield(State& state, bool redundant, int& beyond) {
  double* memory = state.memory.data();
  for (std::size_t round = 0; round <= holds_.size(); ++round) {
    if (!solve_accelerations(state.time, state.y.data(), memory)) return false;
    int worst = -1;
    double most = 0;
    for (std::size_t h = 0; h < holds_.size(); ++h) {
      const Hold& hold = holds_[h];
      if (hold.kind == Hold::Kind::rest || !holding(hold, memory)) continue;
      const double excess = beyond_cone(hold, dry_state(hold, memory));
      if (excess <= most) continue;
      worst = static_cast<int>(h);
      most = excess;
    }
    if (worst < 0) break;
    const Hold& hold = holds_[worst];
    Vec3 slip = Vec3::Zero();  // the way it gives
    for (int k = 0; k < hold.count; ++k) slip[k] = lambda_[hold.row + k];
    const Vec3 direction = as_remembered(hold, memory, slip.normalized());
    set_dry(hold, memory, redundant ? joints::kYields : joints::kSlips, direction);
    if (redundant) continue;
    beyond = worst;
    return true;
  }
  if (redundant) beyond = yields_alone(state);
  return true;
}

/// One that yields although nothing else holds it: it slides from here on; -1: none.
int Cartesian::yields_alone(State& state) {
  double* memory = state.memory.data();
  std::vector<int> yielding;
  std::vector<double> mobility;
  const auto measure = [&](int h, auto&& take) {
    HoldRows rows;
    const auto [b1, b2] = bodies_of_hold(holds_[h]);
    if (!hold_rows(holds_[h], memory, rows)) return;
    // Along the way it gives; across, nothing need hold it.
    const Vec3 way = dry_state(holds_[h], memory).last;
    VecX row = VecX::Zero(velocity_size()), x = VecX::Zero(kkt_.size());
    for (int k = 0; k < holds_[h].count; ++k)
      row += (holds_[h].kind == Hold::Kind::joint_stick ? way[k] : way.dot(rows[k].v2)) *
             generalised(rows[k], b1, b2);
    x.head(velocity_size()) = row;
    kkt_.solve(x.data());
    take(row.dot(x.head(velocity_size())));
  };
  for (std::size_t h = 0; h < holds_.size(); ++h) {
    if (holds_[h].kind == Hold::Kind::rest) continue;
    if (dry_state(holds_[h], memory).mode != joints::kYields) continue;
    measure(static_cast<int>(h), [&](double most) {
      yielding.push_back(static_cast<int>(h));
      mobility.push_back(most);
    });
  }
  if (yielding.empty()) return -1;
  constexpr double kLoose = 1e-5;  // chosen: what others hold moves a millionth of its free motion
  drop_holds();
  if (!kkt_.factorise()) return -1;
  for (std::size_t k = 0; k < yielding.size(); ++k) {
    bool alone = false;
    measure(yielding[k], [&](double most) { alone = mobility[k] > kLoose * most; });
    if (!alone) continue;
    set_dry(holds_[yielding[k]], memory, joints::kSlips,
            dry_state(holds_[yielding[k]], memory).last);
    return yielding[k];
  }
  return -1;
}

/// Events for the log: what has changed between two memories.
void Cartesian::tell_changes(const std::vector<double>& before, State& state) {
  for (const Hold& hold : holds_) {
    if (hold.kind == Hold::Kind::rest) {
      if (!holding(hold, before.data()) || holding(hold, state.memory.data())) continue;
      double* z = state.y.data() + motion_size();
      contacts_.apply(hold.index, false, poses_, state, z, z + state_size(),
                      {});  // a separation asks for nothing
      continue;
    }
    const DryState was = dry_state(hold, before.data()), is = dry_state(hold, state.memory.data());
    if (!was.possible) continue;
    const bool slipped = was.mode == joints::kSlips, slips = is.mode == joints::kSlips;
    if (slipped && !slips) tell_of(hold, "stick", state.time);
    if (slips && (!slipped || was.last.dot(is.last) < 0))
      tell_of(hold, "slip", state.time, is.slip.norm());
  }
}

}  // namespace freeplay::dynamics
