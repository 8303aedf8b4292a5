// SPDX-License-Identifier: Apache-2.0
#include "dynamics/tree/articulated.hpp"

#include <algorithm>

namespace freeplay::dynamics {

template <int Rd, class T>
void Articulated<Rd, T>::rigid(const Node& n, const Moving& m, Work& w) const {
  if constexpr (Rd == 3) {
    w.A = S::turned(m.R, n.inertia);
    const Lin s = n.mass * m.c;
    const T zero(0.0), mass(n.mass);
    w.B << zero, -s[2], s[1], s[2], zero, -s[0], -s[1], s[0], zero;
    w.C << mass, zero, zero, zero, mass, zero, zero, zero, mass;
  } else {
    const T zero(0.0), mass(n.mass);
    w.A(0, 0) = n.inertia(0, 0);
    w.B << -n.mass * m.c[1], n.mass * m.c[0];
    w.C << mass, zero, zero, mass;
  }
}

template <int Rd, class T>
void Articulated<Rd, T>::hand_up(const Node& n, const Moving& m, const Work& w,
                                 Work& parent) const {
  // Moved from P to the parent's P, d back: n_p = n + d x f, a_P = a_p + alpha x d.
  const typename S::template B<T> dC = S::skew_times(m.d, w.C);
  parent.C += w.C;
  if (n.absolute()) {
    parent.B += dC;
    for (int k = 0; k < Rd; ++k)
      parent.A.col(k) += S::template torque<T>(m.d, Lin(dC.row(k).transpose()));
    return;
  }
  const typename S::template B<T> B = w.B + dC;
  parent.B += B;
  // A - B [d x] + [d x] (B + [d x] C)^T; the middle term is the transpose of [d x] B^T.
  for (int k = 0; k < Rd; ++k) {
    const Rot lever = S::template torque<T>(m.d, Lin(w.B.row(k).transpose()));
    parent.A.row(k) += lever.transpose();
    parent.A.col(k) += w.A.col(k) + S::template torque<T>(m.d, Lin(B.row(k).transpose()));
  }
}

template <int Rd, class T>
void Articulated<Rd, T>::begin_inertia(const Here& here) const {
  const auto& [n, x, w] = here;
  if (n.single_root)
    w.D = n.own_inertia;
  else if (!(n.leaf && n.absolute()))
    rigid(n, x, w);
}

/// Takes the freedoms of a node out of its inertia; false when one of them has none.
template <int Rd, class T>
bool Articulated<Rd, T>::eliminate(const Here& here) const {
  const auto& [n, x, w] = here;
  bool ok = true;
  if (n.single_root) {
    ok = positive(w.D);
    w.inverse[0] = 1.0 / w.D;
  } else if (n.absolute()) {
    if (n.leaf) {
      if (n.parent >= 0 && !nodes_[n.parent].single_root)
        w.C = S::turned(x.R, leaves_[n.constants].C);
    } else {
      ok = invert(w.A, w.A_inverse);
      for (int k = 0; k < Ld; ++k) w.AB.col(k) = S::rotated(w.A_inverse, w.B.col(k));
      for (int k = 0; k < Ld; ++k) w.C.col(k) -= S::coupled_back(w.B, w.AB.col(k));
      if (n.kind == TreeKind::free) ok = invert(w.C, w.C_inverse) && ok;
    }
  } else {
    const bool update = n.parent >= 0 || n.any_driven;
    for (int k = n.columns; k-- > 0;) {
      if (n.at_drive[k] >= 0) continue;
      w.U_r[k] = S::rotated(w.A, x.turn[k]) + S::coupled(w.B, x.slide[k]);
      w.U_l[k] = S::coupled_back(w.B, x.turn[k]) + S::template times<T>(w.C, x.slide[k]);
      const T D = S::dot(x.turn[k], w.U_r[k]) + S::dot(x.slide[k], w.U_l[k]);
      ok &= positive(D);
      w.inverse[k] = 1.0 / D;
      if (!update && k == 0) continue;
      const Rot r = w.U_r[k] * w.inverse[k];
      const Lin l = w.U_l[k] * w.inverse[k];
      w.A.noalias() -= w.U_r[k].lazyProduct(r.transpose());
      w.B.noalias() -= w.U_r[k].lazyProduct(l.transpose());
      w.C.noalias() -= w.U_l[k].lazyProduct(l.transpose());
    }
  }
  return ok;
}

template <int Rd, class T>
void Articulated<Rd, T>::hand_up_inertia(const Here& here, const Here& parent) const {
  const auto& [n, x, w] = here;
  const Moving& root = parent.x;
  Work& up = parent.w;
  if (!parent.n.single_root) {
    hand_up(n, x, w, up);
    return;
  }
  const Lin h = root.slide[0] + S::template cross<T>(root.turn[0], x.d);
  if (n.leaf && n.absolute()) {
    const Lin in_body = S::template transposed_times<T>(x.R, h);
    up.D += S::dot(in_body, S::template times<T>(leaves_[n.constants].C, in_body));
  } else {
    up.D += S::dot(h, S::template times<T>(w.C, h));
  }
  if (!n.absolute())
    up.D += S::dot(root.turn[0], Rot(S::rotated(w.A, root.turn[0]) + 2.0 * S::coupled(w.B, h)));
}

/// One sweep to the ground, of the inertias and, where asked, of the forces. A node begins when the
/// first of those further out is about to hand it something, or else when its turn comes: it is
/// then fetched from memory once.
template <int Rd, class T>
template <bool kForces>
bool Articulated<Rd, T>::inward(const Moving* m, const Force* applied) {
  const auto begin = [&](const Here& here, std::size_t i) {
    begin_inertia(here);
    if constexpr (kForces) begin_forces(here, applied[i]);
  };
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Here here = at(m, i);
    if (here.n.last_child < 0) begin(here, i);
    if (!eliminate(here)) {
      failed_ = static_cast<int>(i);
      return false;
    }
    if constexpr (kForces) reduce_forces(here);
    if (here.n.parent < 0) continue;
    const Here parent = at(m, here.n.parent);
    if (parent.n.last_child == static_cast<int>(i)) begin(parent, here.n.parent);
    hand_up_inertia(here, parent);
    if constexpr (kForces) demand(here, parent);
  }
  return true;
}

template <int Rd, class T>
bool Articulated<Rd, T>::factorise(const Moving* m) {
  return inward<false>(m, nullptr);
}

template <int Rd, class T>
bool Articulated<Rd, T>::forward(const Moving* m, const Force* applied, T* rates) {
  if (!inward<true>(m, applied)) return false;
  outward(m, true, rates);
  return true;
}

template <int Rd, class T>
double Articulated<Rd, T>::least_pivot(double mass,
                                       double length) const requires std::is_same_v<T, double> {
  double least = 1;
  const auto see = [&](const T& pivot) {
    if constexpr (std::is_same_v<T, double>)  // Clang 14 comes here in spite of the `requires`
      least = std::min(least, pivot);
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& n = nodes_[i];
    const Work& w = work_[i];
    if (n.leaf && n.absolute()) {
      see(1 / (leaves_[n.constants].inverse.trace() * mass * length * length));
    } else if (n.absolute()) {
      see(1 / (w.A_inverse.trace() * mass * length * length));
      if (n.kind == TreeKind::free) see(1 / (w.C_inverse.trace() * mass));
    } else {
      for (int k = 0; k < n.columns; ++k)
        if (n.at_drive[k] < 0) {
          const bool slides = n.kind == TreeKind::prismatic || k > 0;
          const bool turns = n.kind == TreeKind::universal || !slides;
          see(1 / (w.inverse[k] * mass * (turns ? length * length : 1.0)));
        }
    }
  }
  return least;
}

/// Hands the wrench that a node demands of its joint to the parent.
template <int Rd, class T>
void Articulated<Rd, T>::demand(const Here& here, const Here& parent) const {
  const auto& [n, x, w] = here;
  const Lin& d = x.d;
  Work& up = parent.w;
  if (parent.n.single_root) {
    const Moving& root = parent.x;
    const Lin h = root.slide[0] + S::template cross<T>(root.turn[0], d);
    up.u[0] -= S::dot(h, w.p_l);
    if (!n.absolute()) up.u[0] -= S::dot(root.turn[0], w.p_r);
    return;
  }
  up.p_l += w.p_l;
  up.p_r += S::template torque<T>(d, w.p_l);
  if (!n.absolute()) up.p_r += w.p_r;
}

/// What moves a node apart from its joints.
template <int Rd, class T>
void Articulated<Rd, T>::begin_forces(const Here& here, const Force& applied) const {
  const auto& [n, x, w] = here;
  const Lin weight = (n.mass * gravity_).template cast<T>();
  if (n.single_root) {
    w.u[0] = S::dot(x.turn[0], Rot(applied.n + S::template torque<T>(x.c, weight))) +
             S::dot(x.slide[0], Lin(applied.f + weight));
    return;
  }
  if (n.leaf && n.absolute()) {
    // In body axes, where everything but the motion is constant.
    const Lin f = S::template transposed_times<T>(x.R, Lin(applied.f + weight));
    const Lin g = S::template transposed_times<T>(x.R, weight);
    Rot moment = S::template to_body<T>(x.R, applied.n) + S::template torque<T>(n.com, g);
    const Rot spin = S::template to_body<T>(x.R, x.w);
    if constexpr (Rd == 3) moment -= S::template cross<T>(spin, S::rotated(n.inertia, spin));
    w.e = S::rotated(leaves_[n.constants].inverse, moment);
    if (n.parent < 0 && n.kind == TreeKind::ball) return;
    Lin p = n.mass * S::template cross<T>(spin, S::template cross<T>(spin, n.com)) - f +
            S::coupled_back(leaves_[n.constants].AB, moment);
    if (n.parent >= 0)
      p +=
          S::template times<T>(leaves_[n.constants].C, S::template transposed_times<T>(x.R, x.c_l));
    w.p_l = S::template times<T>(x.R, p);
    return;
  }
  w.p_l = n.mass * S::template cross<T>(x.w, S::template cross<T>(x.w, x.c)) - weight - applied.f;
  w.p_r = -applied.n - S::template torque<T>(x.c, weight);
  if constexpr (Rd == 3) {
    const Lin body = S::template transposed_times<T>(x.R, x.w);
    const Lin gyro = S::template cross<T>(body, S::rotated(n.inertia, body));
    w.p_r += S::template times<T>(x.R, gyro);
  }
}

/// What remains of the forces on a node once its freedoms have given way.
template <int Rd, class T>
void Articulated<Rd, T>::reduce_forces(const Here& here) const {
  const auto& [n, x, w] = here;
  if (n.single_root) return;
  if (n.absolute()) {
    if (n.leaf) return;
    w.e = -S::rotated(w.A_inverse, w.p_r);
    w.p_l -= S::coupled_back(w.AB, w.p_r);
    if (n.parent >= 0) w.p_l += S::template times<T>(w.C, x.c_l);
    return;
  }
  for (int k = n.columns; k-- > 0;) {
    if (n.at_drive[k] >= 0) continue;
    const T e = -(S::dot(x.turn[k], w.p_r) + S::dot(x.slide[k], w.p_l));
    w.u[k] = e - (S::dot(w.U_r[k], x.c_r) + S::dot(w.U_l[k], x.c_l));
    const T s = e * w.inverse[k];
    w.p_r += w.U_r[k] * s;
    w.p_l += w.U_l[k] * s;
  }
  if (n.parent < 0 && !n.any_driven) return;
  w.p_r += S::rotated(w.A, x.c_r) + S::coupled(w.B, x.c_l);
  w.p_l += S::coupled_back(w.B, x.c_r) + S::template times<T>(w.C, x.c_l);
}

/// Accelerations from the ground outward; `moving`: with those that come with velocities and
/// drives.
template <int Rd, class T>
void Articulated<Rd, T>::outward(const Moving* m, bool moving, T* rates) {
  const std::size_t count = nodes_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Node& n = nodes_[i];
    const Moving& x = m[i];
    Work& w = work_[i];
    if (n.single_root) {
      const T rate = w.u[0] * w.inverse[0];
      rates[n.at_v[0]] = rate;
      w.a.r = x.turn[0] * rate;
      w.a.l = x.slide[0] * rate;
      continue;
    }
    if (n.kind == TreeKind::free) {
      T* spin = rates + n.v + Ld;
      if (n.leaf) {  // about its own centre: translation and rotation do not meet
        w.a.l = w.p_l * (-1 / n.mass);
        for (int k = 0; k < Rd; ++k) spin[k] = w.e[k];
      } else {
        w.a.l = -S::template times<T>(w.C_inverse, w.p_l);
        w.a.r = w.e - S::coupled(w.AB, w.a.l);
        spin_rates(x, w.a.r, spin);
      }
      for (int k = 0; k < Ld; ++k) rates[n.v + k] = w.a.l[k];
      continue;
    }
    if (n.parent >= 0) {
      const Acceleration& p = work_[n.parent].a;
      w.a.l = p.l + S::template cross<T>(p.r, x.d);
      w.a.r = p.r;
    } else {
      w.a.l.setZero();
      w.a.r.setZero();
    }
    if (n.kind == TreeKind::ball) {
      if (moving) w.a.l += x.c_l;
      if (n.leaf) {
        const Rot rate =
            w.e - S::coupled(leaves_[n.constants].AB, S::template transposed_times<T>(x.R, w.a.l));
        for (int k = 0; k < Rd; ++k) rates[n.v + k] = rate[k];
      } else {
        w.a.r = w.e - S::coupled(w.AB, w.a.l);
        spin_rates(x, w.a.r, rates + n.v);
      }
      continue;
    }
    if (n.any_driven) w.a_parent = w.a;
    for (int k = 0; k < n.columns; ++k) {
      if (n.at_drive[k] >= 0) continue;
      const T rate = (w.u[k] - (S::dot(w.U_r[k], w.a.r) + S::dot(w.U_l[k], w.a.l))) * w.inverse[k];
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

template <int Rd, class T>
void Articulated<Rd, T>::solve(const Moving* m, T* tau) {
  const std::size_t count = nodes_.size();
  for (std::size_t i = 0; i < count; ++i) {
    work_[i].p_r.setZero();
    work_[i].p_l.setZero();
    if (nodes_[i].single_root) work_[i].u[0] = tau[nodes_[i].at_v[0]];
  }
  for (std::size_t i = count; i-- > 0;) {
    const Node& n = nodes_[i];
    const Moving& x = m[i];
    Work& w = work_[i];
    if (n.single_root) continue;
    if (n.absolute()) {
      const T* from = tau + n.v + (n.kind == TreeKind::free ? Ld : 0);
      Rot own;
      for (int k = 0; k < Rd; ++k) own[k] = from[k];
      if (n.leaf) {
        w.e = S::rotated(leaves_[n.constants].inverse, own);
        w.p_l = S::template times<T>(x.R, S::coupled_back(leaves_[n.constants].AB, own));
      } else {
        const Rot moment = S::template to_global<T>(x.R, own) - w.p_r;
        w.e = S::rotated(w.A_inverse, moment);
        w.p_l += S::coupled_back(w.AB, moment);
      }
      if (n.kind == TreeKind::free)
        for (int k = 0; k < Ld; ++k) w.p_l[k] -= tau[n.v + k];
    } else {
      for (int k = n.columns; k-- > 0;) {
        if (n.at_drive[k] >= 0) continue;
        w.u[k] = tau[n.at_v[k]] - (S::dot(x.turn[k], w.p_r) + S::dot(x.slide[k], w.p_l));
        const T s = w.u[k] * w.inverse[k];
        w.p_r += w.U_r[k] * s;
        w.p_l += w.U_l[k] * s;
      }
    }
    if (n.parent >= 0) demand(at(m, i), at(m, n.parent));
  }
  outward(m, false, tau);
}

template <int Rd, class T>
T Articulated<Rd, T>::effort(const Moving* m, const typename Kernel::Prescribed& p) const {
  // What the joint transmits, with the accelerations its parent has.
  const Work& w = work_[p.node];
  const Rot n = S::rotated(w.A, w.a_parent.r) + S::coupled(w.B, w.a_parent.l) + w.p_r;
  const Lin f =
      S::coupled_back(w.B, w.a_parent.r) + S::template times<T>(w.C, w.a_parent.l) + w.p_l;
  return S::dot(m[p.node].turn[p.column], n) + S::dot(m[p.node].slide[p.column], f);
}

template class Articulated<1, double>;
template class Articulated<3, double>;
template class Articulated<1, tape::Traced>;
template class Articulated<3, tape::Traced>;

}  // namespace freeplay::dynamics
