// SPDX-License-Identifier: Apache-2.0
#include "dynamics/bodies/modal_body_parts.hpp"
#include "dynamics/bodies/rigid_body.hpp"
#include <freeplay/errors.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>

// Mass, inertia and elasticity of a modal body.
namespace freeplay::dynamics {

using modal::inner, modal::sum;

namespace {

std::size_t pair_of(int a, int b) { return static_cast<std::size_t>(3 * a + b); }

}  // namespace

template <class T>
struct ModalBody::Inertia {
  Vec3T<T> S;          // int u dm, (MO.4); kg m
  Modes<T> shortened;  // Ĝ eta
  Modes<T> stretched;  // H eta
  Mat3T<T> J;          // (MO.5); kg m^2
  Modes<T> Y[3][3];    // int psi_a psi_b dm eta
  /// Derivatives by one amplitude: of S, and of the angular momentum by its rate, (MO.6).
  [[nodiscard]] Vec3T<T> S_by(const ModalBasis& basis, Eigen::Index j) const {
    Vec3T<T> out;
    for (int c = 0; c < 3; ++c) out[c] = basis.first(c, j) - basis.axis[c] * shortened[j];
    return out;
  }
  [[nodiscard]] Vec3T<T> h_by(const ModalBasis& basis, Eigen::Index j, bool planar) const {
    Vec3T<T> out = Vec3T<T>::Zero();
    for (int c = planar ? 2 : 0; c < 3; ++c) {
      const int a = (c + 1) % 3, b = (c + 2) % 3;
      out[c] = basis.moments(3 * a + b, j) - basis.moments(3 * b + a, j) +
               basis.axis[c] * basis.twist[j] + Y[b][a][j] - Y[a][b][j];
    }
    return out;
  }
};

ModalBody::ModalBody(const Model& model, BodyIndex body, std::span<const Vec3> loaded,
                     std::span<const Vec3> watched)
    : ModalBody(model, body,
                make_modal_basis(model.bodies[static_cast<std::size_t>(body)], model.planar, loaded,
                                 watched)) {}

ModalBody::ModalBody(const Model& model, BodyIndex body, ModalBasis basis)
    : DeformingBodyOf((model.planar ? 3 : 7) + basis.modes, (model.planar ? 3 : 6) + basis.modes),
      rigid_(make_rigid_body(model, body)),
      body_(model.bodies[static_cast<std::size_t>(body)]),
      gravity_(model.gravity),
      planar_(model.planar),
      basis_(std::move(basis)) {
  const Flexible& is = *body_.flexible;
  if (basis_.modes > kMostModes) {
    Issue issue;
    issue.line = body_.line;
    issue.path = "bodies." + body_.name + ".flexible";
    issue.message = fmt::format(
        "joints, forces and modes give the body {} ways to deform; at most {} are "
        "possible",
        basis_.modes, kMostModes);
    issue.hint = "keep fewer modes, or split the body";
    throw ModelError(issue);
  }
  stiffness_ = basis_.frequency.cwiseAbs2();
  damping_ = 2 * is.damping * basis_.frequency + is.damping_time * stiffness_;
}

ModalBody::~ModalBody() = default;

void ModalBody::declare(const std::string& path, const Scales& s, Layout& layout) const {
  using enum BlockKind;
  // An amplitude of 1 displaces by 1/sqrt(mass): what moves the mechanism by its own length.
  const double length = s.length * std::sqrt(body_.mass);
  rigid_->declare(path, s, layout);
  layout.declare({path + "/amplitudes", position, basis_.modes, "m kg^(1/2)", length});
  layout.declare(
      {path + "/amplitude_rates", velocity, basis_.modes, "m kg^(1/2)/s", length / s.time});
}

void ModalBody::start(double* q, double* v) const {
  rigid_->start(q, v);
  std::fill_n(q + rigid_q(), basis_.modes, 0.0);
  std::fill_n(v + rigid_v(), basis_.modes, 0.0);
}

int ModalBody::attach(const Vec3& point) {
  // The nearest of the stations is its own: all points were known when the modes were made.
  const auto apart = [&](int station) {
    const Vec3 d = basis_.attached[static_cast<std::size_t>(station)].point - point;
    return body_.flexible->part ? d.norm() : std::abs(basis_.axis.dot(d));
  };
  int nearest = 0;
  for (int k = 1; k < static_cast<int>(basis_.attached.size()); ++k)
    if (apart(k) < apart(nearest)) nearest = k;
  frames_.push_back({nearest, point - basis_.attached[static_cast<std::size_t>(nearest)].point});
  return attached() - 1;
}

template <class T>
void ModalBody::rates(const T* q, const T* v, T* q_dot) const {
  for (int c = 0; c < 3; ++c) q_dot[c] = v[c];
  if (!planar_) {  // p' = L^T w' / 2, theory/multibody (M.2)
    q_dot[3] = 0.5 * (-q[4] * v[3] - q[5] * v[4] - q[6] * v[5]);
    q_dot[4] = 0.5 * (q[3] * v[3] - q[6] * v[4] + q[5] * v[5]);
    q_dot[5] = 0.5 * (q[6] * v[3] + q[3] * v[4] - q[4] * v[5]);
    q_dot[6] = 0.5 * (-q[5] * v[3] + q[4] * v[4] + q[3] * v[5]);
  }
  for (int k = 0; k < basis_.modes; ++k) q_dot[rigid_q() + k] = v[rigid_v() + k];
}
void ModalBody::displace(double* q, const double* change) const {
  rigid_->displace(q, change);
  for (int k = 0; k < basis_.modes; ++k) q[rigid_q() + k] += change[rigid_v() + k];
}
void ModalBody::displacement(const double* from, const double* to, double* change) const {
  rigid_->displacement(from, to, change);
  for (int k = 0; k < basis_.modes; ++k)
    change[rigid_v() + k] = to[rigid_q() + k] - from[rigid_q() + k];
}

template <class T>
void ModalBody::inertia(const Modes<T>& eta, Inertia<T>& out) const {
  out.shortened = basis_.shortening.times(eta);
  out.stretched = basis_.shortening_x.times(eta);
  out.S = sum<T>(basis_.first, eta);
  const T pulled = 0.5 * inner(eta, out.shortened);
  for (int c = 0; c < 3; ++c) out.S[c] -= basis_.axis[c] * pulled;
  Mat3T<T> N = Mat3T<T>::Zero();  // int (x psi + psi x + psi psi) dm, (MO.5)
  const int used = planar_ ? 2 : 3;
  for (int a = 0; a < used; ++a)
    for (int b = 0; b < used; ++b) {
      out.Y[a][b] = basis_.products[pair_of(a, b)].times(eta);
      N(a, b) += inner(eta, out.Y[a][b]);
      T moment(0.0);
      for (Eigen::Index k = 0; k < eta.size(); ++k) moment += basis_.moments(3 * a + b, k) * eta[k];
      N(a, b) += moment;
      N(b, a) += moment;
    }
  const T trace = N(0, 0) + N(1, 1) + N(2, 2), pull = inner(eta, out.stretched);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      const double unit = a == b ? 1 : 0;
      out.J(a, b) = body_.inertia(a, b) + unit * trace - N(a, b) -
                    pull * (unit - basis_.axis[a] * basis_.axis[b]);
    }
}

/// M a less weight, forces of inertia, elasticity and damping: (MO.7) to (MO.9).
template <class T>
void ModalBody::momentum(const T* q, const T* v, const T* a, T* out) const {
  const Mat3T<T> A = rotation(q);
  const Modes<T> eta = amplitudes(q + rigid_q()), rate = amplitudes(v + rigid_v()),
                 second = amplitudes(a + rigid_v());
  Vec3T<T> velocity, w, acceleration, alpha;
  split(v, velocity, w);
  split(a, acceleration, alpha);
  for (int c = 0; c < 3; ++c) acceleration[c] -= gravity_[c];
  const Vec3T<T> felt = A.transpose() * acceleration;
  Inertia<T> is;
  inertia(eta, is);

  Vec3T<T> S_rate = Vec3T<T>::Zero(), S_second = Vec3T<T>::Zero(), h = Vec3T<T>::Zero(),
           h_second = Vec3T<T>::Zero();
  const int used = planar_ ? 2 : 3;
  const T ww = w.dot(w), we = modal::along(basis_.axis, w);
  T* flex = out + rigid_v();
  for (int j = 0; j < basis_.modes; ++j) {
    const Vec3T<T> S_j = is.S_by(basis_, j), h_j = is.h_by(basis_, j, planar_);
    for (int c = 0; c < 3; ++c) {
      S_rate[c] += S_j[c] * rate[j];
      S_second[c] += S_j[c] * second[j];
      h[c] += h_j[c] * rate[j];
      h_second[c] += h_j[c] * second[j];
    }
    // Half of w . dJ/deta_j w.
    T spun = -is.stretched[j] * (ww - we * we);
    for (int b = 0; b < used; ++b) {
      spun += (is.Y[b][b][j] + basis_.moments(4 * b, j)) * ww;
      for (int c = 0; c < used; ++c)
        spun -= w[b] * w[c] * (is.Y[b][c][j] + basis_.moments(3 * b + c, j));
    }
    flex[j] = S_j.dot(felt) + h_j.dot(alpha) + second[j] - spun + stiffness_[j] * eta[j] +
              damping_[j] * rate[j];
  }
  // Coriolis: 2 w . int psi_i x psi_j dm eta_i'.
  for (int c = planar_ ? 2 : 0; c < 3; ++c) {
    const int x = (c + 1) % 3, y = (c + 2) % 3;
    const Modes<T> forth = basis_.products[pair_of(y, x)].times(rate),
                   back = basis_.products[pair_of(x, y)].times(rate);
    for (int j = 0; j < basis_.modes; ++j) flex[j] += 2.0 * w[c] * (forth[j] - back[j]);
  }
  // dJ/dt w
  Mat3T<T> N_rate = Mat3T<T>::Zero();
  for (int x = 0; x < used; ++x)
    for (int y = 0; y < used; ++y) {
      T s = inner(rate, is.Y[x][y]);
      for (int k = 0; k < basis_.modes; ++k) s += basis_.moments(3 * x + y, k) * rate[k];
      N_rate(x, y) += s;
      N_rate(y, x) += s;
    }
  const T trace = N_rate(0, 0) + N_rate(1, 1) + N_rate(2, 2),
          pull = 2.0 * inner(rate, is.stretched);
  const Vec3T<T> J_w = is.J * w, N_w = N_rate * w;
  Vec3T<T> J_rate_w;
  for (int c = 0; c < 3; ++c)
    J_rate_w[c] = trace * w[c] - N_w[c] - pull * (w[c] - basis_.axis[c] * we);

  const Vec3T<T> angular =
      is.J * alpha + h_second + is.S.cross(felt) + w.cross(Vec3T<T>(J_w + h)) + J_rate_w;
  Vec3T<T> inner_force =
      alpha.cross(is.S) + S_second + w.cross(Vec3T<T>(w.cross(is.S))) + w.cross(S_rate) * T(2.0);
  const T pulled = inner(rate, basis_.shortening.times(rate));
  for (int c = 0; c < 3; ++c) inner_force[c] -= basis_.axis[c] * pulled;
  Vec3T<T> linear = A * inner_force;
  for (int c = 0; c < 3; ++c) linear[c] += body_.mass * acceleration[c];
  put(linear, angular, out);
}

void ModalBody::forces(const double* q, const double* v, double* out) const {
  std::array<double, kMostModes + 6> none{};
  momentum<double>(q, v, none.data(), out);
  for (int c = 0; c < velocities(); ++c) out[c] = -out[c];
}

void ModalBody::mass(const double* q, MatX& block) const {
  const int n = velocities(), r = rigid_v(), turns = planar_ ? 1 : 3, lengths = r - turns;
  block.setZero(n, n);
  Inertia<double> is;
  inertia(amplitudes(q + rigid_q()), is);
  const Mat3 A = rotation(q);
  for (int c = 0; c < lengths; ++c) block(c, c) = body_.mass;
  for (int t = 0; t < turns; ++t) {
    const int axis = planar_ ? 2 : t;
    const Vec3 moved = A * Vec3::Unit(axis).cross(is.S);
    for (int c = 0; c < lengths; ++c) block(c, lengths + t) = block(lengths + t, c) = moved[c];
    for (int s = 0; s < turns; ++s) block(lengths + s, lengths + t) = is.J(planar_ ? 2 : s, axis);
  }
  for (int j = 0; j < basis_.modes; ++j) {
    const Vec3 moved = A * is.S_by(basis_, j), h = is.h_by(basis_, j, planar_);
    for (int c = 0; c < lengths; ++c) block(c, r + j) = block(r + j, c) = moved[c];
    for (int t = 0; t < turns; ++t)
      block(lengths + t, r + j) = block(r + j, lengths + t) = h[planar_ ? 2 : t];
    block(r + j, r + j) = 1;
  }
}

void ModalBody::mass_times(const double* q, const double* a, double* out) const {
  Inertia<double> is;
  inertia(amplitudes(q + rigid_q()), is);
  const Mat3 A = rotation(q);
  Vec3 linear, alpha;
  split(a, linear, alpha);
  const Vec3 felt = A.transpose() * linear;
  Vec3 inner_force = alpha.cross(is.S), angular = is.J * alpha + is.S.cross(felt);
  for (int j = 0; j < basis_.modes; ++j) {
    const Vec3 S_j = is.S_by(basis_, j), h_j = is.h_by(basis_, j, planar_);
    const double second = a[rigid_v() + j];
    inner_force += S_j * second;
    angular += h_j * second;
    out[rigid_v() + j] = S_j.dot(felt) + h_j.dot(alpha) + second;
  }
  put<double>(body_.mass * linear + A * inner_force, angular, out);
}

MovingBody::Energies ModalBody::energies(const double* q, const double* v,
                                         const Pose<double>& own) const {
  Inertia<double> is;
  const Modes<double> eta = amplitudes(q + rigid_q()), rate = amplitudes(v + rigid_v());
  inertia(eta, is);
  Vec3 velocity, w, S_rate = Vec3::Zero(), h = Vec3::Zero();
  split(v, velocity, w);
  for (int j = 0; j < basis_.modes; ++j) {
    S_rate += is.S_by(basis_, j) * rate[j];
    h += is.h_by(basis_, j, planar_) * rate[j];
  }
  Energies out;
  out.kinetic = 0.5 * body_.mass * velocity.squaredNorm() +
                (own.R.transpose() * velocity).dot(w.cross(is.S) + S_rate) + 0.5 * w.dot(is.J * w) +
                w.dot(h) + 0.5 * rate.squaredNorm();
  out.potential = -gravity_.dot(body_.mass * own.r + own.R * is.S);
  out.elastic = 0.5 * eta.dot(stiffness_.cwiseProduct(eta));
  return out;
}

double ModalBody::dissipated_power(const double*, const double* v) const {
  double power = 0;
  for (int k = 0; k < basis_.modes; ++k) power -= damping_[k] * v[rigid_v() + k] * v[rigid_v() + k];
  return power;
}
void ModalBody::dissipated_power_derivative(const double*, const double* v,
                                            const Sink& sink) const {
  for (int k = 0; k < basis_.modes; ++k)
    sink(0, positions() + rigid_v() + k, -2 * damping_[k] * v[rigid_v() + k]);
}

void ModalBody::observe(const double* q, const double* v, std::span<SectionState> out) const {
  const Flexible& beam = *body_.flexible;
  const Modes<double> eta = amplitudes(q + rigid_q()), rate = amplitudes(v + rigid_v());
  for (std::size_t k = 0; k < basis_.sections.size(); ++k) {
    const ModalStation& at = basis_.sections[k];
    out[k] = {};
    out[k].deflection = at.place * eta - 0.5 * basis_.axis * eta.dot(at.shortening.times(eta));
    if (beam.part) continue;
    const Eigen::Vector4d strain = at.strain * (eta + beam.damping_time * rate);
    out[k].force = beam.EA * strain[0];
    out[k].moment_y = beam.EI_y * strain[1];
    out[k].moment_z = beam.EI_z * strain[2];
    out[k].torque = beam.GJ * strain[3];
  }
}

template void ModalBody::rates(const double*, const double*, double*) const;

}  // namespace freeplay::dynamics
