// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/pose.hpp"
#include <freeplay/layout.hpp>
#include <freeplay/model.hpp>

#include <functional>
#include <string>

// A body as the Cartesian formulation sees it: coordinates of its own, the mass that goes with
// them, and frames that move as they say. Joints, forces and contacts see nothing of a body but its
// frames, and hand wrenches on frames back; how many coordinates stand behind them is the body's
// affair (rigid_body.hpp, deforming_body.hpp; all of them together: bodies.hpp).
namespace freeplay::dynamics {

/// Into the frames of a mechanism. 0 is the ground, then comes one for every body, then those that
/// deforming bodies put where joints and forces act on them.
using FrameIndex = int;

/// Accelerations of a frame: of its origin, and angular; global axes.
struct FrameAcceleration {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
};

/// Receives derivatives one by one; several with the same place add up.
using Sink = std::function<void(int row, int column, double value)>;

/// In all that follows q and v are the body's own positions and velocities; columns of derivatives
/// count q first, then v. Those of a rigid body are those of its own frame: position and Euler
/// parameters, velocity and angular velocity in its own axes; in the plane x, y, angle and their
/// rates.
class MovingBody {
 public:
  virtual ~MovingBody() = default;

  [[nodiscard]] int positions() const { return positions_; }
  [[nodiscard]] int velocities() const { return velocities_; }

  /// Its blocks of the state, positions and velocities, below `path`.
  virtual void declare(const std::string& path, const Scales& scales, Layout& layout) const = 0;
  /// Are its first coordinates those of a rigid body, of its own frame?
  [[nodiscard]] virtual bool floats() const { return true; }
  /// In space: where the Euler parameters of its own frame are among its positions.
  [[nodiscard]] virtual int quaternion_at() const { return 3; }
  /// Is this velocity measured in rad/s?
  [[nodiscard]] virtual bool turns(int velocity) const = 0;
  /// Positions and velocities as the model writes them.
  virtual void start(double* q, double* v) const = 0;

  /// The frame of the body itself, and those that were attached to it, one behind the other.
  virtual void place(const double* q, const double* v, Pose<double>& own,
                     Pose<double>* attached) const = 0;
  /// Accelerations of these frames, when the velocities change at the rates `a`.
  virtual void accelerate(const double* q, const double* v, const double* a,
                          const Pose<double>& own, FrameAcceleration& out,
                          FrameAcceleration* attached) const = 0;
  virtual void position_rates(const double* q, const double* v, double* q_dot) const = 0;
  virtual void position_rates_derivative(const double* q, const double* v,
                                         const Sink& sink) const = 0;
  /// Moves q along a small change that is measured like velocities; and what leads from one
  /// position to another.
  virtual void displace(double* q, const double* change) const = 0;
  virtual void displacement(const double* from, const double* to, double* change) const = 0;
  /// Takes out of q what is no motion: the length of Euler parameters.
  virtual void normalise(double* /*q*/) const {}

  /// May velocities i > j be coupled by its mass?
  [[nodiscard]] virtual bool couples(int i, int j) const = 0;
  /// Does the mass depend on q?
  [[nodiscard]] virtual bool mass_varies() const { return false; }
  /// Replaces `block`; one of its size may keep what is not coupled, which nobody looks at.
  virtual void mass(const double* q, MatX& block) const = 0;
  virtual void mass_times(const double* q, const double* a, double* out) const = 0;
  /// Weight, forces of inertia that are no acceleration of v, and elasticity of its own; replaces
  /// `out`.
  virtual void forces(const double* q, const double* v, double* out) const = 0;
  /// Derivatives of mass_times(a) less forces.
  virtual void momentum_derivative(const double* q, const double* v, const double* a,
                                   const Sink& sink) const = 0;
  struct Energies {
    double kinetic = 0, potential = 0, elastic = 0;  ///< J
  };
  [[nodiscard]] virtual Energies energies(const double* q, const double* v,
                                          const Pose<double>& own) const = 0;
  /// Is there damping of its own among its forces?
  [[nodiscard]] virtual bool dissipates() const { return false; }
  /// The power of that damping, never positive; W. And its derivatives, all in row 0.
  [[nodiscard]] virtual double dissipated_power(const double* /*q*/, const double* /*v*/) const {
    return 0;
  }
  virtual void dissipated_power_derivative(const double* /*q*/, const double* /*v*/,
                                           const Sink& /*sink*/) const {}

 protected:
  MovingBody(int positions, int velocities) : positions_(positions), velocities_(velocities) {}

 private:
  int positions_, velocities_;
};

}  // namespace freeplay::dynamics
