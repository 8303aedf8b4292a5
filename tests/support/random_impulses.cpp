// SPDX-License-Identifier: Apache-2.0
#include "support/random_impulses.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace freeplay::testing {

using dynamics::ImpulseProblem;

namespace {

constexpr int kPlaces = 3;  // of each pair of neighbours

double draw(std::mt19937& random) { return std::uniform_real_distribution<double>(-1, 1)(random); }

}  // namespace

const char* name_of(Family family) {
  switch (family) {
    case Family::regular:
      return "regular";
    case Family::redundant:
      return "redundant";
    case Family::unequal:
      return "unequal masses";
    case Family::wedge:
      return "wedge";
    case Family::oblique:
      return "oblique";
  }
  return "";
}

RandomImpulses::RandomImpulses(std::mt19937& random, const Draw& draw) : draw_(draw) {
  lay_out();
  draw_motion(random);
  draw_contacts(random);
  condense();
}

void RandomImpulses::lay_out() {
  ImpulseProblem::Pattern pattern;
  for (int b = 0; b < draw_.bodies; ++b)
    pattern.bodies.push_back({3, [](int i, int k) { return i == k; }});
  pattern.light.assign(static_cast<std::size_t>(3 * draw_.bodies), false);
  for (int b = 0; b < draw_.bodies; ++b)
    pattern.surfaces.push_back({b - 1, b, draw_.tangents, kPlaces});
  if (draw_.bodies > 1) pattern.rows.push_back({{0, 1}});
  problem_.build(pattern);
}

void RandomImpulses::draw_motion(std::mt19937& random) {
  const int n = 3 * draw_.bodies;
  // Inertias of one mechanism, or of a flywheel and a pin.
  const double spread = draw_.family == Family::unequal ? 8 : 1;
  v_ = mass_ = f_ = VecX::Zero(n);
  for (int d = 0; d < n; ++d) {
    v_[d] = draw(random);
    mass_[d] = std::exp(spread * draw(random));
    problem_.add_mass(d, d, mass_[d]);
    problem_.set_scale(d, mass_[d]);
    f_[d] = draw_.load * mass_[d] * draw(random);
  }
  g_ = VecX::Zero(problem_.rows());
  J_ = MatX::Zero(problem_.rows(), n);
  for (int r = 0; r < problem_.rows(); ++r) {  // one at most, which holds before the step too
    for (int c = 0; c < 6; ++c) J_(r, c) = draw(random);
    const VecX row = J_.row(r), answer = row.cwiseQuotient(mass_);
    for (int k = 0; k < 2; ++k) problem_.set_row(r, k, &row[3 * k], &row[3 * k]);
    v_ -= row.dot(v_) / row.dot(answer) * answer;
  }
  problem_.scale_rows();
}

void RandomImpulses::draw_contacts(std::mt19937& random) {
  const int n = 3 * draw_.bodies, each = 1 + draw_.tangents;
  const double restitution = draw_.restitution < 0 ? std::abs(draw(random)) : draw_.restitution;
  H_ = MatX::Zero(n, static_cast<Eigen::Index>(draw_.bodies) * kPlaces * each);
  Eigen::Index column = 0;
  for (int b = 0; b < draw_.bodies; ++b) {
    const int width = b == 0 ? 3 : 6, first = b == 0 ? 0 : 3 * (b - 1);
    MatX last;  // of the contact before
    for (int k = 0; k < kPlaces; ++k) {
      const bool repeats = draw_.family == Family::redundant && k == 2;
      if (k == 2 && draw_.family != Family::redundant && draw_.family != Family::wedge) continue;
      if (draw_.family == Family::regular && draw(random) > 0.5) continue;
      MatX h(width, each);
      for (int i = 0; i < each; ++i)
        for (int c = 0; c < width; ++c) h(c, i) = draw(random);
      if (repeats) h = last;
      // Two walls that nearly face each other.
      if (draw_.family == Family::wedge && k == 1) h = -last + 0.3 * h;
      // Friction moves what presses, and the other way round: rods that stand askew.
      if (draw_.family == Family::oblique && each > 1) h.col(1) = 0.3 * h.col(1) + h.col(0);
      ImpulseProblem::Contact contact;
      contact.place = problem_.place_of(b);
      contact.tangents = draw_.tangents;
      contact.restitution = restitution;
      contact.at_rest = contact.sliding = draw_.friction;
      for (int i = 0; i < each; ++i) {
        for (int c = 0; c < width; ++c) problem_.gradient(contact.place, i)[c] = h(c, i);
        H_.block(first, column++, width, 1) = h.col(i);
      }
      problem_.take(contact, v_.data());
      restitution_.push_back(restitution);
      last = h;
    }
  }
  H_.conservativeResize(n, column);
}

void RandomImpulses::condense() {
  // Velocities without contacts, and how impulses change them, through the row.
  MatX answer = mass_.cwiseInverse().asDiagonal() * H_;
  VecX free = v_ + f_.cwiseQuotient(mass_);
  if (J_.rows() > 0) {
    const MatX back = mass_.cwiseInverse().asDiagonal() * J_.transpose();
    const MatX held = (J_ * back).inverse();
    answer -= back * (held * (J_ * answer));
    free -= back * (held * (J_ * free));
  }
  W_ = H_.transpose() * answer;
  W_ = (0.5 * (W_ + W_.transpose())).eval();
  free_ = H_.transpose() * free;
  before_ = H_.transpose() * v_;
}

VecX RandomImpulses::b(double bounce) const {
  VecX out = free_;
  const int each = 1 + draw_.tangents;
  for (int k = 0; k < contacts(); ++k)
    out[k * each] += bounce * restitution(k) * std::min(0.0, before_[k * each]);
  return out;
}

double RandomImpulses::off(double bounce) const {
  const int each = 1 + draw_.tangents;
  auto& answer = const_cast<ImpulseProblem&>(problem_);
  const VecX dv = change();
  VecX P(W_.rows()), u = before_ + H_.transpose() * dv;
  for (int k = 0; k < contacts(); ++k) {
    const auto& contact = answer.contacts()[static_cast<std::size_t>(k)];
    for (int i = 0; i < each; ++i) P[k * each + i] = contact.impulse[i];
    u[k * each] += bounce * restitution(k) * std::min(0.0, before_[k * each]);
  }
  VecX balance = mass_.cwiseProduct(dv) - H_ * P - f_;
  if (J_.rows() > 0)
    balance +=
        J_.transpose() * Eigen::Map<const VecX>(answer.multipliers(), problem_.rows()).eval();
  // Speeds are known to the round-off of what they are the sum of.
  const VecX speeds = H_.cwiseAbs().transpose() * v_.cwiseAbs();
  double most = balance.cwiseAbs().maxCoeff();
  double scale = std::max(P.size() > 0 ? P.cwiseAbs().maxCoeff() : 0.0, f_.cwiseAbs().maxCoeff());
  for (int k = 0; k < contacts(); ++k) {
    const int at = k * each;
    const double pace = 1 / std::max(W_.diagonal().segment(at, each).maxCoeff(), 1e-300);
    scale = std::max(scale, pace * speeds.segment(at, each).maxCoeff());
    most = std::max(most, std::abs(P[at] - std::max(0.0, P[at] - pace * u[at])));
    if (each == 1) continue;
    const VecX friction = P.segment(at + 1, each - 1),
               target = friction - pace * u.segment(at + 1, each - 1);
    const double limit = draw_.friction * std::max(0.0, P[at]), size = target.norm();
    most = std::max(most, (friction - (size > limit ? limit / size : 1.0) * target).norm());
  }
  return most / std::max(scale, 1e-300);
}

double RandomImpulses::gain() const {
  const VecX mean = v_ + 0.5 * change();
  return mean.dot(mass_.cwiseProduct(change())) - mean.dot(f_);
}

}  // namespace freeplay::testing
