// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/tree/kernel.hpp"

// The sweeps of the tree kernel that take any scalar: doubles for the motion, dual numbers for the
// Jacobian.
namespace freeplay::dynamics {

/// How a body moves on its parent along the columns of a joint: one node of the sweep.
template <int Rd, class T>
struct JointSweep {
  using S = TreeSpace<Rd>;
  using Kernel = TreeKernel<Rd>;
  using Rot = typename S::template Rot<T>;
  using Lin = typename S::template Lin<T>;
  using Orient = typename S::template Orient<T>;

  const typename Kernel::Node& n;
  const typename Kernel::Frames& axes;
  const NodeMotion<Rd, T>* p;  // the parent; null on the ground
  NodeMotion<Rd, T>& x;
  Orient E;                  // axes of the joint on the inner body; hinges need only z
  T at[3], speed[3];         // of the columns
  Rot turned = Rot::Zero();  // relative spin
  Lin slid = Lin::Zero();    // relative velocity of P

  JointSweep(const typename Kernel::Node& node, const typename Kernel::Frames& frames,
             const NodeMotion<Rd, T>* parent, NodeMotion<Rd, T>& out)
      : n(node), axes(frames), p(parent), x(out) {}

  /// Where the joint is on the parent.
  void begin() {
    if (p) {
      if constexpr (Rd == 3)
        if (n.kind != TreeKind::revolute) E = S::template product<T>(p->R, axes.inner);
      x.d = S::template times<T>(p->R, n.arm);
    } else {
      if constexpr (Rd == 3)
        if (n.kind != TreeKind::revolute) E = axes.inner.template cast<T>();
      x.d = n.arm.template cast<T>();
    }
    x.c_r.setZero();
    x.c_l.setZero();
  }

  void turn_about_z(const T& angle) {
    if constexpr (Rd == 3) {
      T s, c;
      sin_cos(angle, s, c);
      Orient frame;
      frame.col(0) = E.col(0) * c + E.col(1) * s;
      frame.col(1) = E.col(1) * c - E.col(0) * s;
      frame.col(2) = E.col(2);
      x.R = S::template product<T>(frame, axes.outer);
      x.turn[0] = E.col(2);
      turned = x.turn[0] * speed[0];
    } else {
      x.angle = (p ? p->angle : T(0.0)) + angle + n.angle_offset;
      T s, c;
      sin_cos(x.angle, s, c);
      x.R << c, -s, s, c;
      x.turn[0][0] = T(1.0);
      turned[0] = speed[0];
    }
    x.slide[0].setZero();
  }

  void keep_angle() {
    if constexpr (Rd == 3) {
      x.R = S::template product<T>(E, axes.outer);
    } else {
      x.angle = (p ? p->angle : T(0.0)) + n.angle_offset;
      if (p)
        x.R = S::template product<T>(p->R, axes.outer);
      else
        x.R = axes.outer.template cast<T>();
    }
  }

  void hinge(const std::vector<typename Kernel::Hinge>& hinges) {
    if constexpr (Rd == 3) {
      T s, c;
      sin_cos(at[0], s, c);
      const auto& fixed = hinges[n.hinge];
      Orient B;
      for (int k = 0; k < 9; ++k)
        B.data()[k] = fixed.rest.data()[k] + c * fixed.cosine.data()[k] + s * fixed.sine.data()[k];
      if (p)
        x.R = S::template product<T>(p->R, B);
      else
        x.R = B;
      x.turn[0] = p ? S::template times<T>(p->R, axes.inner.col(2)) : Rot(axes.inner.col(2));
      turned = x.turn[0] * speed[0];
      x.slide[0].setZero();
    } else {
      turn_about_z(at[0]);
    }
  }

  void slide_along(int k, const Lin& axis) {
    x.turn[k].setZero();
    x.slide[k] = axis;
    x.d += axis * at[k];
    slid += axis * speed[k];
  }

  [[nodiscard]] Lin travel() const {
    if constexpr (Rd == 3)
      return E.col(2);
    else if (p)
      return S::template times<T>(p->R, axes.inner.col(0));
    else
      return axes.inner.col(0).template cast<T>();
  }

  /// About z of the inner frame, then about z of the outer one.
  void cross_joint() {
    if constexpr (Rd == 3) {
      T s1, c1, s2, c2;
      sin_cos(at[0], s1, c1);
      sin_cos(at[1], s2, c2);
      Orient cross;
      cross << s2 * s1, c2 * s1, c1, -s2 * c1, -c2 * c1, s1, c2, -s2, T(0.0);
      const Orient frame = S::template product<T>(E, cross);
      x.R = S::template product<T>(frame, axes.outer);
      x.turn[0] = E.col(2);
      x.turn[1] = frame.col(2);
      x.slide[0].setZero();
      x.slide[1].setZero();
      const Rot first = x.turn[0] * speed[0], second = x.turn[1] * speed[1];
      turned = first + second;
      x.c_r = S::template cross<T>(first, second);
    }
  }

  void along_columns(const std::vector<typename Kernel::Hinge>& hinges) {
    switch (n.kind) {
      case TreeKind::revolute:
        hinge(hinges);
        break;
      case TreeKind::prismatic:
        keep_angle();
        slide_along(0, travel());
        break;
      case TreeKind::fixed:
        keep_angle();
        break;
      case TreeKind::cylindrical:
        if constexpr (Rd == 3) {
          turn_about_z(at[0]);
          slide_along(1, E.col(2));
        }
        break;
      case TreeKind::screw:
        if constexpr (Rd == 3) {
          turn_about_z(at[0]);
          x.slide[0] = E.col(2) * n.lead;
          x.d += E.col(2) * T(at[0] * n.lead + n.shift);
          slid = x.slide[0] * speed[0];
        }
        break;
      case TreeKind::planar:
        if constexpr (Rd == 3) {
          turn_about_z(at[0]);
          slide_along(1, E.col(0));
          slide_along(2, E.col(1));
        }
        break;
      case TreeKind::universal:
        cross_joint();
        break;
      case TreeKind::ball:
      case TreeKind::free:
        break;  // they carry their own orientation
    }
  }

  /// On top of what the parent does.
  void end() {
    if (p) {
      x.P = p->P + x.d;
      x.w = p->w + turned;
      const Lin u = S::template cross<T>(p->w, x.d);
      x.v = p->v + u + slid;
      if constexpr (Rd == 3) x.c_r += S::template cross<T>(p->w, turned);
      x.c_l += S::template cross<T>(p->w, Lin(u + 2.0 * slid));
    } else {
      x.P = x.d;
      x.w = turned;
      x.v = slid;
    }
    x.c = S::template times<T>(x.R, n.com);
  }
};

template <int Rd>
template <class T>
void TreeKernel<Rd>::move_absolute(const Node& n, const T* q, const T* v, const Moving<T>* p,
                                   Moving<T>& x) const {
  using Lin = typename S::template Lin<T>;
  const T* orientation = q + n.q + (n.kind == TreeKind::free ? Ld : 0);
  const T* spin = v + n.v + (n.kind == TreeKind::free ? Ld : 0);
  if constexpr (Rd == 3) {
    x.R = turned_by(orientation);
    x.w = S::template times<T>(x.R, spin);
  } else {
    x.angle = orientation[0];
    T s, c;
    sin_cos(x.angle, s, c);
    x.R << c, -s, s, c;
    x.w[0] = spin[0];
  }
  x.c = S::template times<T>(x.R, n.com);
  x.c_r.setZero();
  if (n.kind == TreeKind::free) {
    for (int k = 0; k < Ld; ++k) x.P[k] = q[n.q + k], x.v[k] = v[n.v + k];
    x.d = x.P;
    x.c_l.setZero();
  } else if (p) {
    x.d = S::template times<T>(p->R, n.arm);
    x.P = p->P + x.d;
    const Lin u = S::template cross<T>(p->w, x.d);
    x.v = p->v + u;
    x.c_l = S::template cross<T>(p->w, u);
  } else {
    x.d = x.P = n.arm.template cast<T>();
    x.v.setZero();
    x.c_l.setZero();
  }
}

template <int Rd>
template <class T, class Drive>
void TreeKernel<Rd>::move(const T* q, const T* v, Moving<T>* out, Drive&& jet) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& n = nodes_[i];
    Moving<T>& x = out[i];
    const Moving<T>* p = n.parent >= 0 ? &out[n.parent] : nullptr;
    if (n.absolute()) {
      move_absolute(n, q, v, p, x);
      continue;
    }
    JointSweep<Rd, T> sweep(n, frames_[i], p, x);
    sweep.begin();
    using Given = std::decay_t<decltype(jet(0).x)>;  // drives are not differentiated
    Given drive[3];
    for (int k = 0; k < n.columns; ++k) {
      if (n.at_drive[k] < 0) {
        sweep.at[k] = q[n.at_q[k]];
        sweep.speed[k] = v[n.at_v[k]];
        drive[k] = 0;
      } else {
        const auto& given = jet(n.at_drive[k]);
        sweep.at[k] = T(given.x);
        sweep.speed[k] = T(given.dx);
        drive[k] = given.ddx;
      }
    }
    sweep.along_columns(hinges_);
    if (n.any_driven)
      for (int k = 0; k < n.columns; ++k)
        if (n.at_drive[k] >= 0) {
          x.c_r += x.turn[k] * drive[k];
          x.c_l += x.slide[k] * drive[k];
        }
    sweep.end();
  }
}

template <int Rd>
template <class T>
void TreeKernel<Rd>::position_rates(const T* q, const T* v, T* rates) const {
  for (const Node& n : nodes_) {
    if (!n.absolute()) {
      for (int k = 0; k < n.columns; ++k)
        if (n.at_drive[k] < 0) rates[n.at_q[k]] = v[n.at_v[k]];
      continue;
    }
    int at = n.q, from = n.v;
    if (n.kind == TreeKind::free)
      for (int k = 0; k < Ld; ++k) rates[at++] = v[from++];
    if constexpr (Rd == 3) {
      // p' = L^T w' / 2, theory/multibody (M.2)
      const T &e0 = q[at], &e1 = q[at + 1], &e2 = q[at + 2], &e3 = q[at + 3];
      const T &x = v[from], &y = v[from + 1], &z = v[from + 2];
      rates[at] = 0.5 * (-e1 * x - e2 * y - e3 * z);
      rates[at + 1] = 0.5 * (e0 * x - e3 * y + e2 * z);
      rates[at + 2] = 0.5 * (e3 * x + e0 * y - e1 * z);
      rates[at + 3] = 0.5 * (-e2 * x + e1 * y + e0 * z);
    } else {
      rates[at] = v[from];
    }
  }
}

template <int Rd>
template <class T>
Pose<T> TreeKernel<Rd>::pose(const Moving<T>& m) const {
  using Lin = typename S::template Lin<T>;
  Pose<T> out;
  const Lin r = m.P + m.c, v = m.v + S::template cross<T>(m.w, m.c);
  out.r = S::template in_space<T>(r);
  out.v = S::template in_space<T>(v);
  out.w = S::template rotation_in_space<T>(m.w);
  if constexpr (Rd == 3) {
    out.R = m.R;
  } else {
    out.angle = m.angle;
    const T zero(0.0), one(1.0);
    out.R << m.R(0, 0), m.R(0, 1), zero, m.R(1, 0), m.R(1, 1), zero, zero, zero, one;
  }
  return out;
}

template <int Rd>
template <class T>
void TreeKernel<Rd>::column(int node, const Moving<T>& m, int k, typename S::template Rot<T>& turn,
                            typename S::template Lin<T>& slide) const {
  const Node& n = nodes_[node];
  if (!n.absolute()) {
    turn = m.turn[k];
    slide = m.slide[k];
    return;
  }
  turn.setZero();
  slide.setZero();
  const int spin = n.kind == TreeKind::free ? k - Ld : k;
  if (spin < 0)
    slide[k] = T(1.0);
  else if constexpr (Rd == 3)
    turn = m.R.col(spin);
  else
    turn[0] = T(1.0);
}

template <int Rd>
template <class T>
void TreeKernel<Rd>::accelerate(const Moving<T>* m, const double* free,
                                Acceleration<T>* out) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& n = nodes_[i];
    const Moving<T>& x = m[i];
    Acceleration<T>& a = out[i];
    a.r = x.c_r;
    a.l = x.c_l;
    if (n.parent >= 0 && n.kind != TreeKind::free) {
      const Acceleration<T>& p = out[n.parent];
      if (!n.absolute()) a.r += p.r;
      a.l += p.l + S::template cross<T>(p.r, x.d);
    }
    if (!free) continue;
    typename S::template Rot<T> turn;
    typename S::template Lin<T> slide;
    for (int k = 0; k < n.dofs; ++k) {
      if (n.dof[k] >= nv_) continue;  // driven: part of c
      column(static_cast<int>(i), x, k, turn, slide);
      a.r += turn * free[n.dof[k]];
      a.l += slide * free[n.dof[k]];
    }
  }
}

template <int Rd>
template <class T>
void TreeKernel<Rd>::inverse(const Moving<T>* m, const Acceleration<T>* a,
                             const NodeWrenchT<T>* applied, NodeWrenchT<T>* out) const {
  using Rot = typename S::template Rot<T>;
  using Lin = typename S::template Lin<T>;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& n = nodes_[i];
    const Moving<T>& x = m[i];
    const Lin centre = a[i].l + S::template cross<T>(a[i].r, x.c) +
                       S::template cross<T>(x.w, S::template cross<T>(x.w, x.c));
    out[i].f = (centre - gravity_) * n.mass - applied[i].f;
    if constexpr (Rd == 3) {
      const Rot w_body = x.R.transpose() * x.w, a_body = x.R.transpose() * a[i].r;
      const Rot h = n.inertia * w_body;
      const Rot moment = n.inertia * a_body + S::template cross<T>(w_body, h);
      out[i].n = x.R * moment;
    } else {
      out[i].n = a[i].r * n.inertia(0, 0);
    }
    // The inertia is about P, so only the acceleration of P itself has a lever.
    out[i].n += S::template torque<T>(x.c, Lin((a[i].l - gravity_) * n.mass)) - applied[i].n;
  }
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& n = nodes_[i];
    if (n.parent < 0 || n.kind == TreeKind::free) continue;
    out[n.parent].f += out[i].f;
    out[n.parent].n += S::template torque<T>(m[i].d, out[i].f);
    if (!n.absolute()) out[n.parent].n += out[i].n;
  }
}

template <int Rd>
template <class T>
std::pair<T, T> TreeKernel<Rd>::energies(const Moving<T>* m) const {
  using Lin = typename S::template Lin<T>;
  T kinetic(0.0), potential(0.0);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& n = nodes_[i];
    const Moving<T>& x = m[i];
    const Lin spin = S::template cross<T>(x.w, x.c);  // the inertia is about P
    const auto w = S::template to_body<T>(x.R, x.w);
    kinetic +=
        0.5 * (n.mass * S::dot(x.v, Lin(x.v + 2.0 * spin)) + S::dot(w, S::rotated(n.inertia, w)));
    potential += -n.mass * S::dot(gravity_, Lin(x.P + x.c));
  }
  return {kinetic, potential};
}

template <int Rd>
template <class T, class Visit>
void TreeKernel<Rd>::walk_up(const Moving<T>* m, int node, NodeWrenchT<T> w, Visit&& visit) const {
  typename S::template Rot<T> turn;
  typename S::template Lin<T> slide;
  for (int i = node; i >= 0;) {
    const Node& n = nodes_[i];
    for (int k = 0; k < n.dofs; ++k) {
      column(i, m[i], k, turn, slide);
      visit(n.dof[k], T(turn.dot(w.n) + slide.dot(w.f)));
    }
    if (n.kind == TreeKind::free) return;
    if (n.absolute()) w.n.setZero();
    w.n += S::template torque<T>(m[i].d, w.f);
    i = n.parent;
  }
}

}  // namespace freeplay::dynamics
