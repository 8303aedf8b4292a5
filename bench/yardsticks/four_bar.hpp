// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Dense>

#include <array>
#include <cmath>

// The spatial four-bar of papers/marques_2017 with play in the ball joint, by hand:
//
//   y = (theta, p, phi, theta', omega, phi')       11 states
//
// theta is the angle of the crank about x, p the Euler parameters of the coupler, omega its spin in
// body axes, phi the angle of the rocker about y. Open loop, so no constraints.
namespace yardstick {

template <class Number = double>
class FourBar {
 public:
  static constexpr int kSize = 11;
  using Real = Number;
  using Vec3 = Eigen::Matrix<Real, 3, 1>;
  using Mat3 = Eigen::Matrix<Real, 3, 3>;
  using Quaternion = Eigen::Quaternion<Real>;

  bool touching = false;

  explicit FourBar(bool friction) : friction_(friction) {
    const Quaternion turn = Quaternion(0.9186, -0.1764, 0.06747, -0.3472).normalized();
    const Mat3 R = turn.toRotationMatrix();
    const Vec3 A(0, 0, kCrank), B(-0.07492, -0.085, 0.06524), C(-0.04, -0.085, 0);
    const Vec3 G(-0.03746, -0.04250, 0.04262);
    arm_ = R.transpose() * (G - A);
    socket_ = R.transpose() * (B - A);
    const Mat3 about_A = Mat3(Vec3(1.7743e-3, 3.51e-5, 1.7743e-3).asDiagonal()) +
                         kMass * (arm_.squaredNorm() * Mat3::Identity() - arm_ * arm_.transpose());
    inertia_ = about_A;
    compliance_ = about_A.inverse();
    start_ = {0, turn.w(), turn.x(), turn.y(), turn.z(), 0, 0, 0, 0, 0, 0};

    pivot_ = C;
    ball_ = B - C;
    weight_ = Vec3(-0.05746, -0.08500, 0.03262) - C;
    const Mat3 S = Quaternion(0.3634, -0.6066, -0.6066, 0.3634).normalized().toRotationMatrix();
    const Real own =
        (S * Vec3(1.456e-4, 2.9e-6, 1.456e-4).asDiagonal() * S.transpose()).eval()(1, 1);
    rocker_inertia_ = own + kRockerMass * (weight_.x() * weight_.x() + weight_.z() * weight_.z());
    // Hertz with the sum of curvatures, as the paper prints it: K = 4/3 E* sqrt(R r/(R + r)).
    const Real flexibility = (1 - 0.3 * 0.3) / 207e9;
    stiffness_ = 4 / (3 * 2 * flexibility) * std::sqrt(kSocket * kBall / (kSocket + kBall));
  }

  [[nodiscard]] std::array<Real, kSize> start() const { return start_; }
  /// Angles 1, rates 1/T with T = sqrt(L/g), L the distance of the bearings.
  [[nodiscard]] std::array<Real, kSize> scale() const {
    const Real rate = std::sqrt(kGravity / Real(0.1));
    return {1, 1, 1, 1, 1, 1, rate, rate, rate, rate, rate};
  }
  /// Height of the rocker's centre of mass.
  [[nodiscard]] Real height(const Real* y) const {
    return weight_.z() * std::cos(y[5]) - weight_.x() * std::sin(y[5]);
  }
  static void normalise(Real* y) { Eigen::Map<Eigen::Matrix<Real, 4, 1>>(y + 1).normalize(); }

  void touch(Real rate) {
    touching = true;
    damping_ = 0.75 * (1 - 0.9 * 0.9) / std::max(rate, Real(1e-5));
  }
  void part() { touching = false; }

  void gap(Real, const Real* y, Real& depth, Real& rate) const {
    const Kinematics k = kinematics(y);
    const Real distance = k.e.norm();
    depth = distance - (kSocket - kBall);
    rate = distance > 0 ? k.e.dot(k.ball_speed - k.socket_speed) / distance : 0;
  }

  void derivative(Real, const Real* y, Real* f) const {
    const Kinematics k = kinematics(y);
    const Vec3 w(y[7], y[8], y[9]);
    Vec3 push = Vec3::Zero(), place = Vec3::Zero();  // on the ball, in space; where, from A
    Real moment = kRockerMass * kGravity * k.weight_x;
    if (touching) {
      const Real distance = std::sqrt(k.e.squaredNorm());
      const Real depth = distance - (kSocket - kBall);
      if (depth > 0) {
        const Vec3 normal = k.e / distance;
        place = k.socket + (kSocket + 0.5 * depth) * normal;
        const Real arm = kBall - 0.5 * depth;
        const Vec3 at_ball = k.ball + arm * normal;
        const Vec3 spin = k.R * w;
        const Vec3 relative =
            Vec3(y[10] * at_ball.z(), 0, -y[10] * at_ball.x()) - k.pin_speed - spin.cross(place);
        const Real rate = relative.dot(normal);
        const Real load =
            std::max(Real(0), stiffness_ * depth * std::sqrt(depth) * (1 + damping_ * rate));
        push = -load * normal;
        if (friction_) {
          const Vec3 slip = relative - rate * normal;
          const Real speed = std::sqrt(slip.squaredNorm());
          const Real x = speed / kSlip;
          push -= slip * (0.1 * load * (x > 1e-6 ? std::tanh(x) / speed : 1 / kSlip));
        }
        moment += at_ball.z() * push.x() - at_ball.x() * push.z();
      }
    }
    // Coupler about A, which the crank carries: a_A = t theta'' + c theta'^2.
    const Real rr = y[6] * y[6];
    const Vec3 t = k.R.transpose() * Vec3(0, -kCrank * k.cos, -kCrank * k.sin);
    const Vec3 a = k.R.transpose() * Vec3(0, kCrank * k.sin * rr, -kCrank * k.cos * rr + kGravity);
    const Vec3 pushed = k.R.transpose() * push;
    const Vec3 turned = k.R.transpose() * (place.cross(push));
    const Vec3 lever = arm_.cross(t);
    const Vec3 alpha = compliance_ * (-turned - w.cross(inertia_ * w) - kMass * arm_.cross(a));
    const Vec3 per = compliance_ * (kMass * lever);
    const Vec3 centre = a + alpha.cross(arm_) + w.cross(w.cross(arm_));
    const Real crank = -(kMass * t.dot(centre) + t.dot(pushed)) /
                       (kCrankInertia + kMass * kCrank * kCrank - kMass * per.dot(lever));
    const Vec3 spin_rate = alpha - per * crank;

    f[0] = y[6];
    f[1] = 0.5 * (-y[2] * w[0] - y[3] * w[1] - y[4] * w[2]);
    f[2] = 0.5 * (y[1] * w[0] + y[3] * w[2] - y[4] * w[1]);
    f[3] = 0.5 * (y[1] * w[1] + y[4] * w[0] - y[2] * w[2]);
    f[4] = 0.5 * (y[1] * w[2] + y[2] * w[1] - y[3] * w[0]);
    f[5] = y[10];
    f[6] = crank;
    f[7] = spin_rate[0], f[8] = spin_rate[1], f[9] = spin_rate[2];
    f[10] = moment / rocker_inertia_;
  }

 private:
  static constexpr Real kGravity = 9.81, kCrank = 0.02, kCrankInertia = 3.92e-5, kMass = 0.1416,
                        kRockerMass = 0.0316, kSocket = 10e-3, kBall = 9.8e-3, kSlip = 1e-3;

  struct Kinematics {
    Real sin, cos, weight_x;
    Mat3 R;
    Vec3 pin_speed, socket, socket_speed, ball, ball_speed, e;  // socket from A, ball from C
  };
  [[nodiscard]] Kinematics kinematics(const Real* y) const {
    Kinematics k;
    k.sin = std::sin(y[0]), k.cos = std::cos(y[0]);
    const Real w = y[1], x = y[2], v = y[3], z = y[4];
    const Real s = 2 / (w * w + x * x + v * v + z * z);
    k.R << 1 - s * (v * v + z * z), s * (x * v - w * z), s * (x * z + w * v),  //
        s * (x * v + w * z), 1 - s * (x * x + z * z), s * (v * z - w * x),     //
        s * (x * z - w * v), s * (v * z + w * x), 1 - s * (x * x + v * v);
    const Real sr = std::sin(y[5]), cr = std::cos(y[5]);
    k.weight_x = cr * weight_.x() + sr * weight_.z();
    k.ball = Vec3(cr * ball_.x() + sr * ball_.z(), ball_.y(), cr * ball_.z() - sr * ball_.x());
    k.ball_speed = Vec3(y[10] * k.ball.z(), 0, -y[10] * k.ball.x());
    const Vec3 pin(0, -kCrank * k.sin, kCrank * k.cos);
    k.pin_speed = Vec3(0, -kCrank * k.cos * y[6], -kCrank * k.sin * y[6]);
    k.socket = k.R * socket_;
    k.socket_speed = k.pin_speed + k.R * Vec3(y[7], y[8], y[9]).cross(socket_);
    k.e = pivot_ + k.ball - pin - k.socket;
    return k;
  }

  bool friction_;
  Vec3 arm_, socket_, pivot_, ball_, weight_;
  Mat3 inertia_, compliance_;
  Real rocker_inertia_ = 0, stiffness_ = 0, damping_ = 0;
  std::array<Real, kSize> start_{};
};

}  // namespace yardstick
