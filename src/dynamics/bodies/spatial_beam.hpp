// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/bodies/deforming_body.hpp"

#include <memory>
#include <span>
#include <vector>

// A slender beam that bends, twists and stretches as far as it likes, in space: nodes that move as
// rigid bodies do, and between two of them an element of constant strain (theory/spatial_beams).
namespace freeplay::dynamics {

/// Positions and velocities of each node are those of a rigid body there. Node axes are the body's
/// as long as the beam is straight; the body's own frame is that of the node in its middle.
class SpatialBeam final : public DeformingBody {
 public:
  /// The body is flexible. Joints, forces and markers will act on it at `points`, body axes.
  SpatialBeam(const Model& model, BodyIndex body, std::span<const Vec3> points);
  ~SpatialBeam() override;

  void declare(const std::string& path, const Scales& scales, Layout& layout) const override;
  [[nodiscard]] bool floats() const override { return false; }
  [[nodiscard]] int quaternion_at() const override { return 7 * fixture(-1).node + 3; }
  [[nodiscard]] bool turns(int velocity) const override { return velocity % 6 >= 3; }
  /// Straight, moving as the rigid body would.
  void start(double* q, double* v) const override;

  int attach(const Vec3& point) override;
  [[nodiscard]] int attached() const override { return static_cast<int>(fixtures_.size()) - 1; }
  [[nodiscard]] Reach reach(int frame) const override;
  [[nodiscard]] int sections() const override;
  void observe(const double* q, const double* v, std::span<SectionState> out) const override;

  void place(const double* q, const double* v, Pose<double>& own,
             Pose<double>* attached) const override;
  void accelerate(const double* q, const double* v, const double* a, const Pose<double>& own,
                  FrameAcceleration& out, FrameAcceleration* attached) const override;
  void position_rates(const double* q, const double* v, double* q_dot) const override;
  void position_rates_derivative(const double* q, const double* v, const Sink& sink) const override;
  void displace(double* q, const double* change) const override;
  void displacement(const double* from, const double* to, double* change) const override;
  void normalise(double* q) const override;

  [[nodiscard]] bool couples(int i, int j) const override { return i / 6 - j / 6 <= 1; }
  [[nodiscard]] bool mass_varies() const override { return true; }
  void mass(const double* q, MatX& block) const override;
  void mass_times(const double* q, const double* a, double* out) const override;
  void forces(const double* q, const double* v, double* out) const override;
  void momentum_derivative(const double* q, const double* v, const double* a,
                           const Sink& sink) const override;
  [[nodiscard]] Energies energies(const double* q, const double* v,
                                  const Pose<double>& own) const override;
  [[nodiscard]] bool dissipates() const override { return beam_.damping_time > 0; }
  [[nodiscard]] double dissipated_power(const double* q, const double* v) const override;
  void dissipated_power_derivative(const double* q, const double* v,
                                   const Sink& sink) const override;

  void spread(const double* q, int frame, const Wrench<double>& wrench, double* out) const override;
  void spread_derivative(const double* q, int frame, const Wrench<double>& wrench,
                         const Sink& sink) const override;
  void frame_derivative(const double* q, const double* v, int frame, MatX& out) const override;
  void acceleration_derivative(const double* q, const double* v, const double* a, int frame,
                               const Vec3& row_v, const Vec3& row_w,
                               const Sink& sink) const override;

 private:
  /// A node as elements see it. kNode variables of it, in this order, are differentiated by.
  template <class T>
  struct Node;
  static constexpr int kNode = 13;
  /// What a straight element is made of, body axes.
  struct Element {
    double length = 0;
    double axial = 0;      // stiffness against stretch; N/m
    Mat3 lateral, couple;  // against u across the axis, and against psi; N/m, N m
    double mass[4][4];     // of (r, t) of both nodes, for each direction; kg, kg m, kg m^2
    double weight[4];      // its integrals over the element, for gravity; kg, kg m
  };
  /// Strains times the length of an element, and their rates: (SB.1) to (SB.4).
  template <class T>
  struct Strain;
  /// A frame fixed to a node.
  struct Fixture {
    int node = 0;
    Vec3 offset = Vec3::Zero();  // m
  };

  SpatialBeam(const Model& model, BodyIndex body, std::vector<double> places);
  [[nodiscard]] static std::vector<double> beam_nodes_of(const Model& model, BodyIndex body,
                                                         std::span<const Vec3> points);
  [[nodiscard]] int nodes() const { return static_cast<int>(places_.size()); }
  [[nodiscard]] const Fixture& fixture(int frame) const {
    return fixtures_[static_cast<std::size_t>(frame + 1)];
  }
  [[nodiscard]] Fixture fixture_at(const Vec3& point) const;
  template <class T>
  void strain(const Element& element, const Node<T>& a, const Node<T>& b, Strain<T>& out) const;
  template <class T>
  void stress(const Element& element, const Strain<T>& is, Vec3T<T>& n, Vec3T<T>& m) const;
  template <class T>
  [[nodiscard]] T loss(const Element& element, const Strain<T>& is) const;
  /// Mass times acceleration less weight, forces of inertia and elasticity of an element, on both
  /// of its nodes; added to `on_a`, `on_b`: force, global axes, then moment, body axes.
  template <class T>
  void element_momentum(const Element& element, const Node<T>& a, const Node<T>& b, T* on_a,
                        T* on_b) const;
  /// The same of what turns with a node.
  template <class T>
  void node_momentum(int node, const Node<T>& at, T* on) const;
  /// A node, with accelerations or without; its first variable in dual numbers.
  template <class T>
  static Node<T> read(const double* q, const double* v, const double* a, int first_variable);
  template <class T>
  [[nodiscard]] Pose<T> frame_on(const Node<T>& node, const Vec3& offset) const;
  template <class T>
  [[nodiscard]] Pose<T> acceleration_on(const Node<T>& node, const Vec3& offset) const;

  const Body& body_;
  Vec3 gravity_;
  Flexible beam_;
  Mat3 axes_;                   // axis and section of the straight beam, body axes
  std::vector<double> places_;  // of the nodes, from the middle; m
  std::vector<Element> elements_;
  std::vector<Mat3> turning_;         // inertia of the sections that go with a node; kg m^2
  std::vector<Fixture> fixtures_;     // the body's own, then those attached
  std::unique_ptr<MovingBody> node_;  // coordinates of a rigid body
};

}  // namespace freeplay::dynamics
