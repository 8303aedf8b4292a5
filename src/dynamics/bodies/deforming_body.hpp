// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/scalars.hpp"
#include "dynamics/bodies/moving_body.hpp"

#include <algorithm>
#include <span>
#include <vector>

// A body with more coordinates than a rigid one: its frames move relative to each other. A kind of
// such bodies is one class with five function templates over the scalar; values come from numbers,
// exact derivatives from dual numbers through the same text.
//
//     class Rod final : public DeformingBodyOf<Rod> {
//       // positions and velocities of its frames: own, then those attached
//       template <class T> void frames(const T* q, const T* v, Pose<T>& own, Pose<T>* attached)
//       const;
//       // L(q)^T wrench: what a wrench on a frame (-1: own) does to the velocities; added to `out`
//       template <class T> void spread_on(const T* q, int frame, const Wrench<T>& w, T* out) const;
//       // accelerations of a frame, L a + L' v
//       template <class T> Pose<T> acceleration(const T* q, const T* v, const double* a, int frame)
//       const;
//       // mass times a less weight, gyroscopic and elastic forces
//       template <class T> void momentum(const T* q, const T* v, const T* a, T* out) const;
//       // rates of its positions
//       template <class T> void rates(const T* q, const T* v, T* q_dot) const;
//       ...
//     };
//
// (acceleration() answers with a Pose of which `v` and `w` are the accelerations.) What is asked
// for at every evaluation, mass and forces, a body may answer itself, without dual numbers.
namespace freeplay::dynamics {

/// Variables by which an element's pose of a deforming frame is differentiated: displacement of its
/// origin (0 to 2), small turn about global axes (3 to 5), velocity (7 to 9), angular velocity
/// (10 to 12), global axes. They have the places of a rigid body's r, p, v, w'.
inline constexpr int kTurnVariable = 3, kVelocityVariable = 7, kSpinVariable = 10;

class DeformingBody : public MovingBody {
 public:
  /// A frame at a point of the undeformed body, measured from its own frame; returns its number.
  /// All are attached before anything moves.
  virtual int attach(const Vec3& point) = 0;
  [[nodiscard]] virtual int attached() const = 0;
  /// The positions and velocities that a frame (-1: its own) follows: all, unless a body of many
  /// knows better. Nothing outside is looked at, so that the work stays linear in their number.
  struct Reach {
    int q = 0, positions = 0, v = 0, velocities = 0;  // first and how many
  };
  [[nodiscard]] virtual Reach reach(int /*frame*/) const {
    return {0, positions(), 0, velocities()};
  }

  /// What its axis looks like and carries at one place.
  struct SectionState {
    Vec3 deflection = Vec3::Zero();  ///< from where the straight body has it; axes of its frame; m
    double force = 0;                ///< along the axis, tension positive; N
    double moment_y = 0, moment_z = 0, torque = 0;  ///< N m
  };
  /// Places evenly from one end to the other, ends included; and the state there.
  [[nodiscard]] virtual int sections() const { return 0; }
  virtual void observe(const double* /*q*/, const double* /*v*/,
                       std::span<SectionState> /*out*/) const {}

  /// What a wrench on a frame (-1: its own) does to its velocities; added to `out`.
  virtual void spread(const double* q, int frame, const Wrench<double>& wrench,
                      double* out) const = 0;
  /// Its derivatives by q, for a wrench that stays.
  virtual void spread_derivative(const double* q, int frame, const Wrench<double>& wrench,
                                 const Sink& sink) const = 0;
  /// Derivatives of the frame's variables by q and v; kBodyVariables rows. Columns outside its
  /// reach need no values.
  virtual void frame_derivative(const double* q, const double* v, int frame, MatX& out) const = 0;
  /// Derivatives of row.v . linear + row.w . angular acceleration of the frame, all in row 0.
  virtual void acceleration_derivative(const double* q, const double* v, const double* a, int frame,
                                       const Vec3& row_v, const Vec3& row_w,
                                       const Sink& sink) const = 0;

 protected:
  using MovingBody::MovingBody;
};

template <class Self>
class DeformingBodyOf : public DeformingBody {
 public:
  /// Derivatives of one pass: chosen, they fill two cache lines.
  static constexpr int kAtATime = 8;

  void place(const double* q, const double* v, Pose<double>& own,
             Pose<double>* others) const final {
    self().template frames<double>(q, v, own, others);
  }
  void accelerate(const double* q, const double* v, const double* a, const Pose<double>&,
                  FrameAcceleration& out, FrameAcceleration* others) const final {
    for (int frame = -1; frame < attached(); ++frame) {
      const Pose<double> x = self().template acceleration<double>(q, v, a, frame);
      (frame < 0 ? out : others[frame]) = {x.v, x.w};
    }
  }
  void position_rates(const double* q, const double* v, double* q_dot) const final {
    self().template rates<double>(q, v, q_dot);
  }
  void position_rates_derivative(const double* q, const double* v, const Sink& sink) const final {
    std::vector<BodyDual> out(count(positions()));
    differentiate(q, v, [&](const BodyDual* Q, const BodyDual* V, int from, int number) {
      self().template rates<BodyDual>(Q, V, out.data());
      hand_on(out, from, number, sink);
    });
  }

  [[nodiscard]] bool couples(int, int) const override { return true; }
  [[nodiscard]] bool mass_varies() const override { return true; }
  void mass(const double* q, MatX& block) const override {
    // Derivatives of the momentum by the accelerations, at rest.
    const int n = velocities();
    block.setZero(n, n);
    std::vector<BodyDual> Q(q, q + positions()), V(count(n)), A(count(n)), out(count(n));
    for (int from = 0; from < n; from += kAtATime) {
      const int number = std::min(kAtATime, n - from);
      for (int c = 0; c < n; ++c)
        A[count(c)] =
            c >= from && c < from + number ? BodyDual::variable(0, c - from) : BodyDual(0);
      self().template momentum<BodyDual>(Q.data(), V.data(), A.data(), out.data());
      for (int i = 0; i < n; ++i)
        for (int c = 0; c < number; ++c) block(i, from + c) = out[count(i)].d[c];
    }
  }
  void mass_times(const double* q, const double* a, double* out) const override {
    MatX block;
    mass(q, block);
    Eigen::Map<VecX>(out, velocities()) = block * Eigen::Map<const VecX>(a, velocities());
  }
  void forces(const double* q, const double* v, double* out) const override {
    const std::vector<double> none(count(velocities()), 0.0);
    self().template momentum<double>(q, v, none.data(), out);
    for (int c = 0; c < velocities(); ++c) out[c] = -out[c];
  }
  void momentum_derivative(const double* q, const double* v, const double* a,
                           const Sink& sink) const final {
    const std::vector<BodyDual> A(a, a + velocities());
    std::vector<BodyDual> out(count(velocities()));
    differentiate(q, v, [&](const BodyDual* Q, const BodyDual* V, int from, int number) {
      self().template momentum<BodyDual>(Q, V, A.data(), out.data());
      hand_on(out, from, number, sink);
    });
  }

  void spread(const double* q, int frame, const Wrench<double>& wrench, double* out) const final {
    self().template spread_on<double>(q, frame, wrench, out);
  }
  void spread_derivative(const double* q, int frame, const Wrench<double>& wrench,
                         const Sink& sink) const final {
    const Wrench<BodyDual> stays{wrench.force.template cast<BodyDual>(),
                                 wrench.moment.template cast<BodyDual>()};
    const std::vector<double> rest(count(velocities()), 0.0);
    std::vector<BodyDual> out;
    differentiate(q, rest.data(), [&](const BodyDual* Q, const BodyDual*, int from, int number) {
      if (from >= positions()) return;
      out.assign(count(velocities()), BodyDual(0));
      self().template spread_on<BodyDual>(Q, frame, stays, out.data());
      hand_on(out, from, std::min(number, positions() - from), sink);
    });
  }
  void frame_derivative(const double* q, const double* v, int frame, MatX& out) const final {
    out.setZero(kBodyVariables, positions() + velocities());
    std::vector<Pose<BodyDual>> others(count(attached()));
    Pose<BodyDual> own;
    differentiate(q, v, [&](const BodyDual* Q, const BodyDual* V, int from, int number) {
      self().template frames<BodyDual>(Q, V, own, others.data());
      const Pose<BodyDual>& pose = frame < 0 ? own : others[count(frame)];
      for (int c = 0; c < number; ++c) {
        // dR R^T is the skew matrix of the turn.
        Mat3 R, dR;
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j) R(i, j) = pose.R(i, j).value, dR(i, j) = pose.R(i, j).d[c];
        const Mat3 turn = dR * R.transpose();
        for (int i = 0; i < 3; ++i) {
          out(i, from + c) = pose.r[i].d[c];
          out(kVelocityVariable + i, from + c) = pose.v[i].d[c];
          out(kSpinVariable + i, from + c) = pose.w[i].d[c];
        }
        out(kTurnVariable, from + c) = turn(2, 1);
        out(kTurnVariable + 1, from + c) = turn(0, 2);
        out(kTurnVariable + 2, from + c) = turn(1, 0);
      }
    });
  }
  void acceleration_derivative(const double* q, const double* v, const double* a, int frame,
                               const Vec3& row_v, const Vec3& row_w, const Sink& sink) const final {
    differentiate(q, v, [&](const BodyDual* Q, const BodyDual* V, int from, int number) {
      const Pose<BodyDual> x = self().template acceleration<BodyDual>(Q, V, a, frame);
      BodyDual sum(0);
      for (int i = 0; i < 3; ++i) sum += x.v[i] * row_v[i] + x.w[i] * row_w[i];
      for (int c = 0; c < number; ++c) sink(0, from + c, sum.d[c]);
    });
  }

 protected:
  using DeformingBody::DeformingBody;

 private:
  using BodyDual = Dual<kAtATime>;

  [[nodiscard]] const Self& self() const { return static_cast<const Self&>(*this); }
  static std::size_t count(int n) { return static_cast<std::size_t>(n); }

  /// Calls pass(Q, V, from, number) with `number` of the coordinates q, v as variables, `from` on,
  /// until each was one.
  template <class Pass>
  void differentiate(const double* q, const double* v, Pass&& pass) const {
    const int nq = positions(), all = nq + velocities();
    std::vector<BodyDual> x(count(all));
    for (int from = 0; from < all; from += kAtATime) {
      const int number = std::min(kAtATime, all - from);
      for (int c = 0; c < all; ++c) {
        const double value = c < nq ? q[c] : v[c - nq];
        x[count(c)] =
            c >= from && c < from + number ? BodyDual::variable(value, c - from) : BodyDual(value);
      }
      pass(x.data(), x.data() + nq, from, number);
    }
  }
  static void hand_on(const std::vector<BodyDual>& out, int from, int number, const Sink& sink) {
    for (std::size_t r = 0; r < out.size(); ++r)
      for (int c = 0; c < number; ++c) sink(static_cast<int>(r), from + c, out[r].d[c]);
  }
};

}  // namespace freeplay::dynamics
