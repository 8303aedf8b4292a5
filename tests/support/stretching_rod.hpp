// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/views.hpp"
#include "dynamics/bodies/deforming_body.hpp"

#include <vector>

// A slender rod along its x axis that stretches evenly: the simplest body that deforms, with one
// coordinate more than a rigid one. s is what its length l has grown by, so that the point X of the
// undeformed rod lies at X + s X_x / l x. With m its mass and I0 = m l^2 / 12,
//
//   T = m v.v / 2 + I_xx w_x^2 / 2 + I0 (1 + s/l)^2 (w_y^2 + w_z^2) / 2 + (m / 12) s'^2 / 2
//   V = - m g.r + k s^2 / 2
//
// Not in the model file: it shows that a kind of body is one file, and keeps the maps between
// frames and coordinates honest.
namespace freeplay::testing {

class StretchingRod final : public dynamics::DeformingBodyOf<StretchingRod> {
 public:
  StretchingRod(const Model& model, BodyIndex body, double length, double stiffness)
      : DeformingBodyOf(8, 7),
        body_(model.bodies[static_cast<std::size_t>(body)]),
        gravity_(model.gravity),
        l_(length),
        k_(stiffness) {}

  void declare(const std::string& path, const Scales& s, Layout& layout) const override {
    using enum BlockKind;
    layout.declare({path + "/position", position, 3, "m", s.length});
    layout.declare({path + "/quaternion", position, 4, "1", 1});
    layout.declare({path + "/stretch", position, 1, "m", s.length});
    layout.declare({path + "/velocity", velocity, 3, "m/s", s.length / s.time});
    layout.declare({path + "/angular_velocity", velocity, 3, "rad/s", 1 / s.time});
    layout.declare({path + "/stretch_rate", velocity, 1, "m/s", s.length / s.time});
  }
  [[nodiscard]] bool turns(int velocity) const override { return velocity >= 3 && velocity < 6; }
  void start(double* q, double* v) const override {
    vec3(q) = body_.position;
    vec4(q + 3) = body_.orientation;
    vec3(v) = body_.velocity.value_or(Vec3::Zero());
    vec3(v + 3) = body_.angular_velocity.value_or(Vec3::Zero());
    q[7] = v[6] = 0;
  }
  int attach(const Vec3& point) override {
    points_.push_back(point);
    return attached() - 1;
  }
  [[nodiscard]] int attached() const override { return static_cast<int>(points_.size()); }

  void displace(double* q, const double* change) const override {
    vec3(q) += vec3(change);
    vec4(q + 3) =
        quaternion_product(Vec4(vec4(q + 3)), quaternion_exp(vec3(change + 3))).normalized();
    q[7] += change[6];
  }
  void displacement(const double* from, const double* to, double* change) const override {
    vec3(change) = vec3(to) - vec3(from);
    const Vec4 turn =
        quaternion_product(Vec4(from[3], -from[4], -from[5], -from[6]), Vec4(vec4(to + 3)));
    vec3(change + 3) = 2 * turn.tail<3>();
    change[6] = to[7] - from[7];
  }
  void normalise(double* q) const override { vec4(q + 3).normalize(); }
  [[nodiscard]] Energies energies(const double* q, const double* v,
                                  const Pose<double>& own) const override {
    const double e = 1 + q[7] / l_;
    return {0.5 * (body_.mass * vec3(v).squaredNorm() + body_.inertia(0, 0) * v[3] * v[3] +
                   inertia() * e * e * (v[4] * v[4] + v[5] * v[5]) + body_.mass / 12 * v[6] * v[6]),
            -body_.mass * gravity_.dot(own.r), 0.5 * k_ * q[7] * q[7]};
  }

  template <class T>
  void frames(const T* q, const T* v, Pose<T>& own, Pose<T>* attached) const {
    own.r = {q[0], q[1], q[2]};
    own.R = rotation_matrix(q[3], q[4], q[5], q[6]);
    own.v = {v[0], v[1], v[2]};
    own.w = own.R * Vec3T<T>(v[3], v[4], v[5]);
    for (std::size_t f = 0; f < points_.size(); ++f) {
      const Vec3T<T> arm = own.R * placed(q, points_[f]);
      attached[f] = own;
      attached[f].r = own.r + arm;
      attached[f].v = own.v + own.w.cross(arm) + own.R.col(0) * (v[6] * share(points_[f]));
    }
  }
  template <class T>
  void spread_on(const T* q, int frame, const Wrench<T>& wrench, T* out) const {
    const Mat3T<T> R = rotation_matrix(q[3], q[4], q[5], q[6]);
    const Vec3T<T> force = R.transpose() * wrench.force;
    Vec3T<T> moment = R.transpose() * wrench.moment;
    if (frame >= 0) {
      const Vec3& point = points_[static_cast<std::size_t>(frame)];
      moment += placed(q, point).cross(force);
      out[6] += force[0] * share(point);
    }
    for (int i = 0; i < 3; ++i) out[i] += wrench.force[i], out[3 + i] += moment[i];
  }
  template <class T>
  Pose<T> acceleration(const T* q, const T* v, const double* a, int frame) const {
    const Mat3T<T> R = rotation_matrix(q[3], q[4], q[5], q[6]);
    const Vec3T<T> w = R * Vec3T<T>(v[3], v[4], v[5]), alpha = R * Vec3(a[3], a[4], a[5]);
    Pose<T> out;
    out.v = Vec3(a[0], a[1], a[2]).cast<T>();
    out.w = alpha;
    if (frame < 0) return out;
    const Vec3& point = points_[static_cast<std::size_t>(frame)];
    const Vec3T<T> arm = R * placed(q, point), x = R.col(0);
    out.v += alpha.cross(arm) + w.cross(w.cross(arm)) + w.cross(x) * (2.0 * v[6] * share(point)) +
             x * T(a[6] * share(point));
    return out;
  }
  template <class T>
  void momentum(const T* q, const T* v, const T* a, T* out) const {
    const T e = 1.0 + q[7] / l_, I = inertia() * e * e, I_s = 2.0 / l_ * inertia() * e;
    const Vec3T<T> w(v[3], v[4], v[5]), h(body_.inertia(0, 0) * w[0], I * w[1], I * w[2]);
    const Vec3T<T> gyroscopic = w.cross(h);
    for (int i = 0; i < 3; ++i) out[i] = body_.mass * (a[i] - gravity_[i]);
    out[3] = body_.inertia(0, 0) * a[3] + gyroscopic[0];
    out[4] = I * a[4] + I_s * v[6] * w[1] + gyroscopic[1];
    out[5] = I * a[5] + I_s * v[6] * w[2] + gyroscopic[2];
    out[6] = body_.mass / 12 * a[6] - 0.5 * I_s * (w[1] * w[1] + w[2] * w[2]) + k_ * q[7];
  }
  template <class T>
  void rates(const T* q, const T* v, T* q_dot) const {
    for (int i = 0; i < 3; ++i) q_dot[i] = v[i];
    q_dot[3] = 0.5 * (-q[4] * v[3] - q[5] * v[4] - q[6] * v[5]);
    q_dot[4] = 0.5 * (q[3] * v[3] - q[6] * v[4] + q[5] * v[5]);
    q_dot[5] = 0.5 * (q[6] * v[3] + q[3] * v[4] - q[4] * v[5]);
    q_dot[6] = 0.5 * (-q[5] * v[3] + q[4] * v[4] + q[3] * v[5]);
    q_dot[7] = v[6];
  }

 private:
  [[nodiscard]] double inertia() const { return body_.mass * l_ * l_ / 12; }
  [[nodiscard]] double share(const Vec3& point) const { return point[0] / l_; }
  template <class T>
  Vec3T<T> placed(const T* q, const Vec3& point) const {
    Vec3T<T> out = point.cast<T>();
    out[0] += q[7] * share(point);
    return out;
  }

  const Body& body_;
  Vec3 gravity_;
  double l_, k_;
  std::vector<Vec3> points_;
};

}  // namespace freeplay::testing
