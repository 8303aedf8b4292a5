// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/tree/kernel.hpp"

#include <vector>

// Articulated bodies (Featherstone 2008, ch. 7): forward dynamics of a tree without loops, and its
// inverse mass matrix. T is a double, or a traced number where the sweeps are recorded.
namespace freeplay::dynamics {

template <int Rd, class T>
class Articulated {
 public:
  using Kernel = TreeKernel<Rd>;
  using Moving = NodeMotion<Rd, T>;
  using Force = NodeWrench<Rd, T>;

  /// Of a kernel that outlives it and has been built.
  explicit Articulated(const Kernel& kernel)
      : kernel_(kernel),
        nodes_(kernel.nodes()),
        leaves_(kernel.leaves()),
        gravity_(kernel.gravity()),
        work_(kernel.nodes().size()) {}

  /// Articulated inertias at the present motion. False when a freedom has no inertia;
  /// `failed_node` says where.
  [[nodiscard]] bool factorise(const Moving* m);
  /// Articulated inertias, and with them accelerations under applied wrenches; free ones to
  /// `rates`.
  [[nodiscard]] bool forward(const Moving* m, const Force* applied, T* rates);
  /// M x = tau for the free dofs, in place, with the inertias of the last factorise().
  void solve(const Moving* m, T* x);
  /// Effort along a driven column after forward().
  [[nodiscard]] T effort(const Moving* m, const typename Kernel::Prescribed& p) const;
  [[nodiscard]] int failed_node() const { return failed_; }
  /// Smallest pivot of the last factorise() relative to a mass, and to mass times length
  /// squared for rotations.
  [[nodiscard]] double least_pivot(double mass,
                                   double length) const requires std::is_same_v<T, double>;

  /// Composite inertias: set(i, j, M_ij) for every pair of dofs on one branch, i's node outside.
  template <class Set>
  void mass_matrix(const Moving* m, Set&& set);

 private:
  using S = TreeSpace<Rd>;
  using Node = typename Kernel::Node;
  using Acceleration = NodeAcceleration<Rd, T>;
  using Rot = typename S::template Rot<T>;
  using Lin = typename S::template Lin<T>;
  static constexpr int Ld = S::Ld;

  struct Work {
    typename S::template A<T> A;
    typename S::template B<T> B;
    typename S::template C<T> C;
    Rot p_r;
    Lin p_l;
    typename S::template A<T> A_inverse;
    typename S::template B<T> AB;  // A^-1 B
    Rot e;                         // A^-1 (moment)
    Acceleration a;
    T D;  // single roots
    T inverse[3], u[3];
    Rot U_r[3];
    Lin U_l[3];
    typename S::template C<T> C_inverse;  // free bodies
    Acceleration a_parent;
  };
  template <bool kForces>
  [[nodiscard]] bool inward(const Moving* m, const Force* applied);
  /// Everything about one node, found once.
  struct Here {
    const Node& n;
    const Moving& x;
    Work& w;
  };
  Here at(const Moving* m, std::size_t i) { return {nodes_[i], m[i], work_[i]}; }
  void begin_inertia(const Here& here) const;
  void begin_forces(const Here& here, const Force& applied) const;
  [[nodiscard]] bool eliminate(const Here& here) const;
  void reduce_forces(const Here& here) const;
  void hand_up_inertia(const Here& here, const Here& parent) const;
  void demand(const Here& here, const Here& parent) const;
  void rigid(const Node& n, const Moving& m, Work& w) const;
  void hand_up(const Node& n, const Moving& m, const Work& w, Work& parent) const;
  void outward(const Moving* m, bool moving, T* rates);
  /// Spins are stored in body axes.
  static void spin_rates(const Moving& m, const Rot& a, T* out) {
    const Rot body = S::template to_body<T>(m.R, a);
    for (int k = 0; k < Rd; ++k) out[k] = body[k];
  }

  const Kernel& kernel_;
  const std::vector<Node>& nodes_;
  const std::vector<typename Kernel::Leaf>& leaves_;
  const typename Kernel::LinD& gravity_;
  std::vector<Work> work_;
  int failed_ = -1;
};

template <int Rd, class T>
template <class Set>
void Articulated<Rd, T>::mass_matrix(const Moving* m, Set&& set) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) rigid(nodes_[i], m[i], work_[i]);
  Rot turn;
  Lin slide;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& n = nodes_[i];
    Work& w = work_[i];
    for (int k = 0; k < n.dofs; ++k) {
      kernel_.column(static_cast<int>(i), m[i], k, turn, slide);
      Force F;
      F.n = w.A * turn + w.B * slide;
      F.f = w.B.transpose() * turn + w.C * slide;
      int own = k;
      for (int j = static_cast<int>(i); j >= 0;) {
        const Node& up = nodes_[j];
        Rot turn_j;
        Lin slide_j;
        for (int l = 0; l < (own >= 0 ? own + 1 : up.dofs); ++l) {
          kernel_.column(j, m[j], l, turn_j, slide_j);
          set(n.dof[k], up.dof[l], turn_j.dot(F.n) + slide_j.dot(F.f));
        }
        own = -1;
        if (up.kind == TreeKind::free) break;
        if (up.absolute()) F.n.setZero();
        F.n += S::template torque<T>(m[j].d, F.f);
        j = up.parent;
      }
    }
    if (n.parent < 0 || n.kind == TreeKind::free) continue;
    hand_up(n, m[i], w, work_[n.parent]);
  }
}

}  // namespace freeplay::dynamics
