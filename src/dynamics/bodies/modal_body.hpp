// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/bodies/deforming_body.hpp"
#include "dynamics/bodies/modal_basis.hpp"

#include <memory>

// A body that deforms a little, seen from a frame that moves along with it as a rigid body would:
// the coordinates of that body, then the amplitude of each mode (theory/modal_bodies). A point of
// the axis, X away from the middle, lies at
//
//   u(X) = X e + psi(X) eta - (1/2) e eta^T G(X) eta                                       (MO.1)
//
// from the body's frame. The last term keeps the length of an axis that bends; without it a beam
// that turns would be pulled apart instead of straightened.
namespace freeplay::dynamics {

/// Largest number of modes of a body: their sums live on the stack.
inline constexpr int kMostModes = 96;

class ModalBody final : public DeformingBodyOf<ModalBody> {
 public:
  /// The body is flexible. Joints and forces will act on it where it is loaded, markers look at it
  /// where it is watched; body axes.
  ModalBody(const Model& model, BodyIndex body, std::span<const Vec3> loaded,
            std::span<const Vec3> watched);
  ~ModalBody() override;

  void declare(const std::string& path, const Scales& scales, Layout& layout) const override;
  [[nodiscard]] bool turns(int velocity) const override {
    return velocity < rigid_v() && rigid_->turns(velocity);
  }
  /// Straight, moving as the rigid body would.
  void start(double* q, double* v) const override;
  int attach(const Vec3& point) override;
  [[nodiscard]] int attached() const override { return static_cast<int>(frames_.size()); }
  [[nodiscard]] int sections() const override { return static_cast<int>(basis_.sections.size()); }
  void observe(const double* q, const double* v, std::span<SectionState> out) const override;

  void displace(double* q, const double* change) const override;
  void displacement(const double* from, const double* to, double* change) const override;
  void normalise(double* q) const override { rigid_->normalise(q); }

  void mass(const double* q, MatX& block) const override;
  void mass_times(const double* q, const double* a, double* out) const override;
  void forces(const double* q, const double* v, double* out) const override;
  [[nodiscard]] Energies energies(const double* q, const double* v,
                                  const Pose<double>& own) const override;
  [[nodiscard]] bool dissipates() const override { return damping_.maxCoeff() > 0; }
  [[nodiscard]] double dissipated_power(const double* q, const double* v) const override;
  void dissipated_power_derivative(const double* q, const double* v,
                                   const Sink& sink) const override;

  template <class T>
  void frames(const T* q, const T* v, Pose<T>& own, Pose<T>* attached) const;
  template <class T>
  void spread_on(const T* q, int frame, const Wrench<T>& wrench, T* out) const;
  template <class T>
  Pose<T> acceleration(const T* q, const T* v, const double* a, int frame) const;
  template <class T>
  void momentum(const T* q, const T* v, const T* a, T* out) const;
  template <class T>
  void rates(const T* q, const T* v, T* q_dot) const;

  [[nodiscard]] const ModalBasis& basis() const { return basis_; }

 private:
  ModalBody(const Model& model, BodyIndex body, ModalBasis basis);
  template <class T>
  using Modes = Eigen::Matrix<T, Eigen::Dynamic, 1, 0, kMostModes, 1>;
  /// What the deformation makes of the body's inertia, (MO.4) to (MO.6).
  template <class T>
  struct Inertia;
  /// A frame as the body sees it, and the motion that the deformation gives it.
  template <class T>
  struct Fixture;
  /// A frame: fixed to the section of a station.
  struct Attached {
    int station;
    Vec3 offset;  // from its place, body axes; m
  };

  [[nodiscard]] int rigid_q() const { return planar_ ? 3 : 7; }
  [[nodiscard]] int rigid_v() const { return planar_ ? 3 : 6; }
  template <class T>
  [[nodiscard]] Modes<T> amplitudes(const T* from) const;
  template <class T>
  [[nodiscard]] Mat3T<T> rotation(const T* q) const;
  /// A velocity or acceleration of the rigid coordinates: of the frame's origin, global axes, and
  /// angular, body axes.
  template <class T>
  void split(const T* v, Vec3T<T>& linear, Vec3T<T>& angular) const;
  template <class T>
  void put(const Vec3T<T>& linear, const Vec3T<T>& angular, T* out) const;
  template <class T>
  void inertia(const Modes<T>& eta, Inertia<T>& out) const;
  template <class T>
  void fixture(int frame, const Modes<T>& eta, const Modes<T>& rate, Fixture<T>& out) const;

  std::unique_ptr<MovingBody> rigid_;
  const Body& body_;
  Vec3 gravity_;
  bool planar_;
  ModalBasis basis_;
  VecX stiffness_, damping_;  // of each mode of unit mass; 1/s^2, 1/s
  std::vector<Attached> frames_;
};

}  // namespace freeplay::dynamics
