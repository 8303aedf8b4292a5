// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics/bodies/deforming_body.hpp"
#include "dynamics/bodies/rigid_body.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

// All moving bodies of a model: where the coordinates of each lie, which frames are whose, and the
// maps between coordinates and frames. Bodies are counted from 0 here, without the ground.
namespace freeplay::dynamics {

/// Makes a body of the model; all of them are rigid unless somebody knows better.
using MakeBody = std::function<std::unique_ptr<MovingBody>(const Model&, BodyIndex)>;

class Bodies {
 public:
  Bodies(const Model& model, const MakeBody& make);

  /// The model with its joints, forces and markers on frames: Frame::body is a FrameIndex, and
  /// behind the bodies come frames attached to them, without mass. The same object where all bodies
  /// are rigid, since these have one frame each.
  [[nodiscard]] const Model& attached() const { return attached_ ? *attached_ : model_; }

  [[nodiscard]] int count() const { return static_cast<int>(list_.size()); }
  [[nodiscard]] int positions() const { return positions_; }
  [[nodiscard]] int velocities() const { return velocities_; }
  [[nodiscard]] int frames() const { return static_cast<int>(owners_.size()); }
  [[nodiscard]] bool all_rigid() const { return !attached_; }
  [[nodiscard]] bool mass_varies() const { return mass_varies_; }

  [[nodiscard]] const MovingBody& body(int b) const { return *list_[at(b)].body; }
  /// First of its positions in q, and of its velocities in v.
  [[nodiscard]] int position_of(int b) const { return list_[at(b)].q; }
  [[nodiscard]] int velocity_of(int b) const { return list_[at(b)].v; }
  /// The body that a velocity belongs to; is it one of rotation?
  [[nodiscard]] int owner_of_velocity(int v) const { return dofs_[at(v)].body; }
  [[nodiscard]] bool turns(int v) const { return dofs_[at(v)].turns; }
  /// The body that a frame moves with; not for the ground.
  [[nodiscard]] int owner(FrameIndex frame) const { return owners_[at(frame)].body; }
  /// Null: the frame's body is rigid.
  [[nodiscard]] const DeformingBody* deforming(FrameIndex frame) const {
    return frame == kGround ? nullptr : list_[at(owner(frame))].deforming;
  }
  /// The frame's number among those attached to its body; -1: the body's own.
  [[nodiscard]] int number(FrameIndex frame) const { return owners_[at(frame)].number; }

  void declare(const Scales& scales, Layout& layout) const;
  void start(double* q, double* v) const;
  void place(const double* q, const double* v, std::span<Pose<double>> frames) const;
  void accelerate(const double* q, const double* v, const double* a,
                  std::span<const Pose<double>> frames, std::span<FrameAcceleration> out) const;
  void position_rates(const double* q, const double* v, double* q_dot) const;
  /// Columns: q, then v, of all bodies.
  void position_rates_derivative(const double* q, const double* v, const Sink& sink) const;
  void displace(double* q, const double* change) const;
  void displacement(const double* from, const double* to, double* change) const;
  void normalise(double* q) const;
  void mass_times(const double* q, const double* a, double* out) const;
  void forces(const double* q, const double* v, double* out) const;
  void momentum_derivative(const double* q, const double* v, const double* a,
                           const Sink& sink) const;
  [[nodiscard]] MovingBody::Energies energies(const double* q, const double* v,
                                              std::span<const Pose<double>> frames) const;

  /// Sections of all flexible bodies, one body after the other.
  void observe(const double* q, const double* v,
               std::vector<DeformingBody::SectionState>& out) const;
  /// Adds what a wrench on a frame does to the velocities `out` of its body alone.
  void spread(const double* q, FrameIndex frame, const Wrench<double>& wrench,
              const Pose<double>& pose, double* out) const;

 private:
  struct Entry {
    std::unique_ptr<MovingBody> body;
    DeformingBody* deforming = nullptr;  // the same body
    int q = 0, v = 0;
    FrameIndex first_attached = 0;
  };
  struct Owner {
    int body = -1, number = -1;
  };
  struct Dof {
    int body;
    bool turns;
  };
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }
  void attach(const Model& model);

  const Model& model_;
  std::optional<Model> attached_;
  std::vector<Entry> list_;
  std::vector<Owner> owners_;  // of frames
  std::vector<Dof> dofs_;
  int positions_ = 0, velocities_ = 0;
  bool mass_varies_ = false;
};

}  // namespace freeplay::dynamics
