// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/pose.hpp"
#include "dynamics/tree_topology.hpp"
#include <freeplay/motion.hpp>

#include <cmath>
#include <utility>
#include <vector>

// Recursive dynamics along a tree, in space (Rd = 3) and in the plane (Rd = 1: one angle, two
// lengths). All vectors are in global axes; those of a node are about its joint point P, which is
// fixed on the body, so turns about the joint have no lever and inertias about P are constant in
// body axes (Featherstone 2008, ch. 7, in another arrangement).
//
//   a_P, alpha      accelerations of P and of the body
//   [ n ]   [ A    B ] [ alpha ]   [ p_r ]
//   [ f ] = [ B^T  C ] [ a_P   ] + [ p_l ]      wrench that moves everything from this node outward
//
// Balls and free bodies have absolute spins: they hand no moment to their parent, and their angular
// acceleration drops out with one symmetric 3 x 3 (1 x 1) inverse.
namespace freeplay::dynamics {

template <int Rd>
struct TreeSpace {
  static constexpr int Ld = Rd == 3 ? 3 : 2;
  template <class T>
  using Rot = Eigen::Matrix<T, Rd, 1>;
  template <class T>
  using Lin = Eigen::Matrix<T, Ld, 1>;
  template <class T>
  using Orient = Eigen::Matrix<T, Ld, Ld>;
  using A = Eigen::Matrix<double, Rd, Rd>;
  using B = Eigen::Matrix<double, Rd, Ld>;
  using C = Eigen::Matrix<double, Ld, Ld>;

  // Small products written out: at this size Eigen's general loops cost more than the arithmetic.

  /// M x, of lengths
  template <class T, class M, class X>
  static Lin<T> times(const M& m, const X& x) {
    if constexpr (Ld == 3)
      return Lin<T>(m(0, 0) * x[0] + m(0, 1) * x[1] + m(0, 2) * x[2],
                    m(1, 0) * x[0] + m(1, 1) * x[1] + m(1, 2) * x[2],
                    m(2, 0) * x[0] + m(2, 1) * x[1] + m(2, 2) * x[2]);
    else
      return Lin<T>(m(0, 0) * x[0] + m(0, 1) * x[1], m(1, 0) * x[0] + m(1, 1) * x[1]);
  }
  /// M^T x, of lengths
  template <class T, class M, class X>
  static Lin<T> transposed_times(const M& m, const X& x) {
    if constexpr (Ld == 3)
      return Lin<T>(m(0, 0) * x[0] + m(1, 0) * x[1] + m(2, 0) * x[2],
                    m(0, 1) * x[0] + m(1, 1) * x[1] + m(2, 1) * x[2],
                    m(0, 2) * x[0] + m(1, 2) * x[1] + m(2, 2) * x[2]);
    else
      return Lin<T>(m(0, 0) * x[0] + m(1, 0) * x[1], m(0, 1) * x[0] + m(1, 1) * x[1]);
  }
  /// Rotation vectors between body and global axes; in the plane there is only one.
  template <class T, class M, class X>
  static Rot<T> to_global(const M& R, const X& x) {
    if constexpr (Rd == 3)
      return times<T>(R, x);
    else
      return x;
  }
  template <class T, class M, class X>
  static Rot<T> to_body(const M& R, const X& x) {
    if constexpr (Rd == 3)
      return transposed_times<T>(R, x);
    else
      return x;
  }
  template <class T, class M, class N>
  static Orient<T> product(const M& a, const N& b) {
    Orient<T> out;
    for (int k = 0; k < Ld; ++k) out.col(k) = times<T>(a, b.col(k));
    return out;
  }
  /// A x, B x, B^T x with the coupling blocks of inertias.
  template <class X>
  static Rot<double> rotated(const A& a, const X& x) {
    if constexpr (Rd == 3)
      return times<double>(a, x);
    else
      return Rot<double>(a(0, 0) * x[0]);
  }
  template <class X>
  static Rot<double> coupled(const B& b, const X& x) {
    if constexpr (Rd == 3)
      return times<double>(b, x);
    else
      return Rot<double>(b(0, 0) * x[0] + b(0, 1) * x[1]);
  }
  template <class X>
  static Lin<double> coupled_back(const B& b, const X& x) {
    if constexpr (Rd == 3)
      return transposed_times<double>(b, x);
    else
      return Lin<double>(b(0, 0) * x[0], b(0, 1) * x[0]);
  }
  template <class X, class Y>
  static auto dot(const X& x, const Y& y) {
    if constexpr (X::RowsAtCompileTime == 3)
      return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    else if constexpr (X::RowsAtCompileTime == 2)
      return x[0] * y[0] + x[1] * y[1];
    else
      return x[0] * y[0];
  }
  /// R M R^T for a symmetric M in body axes.
  static C turned(const Orient<double>& R, const C& m) {
    const C half = product<double>(R, m);
    C out;
    for (int i = 0; i < Ld; ++i)
      for (int j = 0; j <= i; ++j) {
        double sum = half(i, 0) * R(j, 0) + half(i, 1) * R(j, 1);
        if constexpr (Ld == 3) sum += half(i, 2) * R(j, 2);
        out(i, j) = out(j, i) = sum;
      }
    return out;
  }

  /// w x d
  template <class T, class W, class D>
  static Lin<T> cross(const W& w, const D& d) {
    if constexpr (Rd == 3)
      return Lin<T>(w[1] * d[2] - w[2] * d[1], w[2] * d[0] - w[0] * d[2],
                    w[0] * d[1] - w[1] * d[0]);
    else
      return Lin<T>(-w[0] * d[1], w[0] * d[0]);
  }
  /// d x f
  template <class T, class D, class F>
  static Rot<T> torque(const D& d, const F& f) {
    if constexpr (Rd == 3)
      return Rot<T>(d[1] * f[2] - d[2] * f[1], d[2] * f[0] - d[0] * f[2],
                    d[0] * f[1] - d[1] * f[0]);
    else
      return Rot<T>(d[0] * f[1] - d[1] * f[0]);
  }
  /// [d x] C
  static B skew_times(const Lin<double>& d, const C& c) {
    B out;
    for (int k = 0; k < Ld; ++k) out.col(k) = torque<double>(d, c.col(k));
    return out;
  }
  template <class T>
  static Rot<T> rotation_part(const Vec3T<T>& v) {
    if constexpr (Rd == 3)
      return v;
    else
      return Rot<T>(v[2]);
  }
  template <class T>
  static Lin<T> linear_part(const Vec3T<T>& v) {
    if constexpr (Rd == 3)
      return v;
    else
      return Lin<T>(v[0], v[1]);
  }
  template <class T>
  static Vec3T<T> rotation_in_space(const Rot<T>& w) {
    if constexpr (Rd == 3)
      return w;
    else
      return Vec3T<T>(T(0.0), T(0.0), w[0]);
  }
  template <class T>
  static Vec3T<T> in_space(const Lin<T>& v) {
    if constexpr (Rd == 3)
      return v;
    else
      return Vec3T<T>(v[0], v[1], T(0.0));
  }
};

/// Rotation by Euler parameters of any length: stages of a step lie off the unit sphere, and only a
/// matrix that is orthogonal there too leaves the equations, and their derivatives, consistent.
template <class T>
Mat3T<T> turned_by(const T* p) {
  const T s = 2.0 / (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
  const T x = s * p[1], y = s * p[2], z = s * p[3];
  const T wx = x * p[0], wy = y * p[0], wz = z * p[0], xx = x * p[1], xy = x * p[2], xz = x * p[3],
          yy = y * p[2], yz = y * p[3], zz = z * p[3];
  Mat3T<T> R;
  R(0, 0) = 1.0 - (yy + zz), R(0, 1) = xy - wz, R(0, 2) = xz + wy;
  R(1, 0) = xy + wz, R(1, 1) = 1.0 - (xx + zz), R(1, 2) = yz - wx;
  R(2, 0) = xz - wy, R(2, 1) = yz + wx, R(2, 2) = 1.0 - (xx + yy);
  return R;
}

/// Where a node is and how it moves.
template <int Rd, class T>
struct NodeMotion {
  using S = TreeSpace<Rd>;
  typename S::template Orient<T> R;
  typename S::template Rot<T> w;
  typename S::template Lin<T> c;    ///< P to the centre of mass
  typename S::template Lin<T> d;    ///< parent's P to P
  typename S::template Lin<T> c_l;  ///< accelerations that come with the velocities and drives
  typename S::template Rot<T> c_r;
  typename S::template Lin<T> P, v;      ///< joint point and its velocity
  T angle = T(0.0);                      ///< plane only
  typename S::template Rot<T> turn[3];   ///< columns of the joint: turning and
  typename S::template Lin<T> slide[3];  ///< sliding part
};

template <int Rd, class T>
struct NodeAcceleration {
  typename TreeSpace<Rd>::template Rot<T> r;
  typename TreeSpace<Rd>::template Lin<T> l;
};
template <int Rd, class T>
struct NodeWrench {
  typename TreeSpace<Rd>::template Rot<T> n;
  typename TreeSpace<Rd>::template Lin<T> f;
};

template <int Rd>
class TreeKernel {
 public:
  using S = TreeSpace<Rd>;
  static constexpr int Ld = S::Ld;
  static constexpr int kOrientation = Rd == 3 ? 4 : 1;  ///< coordinates of an orientation
  using RotD = typename S::template Rot<double>;
  using LinD = typename S::template Lin<double>;
  template <class T>
  using Motion = NodeMotion<Rd, T>;
  template <class T>
  using Acceleration = NodeAcceleration<Rd, T>;
  template <class T>
  using NodeWrenchT = NodeWrench<Rd, T>;

  /// A node as the recursions need it. Column k has the coordinate q[at_q[k]] and the speed
  /// v[at_v[k]], or is prescribed by drive at_drive[k]. What every sweep reads comes first, here,
  /// in Motion and in Work: long chains outgrow the cache, and are as fast as memory is.
  struct Node {
    int parent = -1, last_child = -1;
    TreeKind kind = TreeKind::free;
    bool leaf = true, any_driven = false;
    bool single_root = false;  ///< one free column on the ground: only projections on it matter
    int q = 0, v = 0;          ///< first coordinate and speed of balls and free bodies
    int columns = 0, dofs = 0, body = 0;
    int hinge = -1;      ///< of revolute joints in space
    int constants = -1;  ///< of leaves that carry their own orientation
    double mass = 0;
    typename S::A inertia = S::A::Zero();         ///< about P, body axes
    LinD arm = LinD::Zero(), com = LinD::Zero();  ///< parent's P to the inner joint point, P to the
                                                  ///< centre of mass; axes of the bodies
    int at_q[3] = {-1, -1, -1}, at_v[3] = {-1, -1, -1}, at_drive[3] = {-1, -1, -1};
    int dof[6] = {0, 0, 0,
                  0, 0, 0};  ///< numbers among all dofs: free ones first, driven ones after
    double lead = 0, shift = 0, angle_offset = 0;
    double own_inertia = 0;  ///< of a single root, along its column
    [[nodiscard]] bool absolute() const { return kind == TreeKind::ball || kind == TreeKind::free; }
  };
  /// Axes of the joint on the parent; transposed on the body (in the plane: by angle_offset).
  struct Frames {
    Eigen::Matrix<double, Ld, Ld> inner = Eigen::Matrix<double, Ld, Ld>::Identity(), outer = inner;
  };
  /// inner Rz(angle) outer = rest + cos(angle) cosine + sin(angle) sine
  struct Hinge {
    Eigen::Matrix<double, Ld, Ld> rest, cosine, sine;
  };
  struct Prescribed {
    int node = 0, column = 0, joint = 0, drive = 0;
    double sign = 1;
    Jet jet;  ///< of the tree's column: the drive's times sign
  };

  void build(const Model& model, const Topology& topology);
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const Frames& frames(std::size_t node) const { return frames_[node]; }
  [[nodiscard]] std::vector<Prescribed>& prescribed() { return prescribed_; }
  [[nodiscard]] const std::vector<Prescribed>& prescribed() const { return prescribed_; }
  [[nodiscard]] int positions() const { return nq_; }
  [[nodiscard]] int speeds() const { return nv_; }
  [[nodiscard]] int dofs() const { return nv_ + static_cast<int>(prescribed_.size()); }

  template <class T>
  void move(const T* q, const T* v, Motion<T>* out) const;
  template <class T>
  void position_rates(const T* q, const T* v, T* rates) const;
  template <class T>
  Pose<T> pose(const Motion<T>& m) const;
  /// Column k of a node, among all its dofs.
  template <class T>
  void column(int node, const Motion<T>& m, int k, typename S::template Rot<T>& turn,
              typename S::template Lin<T>& slide) const;
  /// Accelerations of the nodes for given ones of the dofs (null: none), drives included.
  template <class T>
  void accelerate(const Motion<T>* m, const double* free, Acceleration<T>* out) const;
  /// Wrenches that the joints must hand out for these accelerations; `applied` acts on each node,
  /// about P. Gravity is added here.
  template <class T>
  void inverse(const Motion<T>* m, const Acceleration<T>* a, const NodeWrenchT<T>* applied,
               NodeWrenchT<T>* out) const;
  /// Wrench about the centre of mass, global axes, as one about P.
  template <class T>
  static NodeWrenchT<T> about_joint(const Wrench<T>& wrench, const Motion<T>& m) {
    NodeWrenchT<T> out;
    out.f = S::template linear_part<T>(wrench.force);
    out.n = S::template rotation_part<T>(wrench.moment) + S::template torque<T>(m.c, out.f);
    return out;
  }
  /// visit(dof, value) of the generalised force of a wrench on a node.
  template <class T, class Visit>
  void walk_up(const Motion<T>* m, int node, NodeWrenchT<T> w, Visit&& visit) const;

  /// Kinetic energy of a node and its potential in gravity; J.
  [[nodiscard]] std::pair<double, double> energy(int node, const Motion<double>& m) const {
    const Node& n = nodes_[node];
    const LinD spin = S::template cross<double>(m.w, m.c);  // the inertia is about P
    const RotD w = S::template to_body<double>(m.R, m.w);
    return {
        0.5 * (n.mass * S::dot(m.v, LinD(m.v + 2 * spin)) + S::dot(w, S::rotated(n.inertia, w))),
        -n.mass * S::dot(gravity_, LinD(m.P + m.c))};
  }

  // Articulated bodies: forward dynamics of a tree without loops.

  /// Articulated inertias at the present motion. False when a freedom has no inertia;
  /// `failed_node` says where.
  [[nodiscard]] bool factorise(const Motion<double>* m);
  /// Articulated inertias, and with them accelerations under applied wrenches; free ones to
  /// `rates`.
  [[nodiscard]] bool forward(const Motion<double>* m, const NodeWrenchT<double>* applied,
                             double* rates);
  /// M x = tau for the free dofs, in place, with the inertias of the last factorise().
  void solve(const Motion<double>* m, double* x);
  /// Effort along a driven column after forward().
  [[nodiscard]] double effort(const Motion<double>* m, const Prescribed& p) const;
  [[nodiscard]] int failed_node() const { return failed_; }
  /// Smallest pivot of the last factorise() relative to a mass, and to mass times length
  /// squared for rotations.
  [[nodiscard]] double least_pivot(double mass, double length) const;

  /// Composite inertias: set(i, j, M_ij) for every pair of dofs on one branch, i's node outside.
  template <class Set>
  void mass_matrix(const Motion<double>* m, Set&& set);

 private:
  /// Leaves that carry their own orientation: what elimination leaves is constant in body axes.
  struct Leaf {
    typename S::A inverse;  // A^-1
    typename S::B AB;       // A^-1 B
    typename S::C C;        // C - B^T A^-1 B
  };
  struct Work {
    typename S::A A;
    typename S::B B;
    typename S::C C;
    RotD p_r;
    LinD p_l;
    typename S::A A_inverse;
    typename S::B AB;  // A^-1 B
    RotD e;            // A^-1 (moment)
    Acceleration<double> a;
    double D;  // single roots
    double inverse[3], u[3];
    RotD U_r[3];
    LinD U_l[3];
    typename S::C C_inverse;  // free bodies
    Acceleration<double> a_parent;
  };
  template <bool kForces>
  [[nodiscard]] bool inward(const Motion<double>* m, const NodeWrenchT<double>* applied);
  /// Everything about one node, found once.
  struct Here {
    const Node& n;
    const Motion<double>& x;
    Work& w;
  };
  Here at(const Motion<double>* m, std::size_t i) { return {nodes_[i], m[i], work_[i]}; }
  void begin_inertia(const Here& here) const;
  void begin_forces(const Here& here, const NodeWrenchT<double>& applied) const;
  [[nodiscard]] bool eliminate(const Here& here) const;
  void reduce_forces(const Here& here) const;
  void hand_up_inertia(const Here& here, const Here& parent) const;
  void demand(const Here& here, const Here& parent) const;
  void rigid(const Node& n, const Motion<double>& m, Work& w) const;
  void hand_up(const Node& n, const Motion<double>& m, const Work& w, Work& parent) const;
  void outward(const Motion<double>* m, bool moving, double* rates);
  /// Spins are stored in body axes.
  static void spin_rates(const Motion<double>& m, const RotD& a, double* out) {
    if constexpr (Rd == 3) {
      const Vec3 body = m.R.transpose() * a;
      out[0] = body[0], out[1] = body[1], out[2] = body[2];
    } else {
      out[0] = a[0];
    }
  }

  std::vector<Node> nodes_;
  std::vector<Frames> frames_;  // of each node
  std::vector<Leaf> leaves_;
  std::vector<Hinge> hinges_;
  std::vector<Prescribed> prescribed_;
  std::vector<Work> work_;
  int nq_ = 0, nv_ = 0, failed_ = -1;
  LinD gravity_ = LinD::Zero();
};

// ---------------------------------------------------------------------------------------------

template <int Rd>
template <class T>
void TreeKernel<Rd>::move(const T* q, const T* v, Motion<T>* out) const {
  using std::cos, std::sin;
  using Rot = typename S::template Rot<T>;
  using Lin = typename S::template Lin<T>;
  using Orient = typename S::template Orient<T>;
  const std::size_t count = nodes_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Node& n = nodes_[i];
    Motion<T>& x = out[i];
    const Motion<T>* p = n.parent >= 0 ? &out[n.parent] : nullptr;
    if (n.absolute()) {
      const T* orientation = q + n.q + (n.kind == TreeKind::free ? Ld : 0);
      const T* spin = v + n.v + (n.kind == TreeKind::free ? Ld : 0);
      if constexpr (Rd == 3) {
        x.R = turned_by(orientation);
        x.w = S::template times<T>(x.R, spin);
      } else {
        x.angle = orientation[0];
        const T c = cos(x.angle), s = sin(x.angle);
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
      continue;
    }

    // Axes of the joint on the inner body, and what its columns do. Hinges need only z.
    const Frames& axes = frames_[i];
    Orient E;
    if (p) {
      if constexpr (Rd == 3)
        if (n.kind != TreeKind::revolute) E = S::template product<T>(p->R, axes.inner);
      x.d = S::template times<T>(p->R, n.arm);
    } else {
      if constexpr (Rd == 3)
        if (n.kind != TreeKind::revolute) E = axes.inner.template cast<T>();
      x.d = n.arm.template cast<T>();
    }
    T at[3], speed[3];
    double drive[3];
    for (int k = 0; k < n.columns; ++k) {
      if (n.at_drive[k] < 0) {
        at[k] = q[n.at_q[k]];
        speed[k] = v[n.at_v[k]];
        drive[k] = 0;
      } else {
        const Jet& jet = prescribed_[n.at_drive[k]].jet;
        at[k] = T(jet.x);
        speed[k] = T(jet.dx);
        drive[k] = jet.ddx;
      }
    }
    Rot turned = Rot::Zero();  // relative spin
    Lin slid = Lin::Zero();    // relative velocity of P
    x.c_r.setZero();
    x.c_l.setZero();
    const auto turn_about_z = [&](const T& angle) {
      if constexpr (Rd == 3) {
        const T c = cos(angle), s = sin(angle);
        Orient frame;
        frame.col(0) = E.col(0) * c + E.col(1) * s;
        frame.col(1) = E.col(1) * c - E.col(0) * s;
        frame.col(2) = E.col(2);
        x.R = S::template product<T>(frame, axes.outer);
        x.turn[0] = E.col(2);
        turned = x.turn[0] * speed[0];
      } else {
        x.angle = (p ? p->angle : T(0.0)) + angle + n.angle_offset;
        const T c = cos(x.angle), s = sin(x.angle);
        x.R << c, -s, s, c;
        x.turn[0][0] = T(1.0);
        turned[0] = speed[0];
      }
      x.slide[0].setZero();
    };
    const auto keep_angle = [&] {
      if constexpr (Rd == 3) {
        x.R = S::template product<T>(E, axes.outer);
      } else {
        x.angle = (p ? p->angle : T(0.0)) + n.angle_offset;
        if (p)
          x.R = S::template product<T>(p->R, axes.outer);
        else
          x.R = axes.outer.template cast<T>();
      }
    };
    const auto hinge = [&] {
      if constexpr (Rd == 3) {
        const T c = cos(at[0]), s = sin(at[0]);
        const Hinge& fixed = hinges_[n.hinge];
        Orient B;
        for (int k = 0; k < 9; ++k)
          B.data()[k] =
              fixed.rest.data()[k] + c * fixed.cosine.data()[k] + s * fixed.sine.data()[k];
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
    };
    const auto slide_along = [&](int k, const Lin& axis) {
      x.turn[k].setZero();
      x.slide[k] = axis;
      x.d += axis * at[k];
      slid += axis * speed[k];
    };
    const auto travel = [&]() -> Lin {
      if constexpr (Rd == 3)
        return E.col(2);
      else if (p)
        return S::template times<T>(p->R, axes.inner.col(0));
      else
        return axes.inner.col(0).template cast<T>();
    };
    switch (n.kind) {
      case TreeKind::revolute:
        hinge();
        break;
      case TreeKind::prismatic:
        keep_angle();
        slide_along(0, travel());
        break;
      case TreeKind::fixed:
        keep_angle();
        break;
      default:
        if constexpr (Rd == 3) {
          switch (n.kind) {
            case TreeKind::cylindrical:
              turn_about_z(at[0]);
              slide_along(1, E.col(2));
              break;
            case TreeKind::screw: {
              turn_about_z(at[0]);
              x.slide[0] = E.col(2) * n.lead;
              x.d += E.col(2) * T(at[0] * n.lead + n.shift);
              slid = x.slide[0] * speed[0];
              break;
            }
            case TreeKind::planar:
              turn_about_z(at[0]);
              slide_along(1, E.col(0));
              slide_along(2, E.col(1));
              break;
            default: {  // universal: about z of the inner frame, then about z of the outer one
              const T c1 = cos(at[0]), s1 = sin(at[0]), c2 = cos(at[1]), s2 = sin(at[1]);
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
              break;
            }
          }
        }
    }
    if (n.any_driven)
      for (int k = 0; k < n.columns; ++k)
        if (n.at_drive[k] >= 0) {
          x.c_r += x.turn[k] * drive[k];
          x.c_l += x.slide[k] * drive[k];
        }
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
      // p' = L^T w' / 2 (physics 1.1)
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
Pose<T> TreeKernel<Rd>::pose(const Motion<T>& m) const {
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
void TreeKernel<Rd>::column(int node, const Motion<T>& m, int k, typename S::template Rot<T>& turn,
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
void TreeKernel<Rd>::accelerate(const Motion<T>* m, const double* free,
                                Acceleration<T>* out) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& n = nodes_[i];
    const Motion<T>& x = m[i];
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
void TreeKernel<Rd>::inverse(const Motion<T>* m, const Acceleration<T>* a,
                             const NodeWrenchT<T>* applied, NodeWrenchT<T>* out) const {
  using Rot = typename S::template Rot<T>;
  using Lin = typename S::template Lin<T>;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& n = nodes_[i];
    const Motion<T>& x = m[i];
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
template <class T, class Visit>
void TreeKernel<Rd>::walk_up(const Motion<T>* m, int node, NodeWrenchT<T> w, Visit&& visit) const {
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

template <int Rd>
template <class Set>
void TreeKernel<Rd>::mass_matrix(const Motion<double>* m, Set&& set) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) rigid(nodes_[i], m[i], work_[i]);
  RotD turn;
  LinD slide;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& n = nodes_[i];
    Work& w = work_[i];
    for (int k = 0; k < n.dofs; ++k) {
      column(static_cast<int>(i), m[i], k, turn, slide);
      NodeWrench<Rd, double> F;
      F.n = w.A * turn + w.B * slide;
      F.f = w.B.transpose() * turn + w.C * slide;
      int own = k;
      for (int j = static_cast<int>(i); j >= 0;) {
        const Node& up = nodes_[j];
        RotD turn_j;
        LinD slide_j;
        for (int l = 0; l < (own >= 0 ? own + 1 : up.dofs); ++l) {
          column(j, m[j], l, turn_j, slide_j);
          set(n.dof[k], up.dof[l], turn_j.dot(F.n) + slide_j.dot(F.f));
        }
        own = -1;
        if (up.kind == TreeKind::free) break;
        if (up.absolute()) F.n.setZero();
        F.n += S::template torque<double>(m[j].d, F.f);
        j = up.parent;
      }
    }
    if (n.parent < 0 || n.kind == TreeKind::free) continue;
    hand_up(n, m[i], w, work_[n.parent]);
  }
}

}  // namespace freeplay::dynamics
