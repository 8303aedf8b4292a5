// SPDX-License-Identifier: Apache-2.0
#include "dynamics/tree_kernel.hpp"

#include "dynamics/constraint_rows.hpp"

#include <algorithm>

namespace freeplay::dynamics {
namespace {

/// Inverse of a symmetric matrix by cofactors; false when it is not positive.
bool invert(const Eigen::Matrix<double, 1, 1>& A, Eigen::Matrix<double, 1, 1>& out) {
  out(0, 0) = 1 / A(0, 0);
  return A(0, 0) > 0;
}
bool invert(const Eigen::Matrix<double, 2, 2>& A, Eigen::Matrix<double, 2, 2>& out) {
  const double det = A(0, 0) * A(1, 1) - A(0, 1) * A(0, 1), inverse = 1 / det;
  out << A(1, 1) * inverse, -A(0, 1) * inverse, -A(0, 1) * inverse, A(0, 0) * inverse;
  return det > 0 && A(0, 0) > 0;
}
bool invert(const Mat3& A, Mat3& out) {
  const double a = A(0, 0), b = A(0, 1), c = A(0, 2), d = A(1, 1), e = A(1, 2), f = A(2, 2);
  const double c00 = d * f - e * e, c01 = c * e - b * f, c02 = b * e - c * d;
  const double det = a * c00 + b * c01 + c * c02, inverse = 1 / det;
  out(0, 0) = c00 * inverse;
  out(0, 1) = out(1, 0) = c01 * inverse;
  out(0, 2) = out(2, 0) = c02 * inverse;
  out(1, 1) = (a * f - c * c) * inverse;
  out(1, 2) = out(2, 1) = (b * c - a * e) * inverse;
  out(2, 2) = (a * d - b * b) * inverse;
  return det > 0 && a > 0;
}

}  // namespace

template <int Rd>
void TreeKernel<Rd>::build(const Model& model, const Topology& topology) {
  const auto plane = [](const Vec3& v) { return S::template linear_part<double>(v); };
  nodes_.assign(topology.nodes.size(), {});
  prescribed_.clear();
  gravity_ = plane(model.gravity);
  nq_ = nv_ = 0;
  const auto written_angle = [&](const Joint& joint) {
    Pose<double> p1, p2;
    p1.angle = model.bodies[joint.first.body].angle;
    p2.angle = model.bodies[joint.second.body].angle;
    return joint_angle(joint, p1, p2, true);
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const TreeNode& from = topology.nodes[i];
    Node& n = nodes_[i];
    const Body& body = model.bodies[from.body];
    n.parent = from.parent;
    n.body = from.body;
    n.kind = from.kind;
    n.columns = from.columns;
    n.mass = body.mass;
    const bool free = n.kind == TreeKind::free;
    if (n.parent >= 0) nodes_[n.parent].leaf = false;
    const Vec3 outboard = free ? Vec3::Zero() : from.outboard.point;
    // The parent's vectors start at its own joint point.
    const Vec3 of_parent = n.parent >= 0 && topology.nodes[n.parent].kind != TreeKind::free
                               ? topology.nodes[n.parent].outboard.point
                               : Vec3::Zero();
    n.com = plane(-outboard);
    if constexpr (Rd == 3) {
      const Vec3 c = -outboard;
      n.inertia =
          body.inertia + body.mass * (c.squaredNorm() * Mat3::Identity() - c * c.transpose());
    } else {
      n.inertia(0, 0) = body.inertia(2, 2) + body.mass * n.com.squaredNorm();
    }
    n.inner.setIdentity();
    n.outer.setIdentity();
    if (!free) {
      n.arm = plane(from.inboard.point - of_parent);
      const Joint& joint = model.joints[from.joint];
      if constexpr (Rd == 3) {
        n.inner = from.inboard.axes;
        n.outer = from.outboard.axes.transpose();
        n.lead = joint.pitch / (2 * M_PI);
        if (n.kind == TreeKind::screw) {
          // Whole turns between travel and angle, as written.
          Pose<double> p1, p2;
          for (auto [pose, b] :
               {std::pair{&p1, joint.first.body}, std::pair{&p2, joint.second.body}}) {
            pose->r = model.bodies[b].position;
            pose->R = rotation_matrix(model.bodies[b].orientation);
            pose->v = pose->w = Vec3::Zero();
          }
          const auto g = geometry(joint, p1, p2);
          const double x = (p1.R * joint.first.axes.col(2)).dot(g.d),
                       theta = joint_angle(joint, p1, p2, false);
          const double turns = std::round((x / n.lead - theta) / (2 * M_PI));
          n.shift = (from.swapped ? -1 : 1) * n.lead * 2 * M_PI * turns;
        }
      } else {
        n.inner.col(0) = plane(from.inboard.axes.col(2));  // direction of travel
        const double raw = written_angle(joint), turns = 2 * M_PI * std::round(raw / (2 * M_PI));
        Pose<double> level;
        level.angle = 0;
        const double offset = joint_angle(joint, level, level, true);
        n.angle_offset = (from.swapped ? -1 : 1) * (turns - offset);
      }
    }
    if (n.absolute()) {
      n.q = nq_;
      n.v = nv_;
      n.dofs = Rd + (free ? Ld : 0);
      for (int k = 0; k < n.dofs; ++k) n.dof[k] = nv_ + k;
      nq_ += kOrientation + (free ? Ld : 0);
      nv_ += n.dofs;
      continue;
    }
    n.dofs = n.columns;
    for (int k = 0; k < n.columns; ++k) {
      const TreeColumn& column = from.column[k];
      if (column.drive >= 0) {
        n.any_driven = true;
        n.at_drive[k] = static_cast<int>(prescribed_.size());
        prescribed_.push_back(
            {static_cast<int>(i), k, from.joint, column.drive, column.sign, Jet{}});
      } else {
        n.at_q[k] = nq_++;
        n.at_v[k] = n.dof[k] = nv_++;
      }
    }
  }
  for (Node& n : nodes_)
    for (int k = 0; k < n.columns; ++k)
      if (n.at_drive[k] >= 0) n.dof[k] = nv_ + n.at_drive[k];
  work_.resize(nodes_.size());
}

template <int Rd>
void TreeKernel<Rd>::rigid(const Node& n, const Motion<double>& m, Work& w) const {
  if constexpr (Rd == 3) {
    const Mat3 half = m.R * n.inertia;
    w.A.noalias() = half * m.R.transpose();
    const LinD s = n.mass * m.c;
    w.B << 0, -s[2], s[1], s[2], 0, -s[0], -s[1], s[0], 0;
    w.C << n.mass, 0, 0, 0, n.mass, 0, 0, 0, n.mass;
  } else {
    w.A = n.inertia;
    w.B << -n.mass * m.c[1], n.mass * m.c[0];
    w.C << n.mass, 0, 0, n.mass;
  }
}

template <int Rd>
void TreeKernel<Rd>::hand_up(const Node& n, const Motion<double>& m, const Work& w,
                             Work& parent) const {
  // Moved from P to the parent's P, d back: n_p = n + d x f, a_P = a_p + alpha x d.
  const typename S::B dC = S::skew_times(m.d, w.C);
  parent.C += w.C;
  if (n.absolute()) {
    parent.B += dC;
    for (int k = 0; k < Rd; ++k)
      parent.A.col(k) += S::template torque<double>(m.d, LinD(dC.row(k).transpose()));
    return;
  }
  const typename S::B B = w.B + dC;
  parent.B += B;
  // A - B [d x] + [d x] (B + [d x] C)^T; the middle term is the transpose of [d x] B^T.
  for (int k = 0; k < Rd; ++k) {
    const RotD lever = S::template torque<double>(m.d, LinD(w.B.row(k).transpose()));
    parent.A.row(k) += lever.transpose();
    parent.A.col(k) += w.A.col(k) + S::template torque<double>(m.d, LinD(B.row(k).transpose()));
  }
}

template <int Rd>
bool TreeKernel<Rd>::factorise(const Motion<double>* m) {
  const std::size_t count = nodes_.size();
  for (std::size_t i = 0; i < count; ++i) rigid(nodes_[i], m[i], work_[i]);
  for (std::size_t i = count; i-- > 0;) {
    const Node& n = nodes_[i];
    const Motion<double>& x = m[i];
    Work& w = work_[i];
    bool ok = true;
    if (n.absolute()) {
      ok = invert(w.A, w.A_inverse);
      w.AB.noalias() = w.A_inverse * w.B;
      w.C.noalias() -= w.B.transpose() * w.AB;
      if (n.kind == TreeKind::free) ok = invert(w.C, w.C_inverse) && ok;
    } else {
      const bool update = n.parent >= 0 || n.any_driven;
      for (int k = n.columns; k-- > 0;) {
        if (n.at_drive[k] >= 0) continue;
        w.U_r[k].noalias() = w.A * x.turn[k] + w.B * x.slide[k];
        w.U_l[k].noalias() = w.B.transpose() * x.turn[k] + w.C * x.slide[k];
        const double D = x.turn[k].dot(w.U_r[k]) + x.slide[k].dot(w.U_l[k]);
        ok &= D > 0;
        w.inverse[k] = 1 / D;
        if (!update && k == 0) continue;
        const RotD r = w.U_r[k] * w.inverse[k];
        const LinD l = w.U_l[k] * w.inverse[k];
        w.A.noalias() -= w.U_r[k] * r.transpose();
        w.B.noalias() -= w.U_r[k] * l.transpose();
        w.C.noalias() -= w.U_l[k] * l.transpose();
      }
    }
    if (!ok) {
      failed_ = static_cast<int>(i);
      return false;
    }
    if (n.parent >= 0) hand_up(n, x, w, work_[n.parent]);
  }
  return true;
}

template <int Rd>
double TreeKernel<Rd>::least_pivot(double mass, double length) const {
  double least = 1;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& n = nodes_[i];
    const Work& w = work_[i];
    if (n.absolute()) {
      least = std::min(least, 1 / (w.A_inverse.trace() * mass * length * length));
      if (n.kind == TreeKind::free) least = std::min(least, 1 / (w.C_inverse.trace() * mass));
    } else {
      for (int k = 0; k < n.columns; ++k)
        if (n.at_drive[k] < 0) {
          const bool slides = n.kind == TreeKind::prismatic || k > 0;
          const bool turns = n.kind == TreeKind::universal || !slides;
          least = std::min(least, 1 / (w.inverse[k] * mass * (turns ? length * length : 1.0)));
        }
    }
  }
  return least;
}

template <int Rd>
void TreeKernel<Rd>::forward(const Motion<double>* m, const NodeWrenchT<double>* applied,
                             double* rates) {
  const std::size_t count = nodes_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Node& n = nodes_[i];
    const Motion<double>& x = m[i];
    Work& w = work_[i];
    w.p_l =
        n.mass * (S::template cross<double>(x.w, S::template cross<double>(x.w, x.c)) - gravity_) -
        applied[i].f;
    w.p_r = -applied[i].n - S::template torque<double>(x.c, LinD(n.mass * gravity_));
    if constexpr (Rd == 3) {
      const Vec3 body = x.R.transpose() * x.w;
      const Vec3 gyro = body.cross(n.inertia * body);
      w.p_r.noalias() += x.R * gyro;
    }
  }
  for (std::size_t i = count; i-- > 0;) {
    const Node& n = nodes_[i];
    const Motion<double>& x = m[i];
    Work& w = work_[i];
    if (n.absolute()) {
      w.e.noalias() = -(w.A_inverse * w.p_r);
      w.p_l.noalias() -= w.AB.transpose() * w.p_r;
      if (n.parent >= 0) w.p_l.noalias() += w.C * x.c_l;
    } else {
      for (int k = n.columns; k-- > 0;) {
        if (n.at_drive[k] >= 0) continue;
        const double e = -(x.turn[k].dot(w.p_r) + x.slide[k].dot(w.p_l));
        w.u[k] = e - (w.U_r[k].dot(x.c_r) + w.U_l[k].dot(x.c_l));
        const double s = e * w.inverse[k];
        w.p_r += w.U_r[k] * s;
        w.p_l += w.U_l[k] * s;
      }
      if (n.parent < 0 && !n.any_driven) continue;
      w.p_r.noalias() += w.A * x.c_r + w.B * x.c_l;
      w.p_l.noalias() += w.B.transpose() * x.c_r + w.C * x.c_l;
    }
    if (n.parent < 0) continue;
    Work& up = work_[n.parent];
    up.p_l += w.p_l;
    up.p_r += S::template torque<double>(x.d, w.p_l);
    if (!n.absolute()) up.p_r += w.p_r;
  }
  outward(m, true, rates);
}

/// Accelerations from the ground outward; `moving`: with those that come with velocities and
/// drives.
template <int Rd>
void TreeKernel<Rd>::outward(const Motion<double>* m, bool moving, double* rates) {
  const std::size_t count = nodes_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Node& n = nodes_[i];
    const Motion<double>& x = m[i];
    Work& w = work_[i];
    if (n.kind == TreeKind::free) {
      w.a.l.noalias() = -(w.C_inverse * w.p_l);
      w.a.r.noalias() = w.e - w.AB * w.a.l;
      for (int k = 0; k < Ld; ++k) rates[n.v + k] = w.a.l[k];
      spin_rates(x, w.a.r, rates + n.v + Ld);
      continue;
    }
    if (n.parent >= 0) {
      const Acceleration<double>& p = work_[n.parent].a;
      w.a.l = p.l + S::template cross<double>(p.r, x.d);
      w.a.r = p.r;
    } else {
      w.a.l.setZero();
      w.a.r.setZero();
    }
    if (n.kind == TreeKind::ball) {
      if (moving) w.a.l += x.c_l;
      w.a.r.noalias() = w.e - w.AB * w.a.l;
      spin_rates(x, w.a.r, rates + n.v);
      continue;
    }
    if (n.any_driven) w.a_parent = w.a;
    for (int k = 0; k < n.columns; ++k) {
      if (n.at_drive[k] >= 0) continue;
      const double rate = (w.u[k] - (w.U_r[k].dot(w.a.r) + w.U_l[k].dot(w.a.l))) * w.inverse[k];
      w.a.r += x.turn[k] * rate;
      w.a.l += x.slide[k] * rate;
      rates[n.at_v[k]] = rate;
    }
    if (moving) {
      w.a.r += x.c_r;
      w.a.l += x.c_l;
    }
  }
}

template <int Rd>
void TreeKernel<Rd>::solve(const Motion<double>* m, double* tau) {
  const std::size_t count = nodes_.size();
  for (std::size_t i = 0; i < count; ++i) {
    work_[i].p_r.setZero();
    work_[i].p_l.setZero();
  }
  for (std::size_t i = count; i-- > 0;) {
    const Node& n = nodes_[i];
    const Motion<double>& x = m[i];
    Work& w = work_[i];
    if (n.absolute()) {
      const double* own = tau + n.v + (n.kind == TreeKind::free ? Ld : 0);
      RotD moment;
      if constexpr (Rd == 3)
        moment.noalias() = x.R * Vec3(own[0], own[1], own[2]);
      else
        moment[0] = own[0];
      moment -= w.p_r;
      w.e.noalias() = w.A_inverse * moment;
      w.p_l.noalias() += w.AB.transpose() * moment;
      if (n.kind == TreeKind::free)
        for (int k = 0; k < Ld; ++k) w.p_l[k] -= tau[n.v + k];
    } else {
      for (int k = n.columns; k-- > 0;) {
        if (n.at_drive[k] >= 0) continue;
        w.u[k] = tau[n.at_v[k]] - (x.turn[k].dot(w.p_r) + x.slide[k].dot(w.p_l));
        const double s = w.u[k] * w.inverse[k];
        w.p_r += w.U_r[k] * s;
        w.p_l += w.U_l[k] * s;
      }
    }
    if (n.parent < 0) continue;
    Work& up = work_[n.parent];
    up.p_l += w.p_l;
    up.p_r += S::template torque<double>(x.d, w.p_l);
    if (!n.absolute()) up.p_r += w.p_r;
  }
  outward(m, false, tau);
}

template <int Rd>
double TreeKernel<Rd>::effort(const Motion<double>* m, const Prescribed& p) const {
  // What the joint transmits, with the accelerations its parent has.
  const Work& w = work_[p.node];
  const RotD n = w.A * w.a_parent.r + w.B * w.a_parent.l + w.p_r;
  const LinD f = w.B.transpose() * w.a_parent.r + w.C * w.a_parent.l + w.p_l;
  return m[p.node].turn[p.column].dot(n) + m[p.node].slide[p.column].dot(f);
}

template class TreeKernel<1>;
template class TreeKernel<3>;

}  // namespace freeplay::dynamics
