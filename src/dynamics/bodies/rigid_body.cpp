// SPDX-License-Identifier: Apache-2.0
#include "dynamics/bodies/rigid_body.hpp"

#include "core/views.hpp"

#include <cmath>

namespace freeplay::dynamics {
namespace {

class PlanarBody final : public MovingBody {
 public:
  PlanarBody(const Body& body, const Vec3& gravity)
      : MovingBody(3, 3), body_(body), gravity_(gravity) {}

  void declare(const std::string& path, const Scales& s, Layout& layout) const override {
    using enum BlockKind;
    layout.declare({path + "/position", position, 2, "m", s.length});
    layout.declare({path + "/angle", position, 1, "rad", 1});
    layout.declare({path + "/velocity", velocity, 2, "m/s", s.length / s.time});
    layout.declare({path + "/angular_velocity", velocity, 1, "rad/s", 1 / s.time});
  }
  [[nodiscard]] bool turns(int velocity) const override { return velocity == 2; }
  void start(double* q, double* v) const override {
    const Vec3 velocity = body_.velocity.value_or(Vec3::Zero());
    q[0] = body_.position[0], q[1] = body_.position[1], q[2] = body_.angle;
    v[0] = velocity[0], v[1] = velocity[1];
    v[2] = body_.angular_velocity.value_or(Vec3::Zero())[2];
  }

  void place(const double* q, const double* v, Pose<double>& pose, Pose<double>*) const override {
    pose.r = {q[0], q[1], 0};
    pose.angle = q[2];
    pose.R = rotation_about_z(q[2]);
    pose.v = {v[0], v[1], 0};
    pose.w = {0, 0, v[2]};
  }
  void accelerate(const double*, const double*, const double* a, const Pose<double>&,
                  FrameAcceleration& out, FrameAcceleration*) const override {
    out = {{a[0], a[1], 0}, {0, 0, a[2]}};
  }
  void position_rates(const double*, const double* v, double* q_dot) const override {
    q_dot[0] = v[0], q_dot[1] = v[1], q_dot[2] = v[2];
  }
  void position_rates_derivative(const double*, const double*, const Sink& sink) const override {
    for (int c = 0; c < 3; ++c) sink(c, 3 + c, 1);
  }
  void displace(double* q, const double* change) const override {
    for (int c = 0; c < 3; ++c) q[c] += change[c];
  }
  void displacement(const double* from, const double* to, double* change) const override {
    for (int c = 0; c < 3; ++c) change[c] = to[c] - from[c];
  }

  [[nodiscard]] bool couples(int, int) const override { return false; }
  void mass(const double*, MatX& block) const override {
    block.setZero(3, 3);
    block.diagonal() << body_.mass, body_.mass, body_.inertia(2, 2);
  }
  void mass_times(const double*, const double* a, double* out) const override {
    out[0] = body_.mass * a[0], out[1] = body_.mass * a[1], out[2] = body_.inertia(2, 2) * a[2];
  }
  void forces(const double*, const double*, double* out) const override {
    out[0] = body_.mass * gravity_[0], out[1] = body_.mass * gravity_[1], out[2] = 0;
  }
  void momentum_derivative(const double*, const double*, const double*,
                           const Sink&) const override {}
  [[nodiscard]] Energies energies(const double*, const double* v,
                                  const Pose<double>& own) const override {
    return {0.5 * (body_.mass * (v[0] * v[0] + v[1] * v[1]) + body_.inertia(2, 2) * v[2] * v[2]),
            -(body_.mass * gravity_.dot(own.r)), 0};
  }

 private:
  const Body& body_;
  Vec3 gravity_;
};

class SpatialBody final : public MovingBody {
 public:
  SpatialBody(const Body& body, const Vec3& gravity)
      : MovingBody(7, 6), body_(body), gravity_(gravity) {}

  void declare(const std::string& path, const Scales& s, Layout& layout) const override {
    using enum BlockKind;
    layout.declare({path + "/position", position, 3, "m", s.length});
    layout.declare({path + "/quaternion", position, 4, "1", 1});
    layout.declare({path + "/velocity", velocity, 3, "m/s", s.length / s.time});
    layout.declare({path + "/angular_velocity", velocity, 3, "rad/s", 1 / s.time});
  }
  [[nodiscard]] bool turns(int velocity) const override { return velocity >= 3; }
  void start(double* q, double* v) const override {
    vec3(q) = body_.position;
    vec4(q + 3) = body_.orientation;
    vec3(v) = body_.velocity.value_or(Vec3::Zero());
    vec3(v + 3) = body_.angular_velocity.value_or(Vec3::Zero());
  }

  void place(const double* q, const double* v, Pose<double>& pose, Pose<double>*) const override {
    pose.r = {q[0], q[1], q[2]};
    pose.R = rotation_matrix(q[3], q[4], q[5], q[6]);
    pose.v = {v[0], v[1], v[2]};
    pose.w = pose.R * Vec3(v[3], v[4], v[5]);
  }
  void accelerate(const double*, const double*, const double* a, const Pose<double>& own,
                  FrameAcceleration& out, FrameAcceleration*) const override {
    out = {vec3(a), own.R * vec3(a + 3)};
  }
  void position_rates(const double* q, const double* v, double* q_dot) const override {
    q_dot[0] = v[0], q_dot[1] = v[1], q_dot[2] = v[2];
    // p' = L^T w' / 2, theory/multibody (M.2)
    const double e0 = q[3], e1 = q[4], e2 = q[5], e3 = q[6], x = v[3], w = v[4], z = v[5];
    q_dot[3] = 0.5 * (-e1 * x - e2 * w - e3 * z);
    q_dot[4] = 0.5 * (e0 * x - e3 * w + e2 * z);
    q_dot[5] = 0.5 * (e3 * x + e0 * w - e1 * z);
    q_dot[6] = 0.5 * (-e2 * x + e1 * w + e0 * z);
  }
  void position_rates_derivative(const double* q, const double* v,
                                 const Sink& sink) const override {
    for (int c = 0; c < 3; ++c) sink(c, 7 + c, 1);
    const double *p = q + 3, *w = v + 3;
    Eigen::Matrix<double, 4, 4> dp;  // of p' with respect to p
    dp << 0, -w[0], -w[1], -w[2], w[0], 0, w[2], -w[1], w[1], -w[2], 0, w[0], w[2], w[1], -w[0], 0;
    Eigen::Matrix<double, 4, 3> dw;  // of p' with respect to w'
    dw << -p[1], -p[2], -p[3], p[0], -p[3], p[2], p[3], p[0], -p[1], -p[2], p[1], p[0];
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j)
        if (i != j) sink(3 + i, 3 + j, 0.5 * dp(i, j));
      for (int j = 0; j < 3; ++j) sink(3 + i, 10 + j, 0.5 * dw(i, j));
    }
  }
  void displace(double* q, const double* change) const override {
    vec3(q) += vec3(change);
    auto p = vec4(q + 3);
    p = quaternion_product(Vec4(p), quaternion_exp(vec3(change + 3)));
    p.normalize();
  }
  void displacement(const double* from, const double* to, double* change) const override {
    for (int c = 0; c < 3; ++c) change[c] = to[c] - from[c];
    const Vec4 back(from[3], -from[4], -from[5], -from[6]);
    const Vec4 turn = quaternion_product(back, Vec4(to[3], to[4], to[5], to[6]));
    const double sine = turn.tail<3>().norm();
    // The series of 2 asin(s)/s from its first term, right to round-off of s^2.
    constexpr double kSmallTurn = 1e-9;
    const double factor = sine > kSmallTurn ? 2 * std::atan2(sine, turn[0]) / sine : 2.0;
    vec3(change + 3) = factor * turn.tail<3>();
  }
  void normalise(double* q) const override { vec4(q + 3).normalize(); }

  [[nodiscard]] bool couples(int i, int j) const override { return i >= 3 && j >= 3; }
  void mass(const double*, MatX& block) const override {
    block.setZero(6, 6);
    block.topLeftCorner<3, 3>().diagonal().setConstant(body_.mass);
    block.bottomRightCorner<3, 3>() = body_.inertia;
  }
  void mass_times(const double*, const double* a, double* out) const override {
    vec3(out) = body_.mass * vec3(a);
    vec3(out + 3).noalias() = body_.inertia * vec3(a + 3);
  }
  void forces(const double*, const double* v, double* out) const override {
    vec3(out).noalias() = body_.mass * gravity_;
    const Vec3 w = vec3(v + 3);
    vec3(out + 3).noalias() = -w.cross(body_.inertia * w);  // gyroscopic, body axes
  }
  void momentum_derivative(const double*, const double* v, const double*,
                           const Sink& sink) const override {
    const Mat3& J = body_.inertia;  // of w' x J' w'
    const Vec3 w = vec3(v + 3), h = J * w;
    for (int c = 0; c < 3; ++c) {
      const Vec3 column = Vec3::Unit(c).cross(h) + w.cross(J.col(c));
      for (int i = 0; i < 3; ++i) sink(3 + i, 10 + c, column[i]);
    }
  }
  [[nodiscard]] Energies energies(const double*, const double* v,
                                  const Pose<double>& own) const override {
    return {
        0.5 * (body_.mass * vec3(v).squaredNorm() + vec3(v + 3).dot(body_.inertia * vec3(v + 3))),
        -(body_.mass * gravity_.dot(own.r)), 0};
  }

 private:
  const Body& body_;
  Vec3 gravity_;
};

}  // namespace

std::unique_ptr<MovingBody> make_rigid_body(const Model& model, BodyIndex body) {
  const Body& is = model.bodies[static_cast<std::size_t>(body)];
  if (model.planar) return std::make_unique<PlanarBody>(is, model.gravity);
  return std::make_unique<SpatialBody>(is, model.gravity);
}

}  // namespace freeplay::dynamics
