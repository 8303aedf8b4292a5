// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/scalars.hpp"
#include "dynamics/bodies/bodies.hpp"

#include <span>
#include <vector>

namespace freeplay::dynamics {

/// How frames follow from coordinates at an instant.
class FrameMaps {
 public:
  FrameMaps(const Bodies& bodies, std::span<const Pose<double>> poses, bool planar, const double* y)
      : bodies_(bodies), poses_(poses), planar_(planar), q_(y), v_(y + bodies.positions()) {
    if (bodies.all_rigid()) return;
    derivative_.resize(poses.size());
    for (FrameIndex f = 1; f < bodies.frames(); ++f)
      if (const DeformingBody* body = bodies.deforming(f))
        body->frame_derivative(q_of(f), v_of(f), bodies.number(f),
                               derivative_[static_cast<std::size_t>(f)]);
  }

  /// A frame as a function of its variables, `offset` and on.
  [[nodiscard]] Pose<PairDual> pose(FrameIndex frame, int offset) const {
    const auto var = [&](double x, int k) { return PairDual::variable(x, offset + k); };
    Pose<PairDual> pose;
    if (frame == kGround) {
      pose.r = pose.v = pose.w = Vec3T<PairDual>::Zero();
      pose.R = Mat3T<PairDual>::Identity();
    } else if (bodies_.deforming(frame)) {
      const Pose<double>& at = poses_[static_cast<std::size_t>(frame)];
      pose.R = at.R.cast<PairDual>();
      pose.angle = var(at.angle, kTurnVariable + 2);
      for (int i = 0; i < 3; ++i) {
        pose.r[i] = var(at.r[i], i);
        pose.v[i] = var(at.v[i], kVelocityVariable + i);
        pose.w[i] = var(at.w[i], kSpinVariable + i);
        for (int c = 0; c < 3; ++c) {
          const Vec3 moved = Vec3::Unit(i).cross(at.R.col(c));
          for (int k = 0; k < 3; ++k) pose.R(k, c).d[offset + kTurnVariable + i] = moved[k];
        }
      }
    } else if (planar_) {
      const double *q = q_of(frame), *v = v_of(frame);
      pose.r << var(q[0], 0), var(q[1], 1), PairDual(0);
      pose.angle = var(q[2], 2);
      pose.R = rotation_about_z(pose.angle);
      pose.v << var(v[0], 7), var(v[1], 8), PairDual(0);
      pose.w << PairDual(0), PairDual(0), var(v[2], 9);
    } else {
      const double *q = q_of(frame), *v = v_of(frame);
      pose.r << var(q[0], 0), var(q[1], 1), var(q[2], 2);
      pose.R = rotation_matrix(var(q[3], 3), var(q[4], 4), var(q[5], 5), var(q[6], 6));
      pose.v << var(v[0], 7), var(v[1], 8), var(v[2], 9);
      pose.w = pose.R * Vec3T<PairDual>(var(v[3], 10), var(v[4], 11), var(v[5], 12));
    }
    return pose;
  }

  /// give(column of y, derivative), from the derivatives by a frame's variables, `offset` and on.
  template <class Give>
  void coordinates(FrameIndex frame, const PairDual& x, int offset, Give&& give) const {
    if (frame == kGround) return;
    const int b = bodies_.owner(frame), q = bodies_.position_of(b),
              v = bodies_.positions() + bodies_.velocity_of(b);
    const int nq = bodies_.body(b).positions(), nv = bodies_.body(b).velocities();
    if (!bodies_.deforming(frame)) {
      for (int c = 0; c < nq; ++c) give(q + c, x.d[offset + c]);
      for (int c = 0; c < nv; ++c) give(v + c, x.d[offset + kVelocityVariable + c]);
      return;
    }
    const MatX& map = derivative_[static_cast<std::size_t>(frame)];
    const auto along = [&](int c) {
      double sum = 0;
      for (int k = 0; k < kBodyVariables; ++k) sum += x.d[offset + k] * map(k, c);
      return sum;
    };
    const DeformingBody::Reach reach = bodies_.deforming(frame)->reach(bodies_.number(frame));
    for (int c = reach.q; c < reach.q + reach.positions; ++c) give(q + c, along(c));
    for (int c = reach.v; c < reach.v + reach.velocities; ++c) give(v + c, along(nq + c));
  }

  [[nodiscard]] const Bodies& bodies() const { return bodies_; }
  [[nodiscard]] bool planar() const { return planar_; }
  [[nodiscard]] const double* q_of(FrameIndex frame) const {
    return q_ + bodies_.position_of(bodies_.owner(frame));
  }
  [[nodiscard]] const double* v_of(FrameIndex frame) const {
    return v_ + bodies_.velocity_of(bodies_.owner(frame));
  }
  /// Columns of a body's own q and v among those of y.
  [[nodiscard]] int column(FrameIndex frame, int own) const {
    const int b = bodies_.owner(frame), nq = bodies_.body(b).positions();
    return own < nq ? bodies_.position_of(b) + own
                    : bodies_.positions() + bodies_.velocity_of(b) + own - nq;
  }

 private:
  const Bodies& bodies_;
  std::span<const Pose<double>> poses_;
  bool planar_;
  const double *q_, *v_;
  std::vector<MatX> derivative_;
};

}  // namespace freeplay::dynamics
