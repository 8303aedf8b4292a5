// SPDX-License-Identifier: Apache-2.0
#include "core/views.hpp"
#include "dynamics/constraints/joint_readings.hpp"
#include "dynamics/tree/tree.hpp"

#include <cmath>
#include <tuple>

// What is known at an instant in joint coordinates, and the way from and to the Cartesian state.
// Reactions of the tree's joints come from one sweep inward with all accelerations known: what is
// left of the wrench that a joint transmits once its drives are taken off.
namespace freeplay::dynamics {
namespace {

Vec4 turn_about_z(double angle) { return {std::cos(angle / 2), 0, 0, std::sin(angle / 2)}; }

}  // namespace

/// Euler parameters of every body; those that are not in y are put together from half angles, so
/// they never jump.
template <int Rd>
void Tree<Rd>::quaternions(const double* y, std::vector<Vec4>& out) const {
  out.assign(model_.bodies.size(), Vec4(1, 0, 0, 0));
  const auto& nodes = kernel_.nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto& node = nodes[i];
    Vec4& q = out[node.body];
    if constexpr (Rd == 1) {
      q = turn_about_z(motion_[i].angle);
    } else if (node.absolute()) {
      q = vec4(y + node.q + (node.kind == TreeKind::free ? 3 : 0));
    } else {
      const auto at = [&](int k) {
        return node.at_drive[k] >= 0 ? kernel_.prescribed()[node.at_drive[k]].jet.x
                                     : y[node.at_q[k]];
      };
      q = node.parent >= 0 ? out[nodes[node.parent].body] : Vec4(1, 0, 0, 0);
      q = quaternion_product(q, inner_turn_[i]);
      if (node.kind == TreeKind::universal) {
        // The cross at rest: x, y, z of the outer frame along z, -y, x of the inner one.
        const Vec4 cross(0, M_SQRT1_2, 0, M_SQRT1_2);
        q = quaternion_product(q, turn_about_z(at(0)));
        q = quaternion_product(q, cross);
        q = quaternion_product(q, turn_about_z(at(1)));
      } else if (node.kind != TreeKind::fixed && node.kind != TreeKind::prismatic) {
        q = quaternion_product(q, turn_about_z(at(0)));
      }
      q = quaternion_product(q, outer_turn_[i]);
    }
  }
}

template <int Rd>
VecX Tree<Rd>::from_cartesian(const State& cartesian) const {
  const int bodies = static_cast<int>(model_.bodies.size()) - 1;
  const int q_width = Rd == 3 ? 7 : 3, v_width = Rd == 3 ? 6 : 3;
  const double* cq = cartesian.y.data();
  const double* cv = cq + bodies * q_width;
  std::vector<Pose<double>> poses = written_.poses;
  for (int b = 0; b < bodies; ++b) {
    Pose<double>& pose = poses[b + 1];
    const double *q = cq + b * q_width, *v = cv + b * v_width;
    if constexpr (Rd == 3) {
      pose.r = vec3(q);
      pose.R = rotation_matrix(q[3], q[4], q[5], q[6]);
      pose.v = vec3(v);
      pose.w = pose.R * vec3(v + 3);
    } else {
      pose.r = {q[0], q[1], 0};
      pose.angle = q[2];
      pose.R = rotation_about_z(q[2]);
      pose.v = {v[0], v[1], 0};
      pose.w = {0, 0, v[2]};
    }
  }
  const int motion = positions() + speeds();
  VecX y = VecX::Zero(motion + elements_.states() + work_size());
  double* v_out = y.data() + positions();
  for (std::size_t i = 0; i < kernel_.nodes().size(); ++i) {
    const auto& node = kernel_.nodes()[i];
    const TreeNode& from = topology_.nodes[i];
    const int b = node.body - 1;
    if (node.absolute()) {
      const int orientation = Rd == 3 ? 3 : 2;
      double *q = y.data() + node.q, *v = v_out + node.v;
      if (node.kind == TreeKind::free)
        for (int k = 0; k < orientation; ++k)
          *q++ = cq[b * q_width + k], *v++ = cv[b * v_width + k];
      for (int k = orientation; k < q_width; ++k) *q++ = cq[b * q_width + k];
      for (int k = orientation; k < v_width; ++k) *v++ = cv[b * v_width + k];
      continue;
    }
    if (from.columns == 0) continue;
    const Joint& joint = model_.joints[from.joint];
    const auto g = place_of(joint, poses[joint.first.body], poses[joint.second.body]);
    // The joint as the tree sees it, from the inner body.
    Joint seen = joint;
    seen.first = from.inboard;
    seen.second = from.outboard;
    const Pose<double>&inner = poses[seen.first.body], &outer = poses[seen.second.body];
    const auto g_seen = place_of(seen, inner, outer);
    for (int k = 0; k < from.columns; ++k) {
      if (node.at_drive[k] >= 0) continue;
      const TreeColumn& column = from.column[k];
      double &q = y[node.at_q[k]], &v = v_out[node.at_v[k]];
      if (column.named) {
        const int slot = angle_slot(from.joint, column.coordinate);
        const double reference = !is_angle(column.coordinate) ? 0
                                 : model_.planar              ? written_.planar_turns[from.joint]
                                 : slot >= 0                  ? cartesian.memory[slot]
                                                              : 0;
        q = column.sign * coordinate_value(joint, column.coordinate, g, model_.planar, reference);
        const auto row =
            evaluate_row(coordinate_row(joint, column.coordinate), joint, g, {}, model_.planar);
        v = column.sign * rate_of(row, poses[joint.first.body], poses[joint.second.body]);
      } else {
        q = coordinate_value(seen, column.coordinate, g_seen, model_.planar, 0.0);
        v = rate_of(
            evaluate_row(coordinate_row(seen, column.coordinate), seen, g_seen, {}, model_.planar),
            inner, outer);
      }
      if (node.kind == TreeKind::screw) {
        // Travel knows the whole turns that the angle cannot tell.
        const double travel = coordinate_value(seen, Coordinate::displacement, g_seen, false, 0.0);
        q = (travel - node.shift) / node.lead;
      }
    }
  }
  // Friction states and work are the same numbers in both.
  const Eigen::Index tail = elements_.states() + work_size(),
                     there = cartesian.y.size() - bodies * (q_width + v_width);
  if (there == tail) y.tail(tail) = cartesian.y.tail(tail);
  return y;
}

template <int Rd>
VecX Tree<Rd>::to_cartesian(const State& state) {
  place_all(state.time, state.y.data());
  const int bodies = static_cast<int>(model_.bodies.size()) - 1;
  const int q_width = Rd == 3 ? 7 : 3, v_width = Rd == 3 ? 6 : 3;
  const int tail = elements_.states() + work_size();
  VecX out = VecX::Zero(bodies * (q_width + v_width) + tail);
  std::vector<Vec4> turned;
  quaternions(state.y.data(), turned);
  for (int b = 0; b < bodies; ++b) {
    const Pose<double>& pose = poses_[b + 1];
    double *q = &out[b * q_width], *v = &out[bodies * q_width + b * v_width];
    if constexpr (Rd == 3) {
      vec3(q) = pose.r;
      vec4(q + 3) = turned[b + 1];
      vec3(v) = pose.v;
      vec3(v + 3) = pose.R.transpose() * pose.w;
    } else {
      q[0] = pose.r[0], q[1] = pose.r[1], q[2] = pose.angle;
      v[0] = pose.v[0], v[1] = pose.v[1], v[2] = pose.w[2];
    }
  }
  out.tail(tail) = state.y.tail(tail);
  return out;
}

template <int Rd>
bool Tree<Rd>::snapshot(const State& state, Snapshot& out) {
  const double* y = state.y.data();
  const double* memory = state.memory.data();
  if (!solve_accelerations(state.time, y, memory)) return false;
  place_all(state.time, y);
  find_body_accelerations();
  const std::size_t bodies = model_.bodies.size();
  out.time = state.time;
  out.poses = poses_;
  quaternions(y, out.quaternion);
  out.acceleration.assign(bodies, Vec3::Zero());
  out.angular_acceleration.assign(bodies, Vec3::Zero());
  for (std::size_t b = 1; b < bodies; ++b) {
    out.acceleration[b] = accelerations_[b].linear;
    out.angular_acceleration[b] = accelerations_[b].angular;
  }

  read_coordinates(
      model_, poses_, [&](JointIndex j, Coordinate c) { return angle_reference(j, c, y, memory); },
      out.joints);

  // Loops act on their two bodies like any other wrench.
  out.coupling_effort.assign(model_.couplings.size(), 0.0);
  const auto apply = [&](BodyIndex body, const Vec3& force, const Vec3& moment) {
    if (body == kGround) return;
    const int i = topology_.node_of[body];
    Wrench<double> wrench;
    wrench.force = force;
    wrench.moment = moment;
    const auto w = Kernel::template about_joint<double>(wrench, motion_[i]);
    applied_[i].n += w.n;
    applied_[i].f += w.f;
  };
  for (int r = 0; r < rows(); ++r) {
    const Row& row = rows_[r];
    if (row.coupling >= 0) out.coupling_effort[row.coupling] = -lambda_[r];
    for (const Share& share : row.shares) {
      const Joint& joint = model_.joints[share.joint];
      const auto g = place_of(joint, poses_[joint.first.body], poses_[joint.second.body]);
      const auto value = evaluate_row(share.spec, joint, g, {}, model_.planar);
      const double push = -lambda_[r] * share.factor;
      apply(joint.first.body, push * value.v1, push * value.w1);
      apply(joint.second.body, push * value.v2, push * value.w2);
      if (row.coupling >= 0) continue;
      Snapshot::Reaction& reaction = out.joints[share.joint];
      if (share.spec.drive >= 0) {
        reaction.effort[share.spec.drive] = -lambda_[r];
        continue;
      }
      const Vec3 force = push * value.v2;
      reaction.force += force;
      reaction.moment += push * value.w2 - g.s2.cross(force);
    }
  }

  kernel_.template inverse<double>(motion_.data(), node_acceleration_.data(), applied_.data(),
                                   transmitted_.data());
  for (std::size_t i = 0; i < topology_.nodes.size(); ++i) {
    const TreeNode& node = topology_.nodes[i];
    if (node.joint < 0) continue;
    const Joint& joint = model_.joints[node.joint];
    Snapshot::Reaction& reaction = out.joints[node.joint];
    Vec3 force = S::template in_space<double>(transmitted_[i].f);
    Vec3 moment = S::template rotation_in_space<double>(transmitted_[i].n);
    const Pose<double>&first = poses_[joint.first.body], &second = poses_[joint.second.body];
    const auto g = place_of(joint, first, second);
    if (node.swapped) {  // what the second body does to the first, about the first's joint point
      moment = -(moment - g.d.cross(force));
      force = -force;
    }
    for (int k = 0; k < node.columns; ++k) {
      const int d = kernel_.nodes()[i].at_drive[k];
      if (d < 0) continue;
      const double effort = node.column[k].sign * effort_[d];
      reaction.effort[node.column[k].drive] = effort;
      const auto row = evaluate_row(coordinate_row(joint, node.column[k].coordinate), joint, g, {},
                                    model_.planar);
      force -= effort * row.v2;
      moment -= effort * (row.w2 - g.s2.cross(row.v2));
    }
    if constexpr (Rd == 1) {
      force[2] = 0;
      moment = Vec3(0, 0, moment[2]);
    }
    reaction.force += force;
    reaction.moment += moment;
  }

  read_held_by_force(model_, elements_, state.time, poses_, state.memory.data(),
                     y + positions() + speeds(), out.joints);

  out.strain = {};
  out.strain.bristles = elements_.states() > 0;
  find_strain(out);
  elements_.read_forces(out.forces);
  elements_.read_meshes(out.coupling_effort, out.meshes);
  out.signals = elements_.control().now().values;
  std::tie(out.kinetic, out.potential) = kernel_.energies(motion_.data());
  add_energies(state, out);
  out.deepest = contacts_.deepest(poses_, memory);
  contacts_.read_wear(memory, out.worn);
  return true;
}

/// The rest of the energies, given those of motion, at the present force elements.
template <int Rd>
void Tree<Rd>::add_energies(const State& state, Snapshot& out) const {
  out.elastic = elements_.potential();
  out.work.assign(state.y.data() + size_ - work_size(), state.y.data() + size_);
  double work = 0;
  for (double w : out.work) work += w;
  out.residual = out.kinetic + out.potential + out.elastic - state.memory[kStartEnergy] - work;
}

template <int Rd>
bool Tree<Rd>::energies(const State& state, Snapshot& out) {
  if (program_) {
    place_program(state.time, state.y.data());
    std::tie(out.kinetic, out.potential) = program_->energies(state.y.data());
  } else {
    place(state.time, state.y.data());
    std::tie(out.kinetic, out.potential) = kernel_.energies(motion_.data());
  }
  evaluate_forces(state.time, state.y.data(), state.memory.data());
  add_energies(state, out);
  const double* memory = state.memory.data();
  out.deepest =
      program_ && program_->has_contacts()
          ? contacts_.deepest(
                memory, [&](std::size_t k) { return program_->depth(static_cast<int>(k)).first; })
          : contacts_.deepest(poses_, memory);
  return std::isfinite(out.residual);
}

template void Tree<1>::quaternions(const double*, std::vector<Vec4>&) const;
template void Tree<3>::quaternions(const double*, std::vector<Vec4>&) const;
template bool Tree<1>::energies(const State&, Snapshot&);
template bool Tree<3>::energies(const State&, Snapshot&);
template VecX Tree<1>::from_cartesian(const State&) const;
template VecX Tree<3>::from_cartesian(const State&) const;
template VecX Tree<1>::to_cartesian(const State&);
template VecX Tree<3>::to_cartesian(const State&);
template bool Tree<1>::snapshot(const State&, Snapshot&);
template bool Tree<3>::snapshot(const State&, Snapshot&);

}  // namespace freeplay::dynamics
