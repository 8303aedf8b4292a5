// SPDX-License-Identifier: Apache-2.0
#include "dynamics/bodies/modal_body_parts.hpp"

// Frames on a modal body: where they are, how they move, and what wrenches on them do.
namespace freeplay::dynamics {

using modal::inner, modal::sum;

template <class T>
struct ModalBody::Fixture {
  Vec3T<T> place;      // of the frame from the body's
  Vec3T<T> arm;        // of that, from the axis
  Mat3T<T> R;          // to body axes
  T angle = T(0.0);    // in the plane
  Vec3T<T> velocity;   // by the deformation
  Vec3T<T> spin;       // likewise
  Modes<T> shortened;  // G eta
  Vec3T<T> turn, turn_rate;
  T norm = T(1.0);  // 1 + |turn|^2 / 4
};

/// A section turns by the small vector `turn`; as a rotation after Cayley, exact to its square,
/// (MO.10). In the plane by the angle itself.
template <class T>
void ModalBody::fixture(int frame, const Modes<T>& eta, const Modes<T>& rate,
                        Fixture<T>& out) const {
  const Attached& at = frames_[static_cast<std::size_t>(frame)];
  const ModalStation& station = basis_.attached[static_cast<std::size_t>(at.station)];
  out.turn = sum<T>(station.turn, eta);
  out.turn_rate = sum<T>(station.turn, rate);
  if (planar_) {
    out.angle = out.turn[2];
    out.R = rotation_about_z(out.angle);
    out.spin = out.turn_rate;
  } else {
    const Vec3T<T>& c = out.turn;
    out.norm = 1.0 + 0.25 * c.dot(c);
    Mat3T<T> skew;
    const T zero(0.0);
    skew << zero, -c[2], c[1], c[2], zero, -c[0], -c[1], c[0], zero;
    out.R = Mat3T<T>::Identity() + (skew + skew * skew * T(0.5)) / out.norm;
    out.spin = (out.turn_rate + c.cross(out.turn_rate) * T(0.5)) / out.norm;
  }
  out.arm = out.R * at.offset.cast<T>();
  out.shortened = station.shortening.times(eta);
  out.place = sum<T>(station.place, eta) + out.arm;
  out.velocity = sum<T>(station.place, rate) + out.spin.cross(out.arm);
  const T pulled = 0.5 * inner(eta, out.shortened), pulling = inner(rate, out.shortened);
  for (int c = 0; c < 3; ++c) {
    out.place[c] += station.point[c] - basis_.axis[c] * pulled;
    out.velocity[c] -= basis_.axis[c] * pulling;
  }
}

template <class T>
void ModalBody::frames(const T* q, const T* v, Pose<T>& own, Pose<T>* attached) const {
  Vec3T<T> w;
  own.R = rotation(q);
  split(v, own.v, w);
  own.w = own.R * w;
  own.r = {q[0], q[1], planar_ ? T(0.0) : q[2]};
  if (planar_) own.angle = q[2];
  const Modes<T> eta = amplitudes(q + rigid_q()), rate = amplitudes(v + rigid_v());
  Fixture<T> at;
  for (int f = 0; f < this->attached(); ++f) {
    fixture(f, eta, rate, at);
    Pose<T>& pose = attached[f];
    pose.r = own.r + own.R * at.place;
    pose.R = own.R * at.R;
    pose.v = own.v + own.R * Vec3T<T>(w.cross(at.place) + at.velocity);
    pose.w = own.R * Vec3T<T>(w + at.spin);
    if (planar_) pose.angle = own.angle + at.angle;
  }
}

template <class T>
void ModalBody::spread_on(const T* q, int frame, const Wrench<T>& wrench, T* out) const {
  const Mat3T<T> A = rotation(q);
  const Vec3T<T> force = A.transpose() * wrench.force;
  Vec3T<T> moment = A.transpose() * wrench.moment;
  const int lengths = planar_ ? 2 : 3;
  for (int c = 0; c < lengths; ++c) out[c] += wrench.force[c];
  if (frame >= 0) {
    const Modes<T> eta = amplitudes(q + rigid_q());
    Modes<T> rest(eta.size());
    rest.fill(T(0.0));
    Fixture<T> at;
    fixture(frame, eta, rest, at);
    const ModalStation& station =
        basis_.attached[static_cast<std::size_t>(frames_[static_cast<std::size_t>(frame)].station)];
    const Vec3T<T> on_section = moment + at.arm.cross(force);
    // Transpose of spin = (1 + turn x / 2) turn_rate / norm.
    const Vec3T<T> twist =
        planar_ ? on_section
                : Vec3T<T>((on_section - at.turn.cross(on_section) * T(0.5)) / at.norm);
    const T pull = modal::along(basis_.axis, force);
    for (int j = 0; j < basis_.modes; ++j) {
      T sum_j = -pull * at.shortened[j];
      for (int c = 0; c < 3; ++c)
        sum_j += station.place(c, j) * force[c] + station.turn(c, j) * twist[c];
      out[rigid_v() + j] += sum_j;
    }
    moment += at.place.cross(force);
  }
  if (planar_)
    out[2] += moment[2];
  else
    for (int c = 0; c < 3; ++c) out[3 + c] += moment[c];
}

template <class T>
Pose<T> ModalBody::acceleration(const T* q, const T* v, const double* a, int frame) const {
  const Mat3T<T> A = rotation(q);
  Vec3T<T> velocity, w;
  Vec3 linear, angular;
  split(v, velocity, w);
  split(a, linear, angular);
  const Vec3T<T> alpha = angular.cast<T>();
  Pose<T> out;
  out.v = linear.cast<T>();
  if (frame < 0) {
    out.w = A * alpha;
    return out;
  }
  const Modes<T> eta = amplitudes(q + rigid_q()), rate = amplitudes(v + rigid_v());
  Fixture<T> at;
  fixture(frame, eta, rate, at);
  const ModalStation& station =
      basis_.attached[static_cast<std::size_t>(frames_[static_cast<std::size_t>(frame)].station)];
  Modes<T> second(basis_.modes);
  for (int j = 0; j < basis_.modes; ++j) second[j] = T(a[rigid_v() + j]);
  const Vec3T<T> turning = sum<T>(station.turn, second);
  Vec3T<T> spinning = turning;
  if (!planar_) {
    const T norm_rate = 0.5 * at.turn.dot(at.turn_rate);
    spinning = (turning + at.turn.cross(turning) * T(0.5) - at.spin * norm_rate) / at.norm;
  }
  Vec3T<T> relative = sum<T>(station.place, second) + spinning.cross(at.arm) +
                      at.spin.cross(Vec3T<T>(at.spin.cross(at.arm)));
  const T pulling = inner(second, at.shortened) + inner(rate, station.shortening.times(rate));
  for (int c = 0; c < 3; ++c) relative[c] -= basis_.axis[c] * pulling;
  out.v += A * Vec3T<T>(alpha.cross(at.place) + w.cross(Vec3T<T>(w.cross(at.place))) +
                        w.cross(at.velocity) * T(2.0) + relative);
  out.w = A * Vec3T<T>(alpha + spinning + w.cross(at.spin));
  return out;
}

/// Scalars that DeformingBodyOf asks for.
using PassDual = Dual<ModalBody::kAtATime>;
template void ModalBody::frames(const double*, const double*, Pose<double>&, Pose<double>*) const;
template void ModalBody::frames(const PassDual*, const PassDual*, Pose<PassDual>&,
                                Pose<PassDual>*) const;
template void ModalBody::spread_on(const double*, int, const Wrench<double>&, double*) const;
template void ModalBody::spread_on(const PassDual*, int, const Wrench<PassDual>&, PassDual*) const;
template Pose<double> ModalBody::acceleration(const double*, const double*, const double*,
                                              int) const;
template Pose<PassDual> ModalBody::acceleration(const PassDual*, const PassDual*, const double*,
                                                int) const;

}  // namespace freeplay::dynamics
