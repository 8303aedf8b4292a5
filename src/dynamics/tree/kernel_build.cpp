// SPDX-License-Identifier: Apache-2.0
#include "dynamics/constraints/constraint_rows.hpp"
#include "dynamics/tree/kernel.hpp"

#include <algorithm>

// What the sweeps of the tree need to know of a model, worked out once.
namespace freeplay::dynamics {

namespace {

/// Whole turns between travel and angle of a screw, as written; m.
double thread_shift(const Model& model, const Joint& joint, double lead) {
  Pose<double> p1, p2;
  for (auto [pose, b] : {std::pair{&p1, joint.first.body}, std::pair{&p2, joint.second.body}}) {
    pose->r = model.bodies[b].position;
    pose->R = rotation_matrix(model.bodies[b].orientation);
    pose->v = pose->w = Vec3::Zero();
  }
  const auto g = place_of(joint, p1, p2);
  const double x = (p1.R * joint.first.axes.col(2)).dot(g.d),
               theta = joint_angle(joint, p1, p2, false);
  const double turns = std::round((x / lead - theta) / (2 * M_PI));
  return lead * 2 * M_PI * turns;
}

}  // namespace

template <int Rd>
TreeKernel<Rd>::TreeKernel(const Model& model, const Topology& topology) {
  nodes_.assign(topology.nodes.size(), {});
  frames_.assign(nodes_.size(), {});
  gravity_ = S::template linear_part<double>(model.gravity);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    place_body(static_cast<int>(i), model, topology);
    if (nodes_[i].kind != TreeKind::free) place_joint(static_cast<int>(i), model, topology);
    count_dofs(static_cast<int>(i), topology.nodes[i]);
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& n = nodes_[i];
    for (int k = 0; k < n.columns; ++k)
      if (n.at_drive[k] >= 0) n.dof[k] = nv_ + n.at_drive[k];
    prepare_constants(static_cast<int>(i));
  }
}

/// Mass and inertia of a node, about its joint point.
template <int Rd>
void TreeKernel<Rd>::place_body(int i, const Model& model, const Topology& topology) {
  const TreeNode& from = topology.nodes[i];
  Node& n = nodes_[i];
  const Body& body = model.bodies[from.body];
  n.parent = from.parent;
  n.body = from.body;
  n.kind = from.kind;
  n.columns = from.columns;
  n.mass = body.mass;
  if (n.parent >= 0) {
    nodes_[n.parent].leaf = false;
    nodes_[n.parent].last_child = i;
  }
  const Vec3 outboard = n.kind == TreeKind::free ? Vec3::Zero() : from.outboard.point;
  n.com = S::template linear_part<double>(-outboard);
  if constexpr (Rd == 3) {
    const Vec3 c = -outboard;
    n.inertia = body.inertia + body.mass * (c.squaredNorm() * Mat3::Identity() - c * c.transpose());
  } else {
    n.inertia(0, 0) = body.inertia(2, 2) + body.mass * n.com.squaredNorm();
  }
}

/// Where the joint of a node is on its parent, and the axes of both sides.
template <int Rd>
void TreeKernel<Rd>::place_joint(int i, const Model& model, const Topology& topology) {
  const auto plane = [](const Vec3& v) { return S::template linear_part<double>(v); };
  const TreeNode& from = topology.nodes[i];
  Node& n = nodes_[i];
  Frames& axes = frames_[i];
  // The parent's vectors start at its own joint point.
  const Vec3 of_parent = n.parent >= 0 && topology.nodes[n.parent].kind != TreeKind::free
                             ? topology.nodes[n.parent].outboard.point
                             : Vec3::Zero();
  n.arm = plane(from.inboard.point - of_parent);
  const Joint& joint = model.joints[from.joint];
  if constexpr (Rd == 3) {
    axes.inner = from.inboard.axes;
    axes.outer = from.outboard.axes.transpose();
    n.lead = joint.pitch / (2 * M_PI);
    if (n.kind == TreeKind::revolute) {
      n.hinge = static_cast<int>(hinges_.size());
      const auto &I = axes.inner, &O = axes.outer;
      hinges_.push_back({I.col(2) * O.row(2), I.col(0) * O.row(0) + I.col(1) * O.row(1),
                         I.col(1) * O.row(0) - I.col(0) * O.row(1)});
    }
    if (n.kind == TreeKind::screw)
      n.shift = (from.swapped ? -1 : 1) * thread_shift(model, joint, n.lead);
  } else {
    axes.inner.col(0) = plane(from.inboard.axes.col(2));  // direction of travel
    Pose<double> p1, p2;
    p1.angle = model.bodies[joint.first.body].angle;
    p2.angle = model.bodies[joint.second.body].angle;
    const double raw = joint_angle(joint, p1, p2, true),
                 turns = 2 * M_PI * std::round(raw / (2 * M_PI));
    Pose<double> level;
    level.angle = 0;
    const double offset = joint_angle(joint, level, level, true);
    n.angle_offset = (from.swapped ? -1 : 1) * (turns - offset);
    const double c = std::cos(n.angle_offset), s = std::sin(n.angle_offset);
    axes.outer << c, -s, s, c;
  }
}

template <int Rd>
void TreeKernel<Rd>::count_dofs(int i, const TreeNode& from) {
  Node& n = nodes_[i];
  const bool free = n.kind == TreeKind::free;
  if (n.absolute()) {
    n.q = nq_;
    n.v = nv_;
    n.dofs = Rd + (free ? Ld : 0);
    for (int k = 0; k < n.dofs; ++k) n.dof[k] = nv_ + k;
    nq_ += kOrientation + (free ? Ld : 0);
    nv_ += n.dofs;
    return;
  }
  n.dofs = n.columns;
  for (int k = 0; k < n.columns; ++k) {
    const TreeColumn& column = from.column[k];
    if (column.drive >= 0) {
      n.any_driven = true;
      n.at_drive[k] = static_cast<int>(prescribed_.size());
      prescribed_.push_back({i, k, from.joint, column.drive, column.sign, Jet{}});
    } else {
      n.at_q[k] = nq_++;
      n.at_v[k] = n.dof[k] = nv_++;
    }
  }
}

/// What one sweep would work out anew every time.
template <int Rd>
void TreeKernel<Rd>::prepare_constants(int i) {
  Node& n = nodes_[i];
  if (n.parent < 0 && n.columns == 1 && !n.any_driven) {
    n.single_root = true;
    // About its own axis a body has no gyroscopic moment, and the inertia never changes.
    if (n.kind == TreeKind::prismatic) {
      n.own_inertia = n.mass;
    } else if constexpr (Rd == 3) {
      const Vec3 z = frames_[i].outer.row(2);  // the joint's axis, body axes: outer is transposed
      n.own_inertia =
          z.dot(n.inertia * z) + (n.kind == TreeKind::screw ? n.mass * n.lead * n.lead : 0.0);
    } else {
      n.own_inertia = n.inertia(0, 0);
    }
  }
  if (n.leaf && n.absolute()) {
    typename S::template B<double> B;
    if constexpr (Rd == 3) {
      const LinD c = n.mass * n.com;
      B << 0, -c[2], c[1], c[2], 0, -c[0], -c[1], c[0], 0;
    } else {
      B << -n.mass * n.com[1], n.mass * n.com[0];
    }
    Leaf constant;
    if (invert(n.inertia, constant.inverse)) {
      constant.AB = constant.inverse * B;
      constant.C = n.mass * S::template C<double>::Identity() - B.transpose() * constant.AB;
      n.constants = static_cast<int>(leaves_.size());
      leaves_.push_back(constant);
    } else {
      n.leaf = false;  // a freedom without inertia: the general way says so
    }
  }
}

template TreeKernel<1>::TreeKernel(const Model&, const Topology&);
template TreeKernel<3>::TreeKernel(const Model&, const Topology&);

}  // namespace freeplay::dynamics
