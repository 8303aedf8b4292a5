// SPDX-License-Identifier: Apache-2.0
#include "dynamics/cartesian/cartesian.hpp"

#include <algorithm>
#include <cmath>

// Newton's impact law at all rigid contacts that are closed at an instant, with Coulomb's law for
// the impulses of friction: one problem on the level of velocities (Glocker 2001),
//
//     0 <= P_N,  0 <= u_N+ + e u_N-,  complementary;    |P_T| <= mu P_N against u_T+.
//
// Ideal joints with friction pass impulses on and rub under them: with Coulomb's coefficient, or
// with that which another law has at the speed, and the bristles, just before. Forces of compliant
// contacts, films and springs are finite and do nothing in no time.
namespace freeplay::dynamics {

using contact_problem::Contact;

/// The rigid contacts that are closed, and friction at them and in ideal joints: what takes part in
/// an impact, and with which speeds.
Cartesian::Collision Cartesian::colliding(const State& state) {
  Collision out;
  const double* memory = state.memory.data();
  const Eigen::Map<const VecX> speeds(state.y.data() + position_size(), velocity_size());
  std::vector<int> normal(static_cast<std::size_t>(contacts_.size()), -1);
  std::vector<double> b;
  HoldRows lines;
  // Accelerations without contacts.
  right_hand_side(state.time, state.y.data(), memory);
  kkt_.solve(solution_.data());
  const VecX free = solution_.head(velocity_size());
  for (std::size_t h = 0; h < holds_.size(); ++h) {
    const Hold& hold = holds_[h];
    if (hold.kind != Hold::Kind::rest || !hold_rows(hold, memory, lines)) continue;
    if (lines[0].phi < -closed_gap(hold)) continue;
    const double gamma = lines[0].gamma;
    for (Vec3* x : {&lines[0].v1, &lines[0].w1, &lines[0].v2, &lines[0].w2}) *x = -*x;
    Contact& element = take(out.all, static_cast<int>(h), lines);
    element.kind = Contact::Kind::unilateral;
    normal[hold.index] = element.row;
    const double gap_rate = out.all.rows.back().dot(speeds);
    const double e = *contacts_.element(hold.index).impulse_restitution();
    const double rest = rest_speed(hold, -gamma - out.all.rows.back().dot(free));
    const bool rests = -e * gap_rate < rest;
    b.push_back(gap_rate + (rests ? 0 : e) * std::min(0.0, gap_rate));
    out.takers.push_back({static_cast<int>(h),
                          static_cast<int>(out.all.problem.elements.size()) - 1, -gap_rate, rest});
    out.any |= gap_rate < rest && !holding(hold, memory);
  }
  if (!out.any) return out;
  for (std::size_t h = 0; h < holds_.size(); ++h) {
    const Hold& hold = holds_[h];
    if (hold.kind == Hold::Kind::rest) continue;
    const bool in_joint = hold.kind == Hold::Kind::joint_stick;
    if (!in_joint && normal[hold.index] < 0) continue;
    if (!hold_rows(hold, memory, lines)) continue;
    const DryState now = dry_state(hold, memory);
    Contact& element = take(out.all, static_cast<int>(h), lines);
    element.at_rest = element.sliding = now.law.kinetic;
    if (!in_joint) element.normal = normal[hold.index];
    for (int k = 0; k < element.count; ++k)
      b.push_back(out.all.rows[static_cast<std::size_t>(element.row + k)].dot(speeds));
  }
  for (std::size_t f = 0; f < frictions_.size(); ++f) {
    Contact element;
    if (!take_friction_of_other_law(out.all, state, static_cast<int>(f), element)) continue;
    element.at_rest = element.sliding;
    for (int k = 0; k < element.count; ++k)
      b.push_back(out.all.rows[static_cast<std::size_t>(element.row + k)].dot(speeds));
    out.all.problem.elements.push_back(std::move(element));
  }
  out.all.problem.b = Eigen::Map<VecX>(b.data(), static_cast<Eigen::Index>(b.size()));
  return out;
}

/// True when something happened. `state` is at the instant; what rests afterwards is decided by
/// settle().
bool Cartesian::collide(State& state) {
  const int n = velocity_size();
  double* v = state.y.data() + position_size();
  double* z = state.y.data() + motion_size();
  double* works = z + state_size();
  update(state.time, state.y.data(), state.memory.data());
  drop_holds();
  if (!kkt_.factorise()) return false;
  Collision collision = colliding(state);
  if (!collision.any) return false;
  Together& all = collision.all;
  respond(all);
  const contact_problem::Solution answer = contact_problem::solve(all.problem);
  if (!answer.solved) {
    collisions_solved_ = refuse(all, answer);
    return false;
  }

  // Touches are told with the speeds of before.
  for (const Taker& taker : collision.takers)
    if (taker.approach > -taker.rest)
      contacts_.apply(
          holds_[taker.hold].index, true, poses_, state, z, works,
          {[&](int element, const auto& point) { return mobility(element, point); }, {}});

  const Eigen::Map<VecX> speeds(v, n);
  const VecX before = speeds;
  VecX passed_on = VecX::Zero(rows_.size());
  for (std::size_t i = 0; i < all.rows.size(); ++i) {
    const double impulse = answer.force[static_cast<Eigen::Index>(i)];
    const VecX& x = all.response[i];
    for (int d = 0; d < n; ++d) v[d] += impulse * x[d];
    passed_on += impulse * x.tail(rows());
  }
  // Work of an impulse: with the mean of the speeds before and after. Drives do not give way: each
  // passes its impulse on at the speed that it keeps up.
  const VecX mean = 0.5 * (before + VecX(speeds));
  kkt_.rates(mean.data(), row_rate_.data());
  for (int r = 0; r < joint_rows(); ++r)
    if (rows_[r].work >= 0) works[rows_[r].work] -= passed_on[r] * row_rate_[r];
  for (std::size_t e = 0; e < all.holds.size(); ++e) {
    const double work = work_of_impulse(all, answer, static_cast<int>(e), mean);
    if (all.frictions[e] >= 0) {
      works[frictions_[all.frictions[e]].work] += work;
      continue;
    }
    const Hold& hold = holds_[all.holds[e]];
    if (hold.kind == Hold::Kind::stick)
      works[contacts_.list()[hold.index].friction_work] += work;
    else
      works[contacts_.list()[hold.index].normal_work] += work;
  }
  tell_impacts(collision, answer, mean, state);
  return true;
}

double Cartesian::work_of_impulse(const Together& all, const contact_problem::Solution& answer,
                                  int element, const VecX& mean) const {
  const Contact& of = all.problem.elements[static_cast<std::size_t>(element)];
  double work = 0;
  for (int k = of.row; k < of.row + of.count; ++k)
    work += answer.force[k] * all.rows[static_cast<std::size_t>(k)].dot(mean);
  return work;
}

/// What rests from here on, what was thrown off, and a record of each impact.
void Cartesian::tell_impacts(const Collision& collision, const contact_problem::Solution& answer,
                             const VecX& mean, State& state) {
  const Together& all = collision.all;
  double* z = state.y.data() + motion_size();
  const Eigen::Map<const VecX> speeds(state.y.data() + position_size(), velocity_size());
  for (const Taker& taker : collision.takers) {
    const Hold& hold = holds_[taker.hold];
    const auto& contact = contacts_.list()[hold.index];
    const Contact& element = all.problem.elements[taker.element];
    const double after = all.rows[static_cast<std::size_t>(element.row)].dot(speeds);
    const bool rested = holding(hold, state.memory.data());
    const bool rests = after < taker.rest;
    if (rested && !rests)  // thrown off its wall by another's impact
      contacts_.apply(hold.index, false, poses_, state, z, z + state_size(), {});
    joints::ContactMemory memory = joints::recall(&state.memory[hold.memory]);
    memory.resting = memory.touching = rests;
    if (rests && !rested) {  // the blow is told below: from here on it only lies there
      memory.approach = 0;
      memory.work = z[state_size() + contact.normal_work];
      tell_of(hold, "rest", state.time, taker.approach);
    }
    joints::remember(&state.memory[hold.memory], memory);
    if (!(answer.force[element.row] > 0)) continue;
    Impact& impact = contacts_.tell_impact(contact);
    impact.start = impact.end = state.time;
    impact.approach_speed = taker.approach;
    impact.separation_speed = after;
    impact.energy_lost = -work_of_impulse(all, answer, taker.element, mean);
    impact.impulse = answer.force[element.row];
  }
}

}  // namespace freeplay::dynamics
