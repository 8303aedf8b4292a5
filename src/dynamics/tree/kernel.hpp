// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/pose.hpp"
#include "dynamics/tree/space.hpp"
#include "dynamics/tree/topology.hpp"
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
  using Moving = NodeMotion<Rd, T>;
  template <class T>
  using Acceleration = NodeAcceleration<Rd, T>;
  template <class T>
  using NodeWrenchT = NodeWrench<Rd, T>;

  /// A node as the recursions need it. Column k has the coordinate q[at_q[k]] and the speed
  /// v[at_v[k]], or is prescribed by drive at_drive[k]. What every sweep reads comes first, here,
  /// in Moving and in Work: long chains outgrow the cache, and are as fast as memory is.
  struct Node {
    int parent = -1, last_child = -1;
    TreeKind kind = TreeKind::free;
    bool leaf = true, any_driven = false;
    bool single_root = false;  ///< one free column on the ground: only projections on it matter
    int q = 0, v = 0;          ///< first coordinate and speed of balls and free bodies
    int columns = 0, dofs = 0;
    BodyIndex body;
    int hinge = -1;      ///< of revolute joints in space
    int constants = -1;  ///< of leaves that carry their own orientation
    double mass = 0;
    typename S::template A<double> inertia = S::template A<double>::Zero();  ///< about P, body axes
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

  TreeKernel(const Model& model, const Topology& topology);
  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const Frames& frames(std::size_t node) const { return frames_[node]; }
  [[nodiscard]] std::vector<Prescribed>& prescribed() { return prescribed_; }
  [[nodiscard]] const std::vector<Prescribed>& prescribed() const { return prescribed_; }
  [[nodiscard]] int positions() const { return nq_; }
  [[nodiscard]] int speeds() const { return nv_; }
  [[nodiscard]] int dofs() const { return nv_ + static_cast<int>(prescribed_.size()); }

  /// jet(d): value and derivatives of prescribed column d.
  template <class T, class Drive>
  void move(const T* q, const T* v, Moving<T>* out, Drive&& jet) const;
  template <class T>
  void move(const T* q, const T* v, Moving<T>* out) const {
    move(q, v, out, [this](int d) -> const Jet& { return prescribed_[d].jet; });
  }
  template <class T>
  void position_rates(const T* q, const T* v, T* rates) const;
  template <class T>
  Pose<T> pose(const Moving<T>& m) const;
  /// Column k of a node, among all its dofs.
  template <class T>
  void column(int node, const Moving<T>& m, int k, typename S::template Rot<T>& turn,
              typename S::template Lin<T>& slide) const;
  /// Accelerations of the nodes for given ones of the dofs (null: none), drives included.
  template <class T>
  void accelerate(const Moving<T>* m, const double* free, Acceleration<T>* out) const;
  /// Wrenches that the joints must hand out for these accelerations; `applied` acts on each node,
  /// about P. Gravity is added here.
  template <class T>
  void inverse(const Moving<T>* m, const Acceleration<T>* a, const NodeWrenchT<T>* applied,
               NodeWrenchT<T>* out) const;
  /// Wrench about the centre of mass, global axes, as one about P.
  template <class T>
  static NodeWrenchT<T> about_joint(const Wrench<T>& wrench, const Moving<T>& m) {
    NodeWrenchT<T> out;
    out.f = S::template linear_part<T>(wrench.force);
    out.n = S::template rotation_part<T>(wrench.moment) + S::template torque<T>(m.c, out.f);
    return out;
  }
  /// visit(dof, value) of the generalised force of a wrench on a node.
  template <class T, class Visit>
  void walk_up(const Moving<T>* m, int node, NodeWrenchT<T> w, Visit&& visit) const;

  /// Kinetic energy of all nodes, and their potential in gravity; J.
  template <class T>
  [[nodiscard]] std::pair<T, T> energies(const Moving<T>* m) const;

  /// Leaves that carry their own orientation: what elimination leaves is constant in body axes.
  struct Leaf {
    typename S::template A<double> inverse;  // A^-1
    typename S::template B<double> AB;       // A^-1 B
    typename S::template C<double> C;        // C - B^T A^-1 B
  };
  [[nodiscard]] const std::vector<Leaf>& leaves() const { return leaves_; }
  [[nodiscard]] const LinD& gravity() const { return gravity_; }

 private:
  void place_body(int node, const Model& model, const Topology& topology);
  void place_joint(int node, const Model& model, const Topology& topology);
  void count_dofs(int node, const TreeNode& from);
  void prepare_constants(int node);
  /// A node that carries its own orientation; `parent` is null on the ground.
  template <class T>
  void move_absolute(const Node& n, const T* q, const T* v, const Moving<T>* parent,
                     Moving<T>& x) const;

  std::vector<Node> nodes_;
  std::vector<Frames> frames_;  // of each node
  std::vector<Leaf> leaves_;
  std::vector<Hinge> hinges_;
  std::vector<Prescribed> prescribed_;
  int nq_ = 0, nv_ = 0;
  LinD gravity_ = LinD::Zero();
};

}  // namespace freeplay::dynamics

#include "dynamics/tree/sweeps.hpp"  // IWYU pragma: export
