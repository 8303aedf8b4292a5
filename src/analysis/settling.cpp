// SPDX-License-Identifier: Apache-2.0
#include "analysis/settling.hpp"

#include "analysis/free_motion.hpp"
#include "core/rotation.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>

namespace freeplay::analysis {
namespace {

using dynamics::Cartesian;
using joints::ContactMemory;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The narrowest gap of a joint, m; 0 if it has none.
double play_of(const Joint& joint) {
  if (!joint.clearance) return 0;
  const Clearance& c = *joint.clearance;
  double play = kInfinity;
  for (const double gap : {c.outer_radius - c.inner_radius, 0.5 * (c.outer_width - c.inner_width),
                           0.5 * (c.outer_height - c.inner_height)})
    if (gap > 0) play = std::min(play, gap);
  return std::isfinite(play) ? play : 0;
}

}  // namespace

Settling::Settling(Cartesian& system, State start, VecX spin)
    : system_(system), state_(std::move(start)), spin_(std::move(spin)) {
  mass_ = mass_matrix(system_, state_);
  const double L = system_.scales().length;
  first_step_ = 0.1 * L;
  for (const auto& contact : system_.contacts().list()) {
    const auto& element = system_.contacts().elements()[static_cast<std::size_t>(contact.element)];
    const Joint& joint = system_.model().joints[static_cast<std::size_t>(element.joint())];
    const double play = play_of(joint);
    play_.push_back(play > 0 ? play : 0.1 * L);
    oiled_.push_back(joint.clearance && joint.clearance->film);
    if (play > 0) first_step_ = std::min(first_step_, play);
  }
  state_.y.tail(state_.y.size() - system_.position_size()).setZero();
  state_.y.segment(system_.position_size(), system_.velocity_size()) = spin_;
  system_.let_go(state_.memory.data());  // the pose without friction
  refresh_contacts(state_);
}

double Settling::size_of(const VecX& a) const {
  const double T = system_.scales().time, L = system_.scales().length;
  return (a.cwiseQuotient(displacement_scale(system_))).cwiseAbs().maxCoeff() / L * T * T;
}

void Settling::keep_spins(VecX& x) const {
  const int lengths = system_.model().planar ? 2 : 3, turns = system_.model().planar ? 1 : 3;
  for (int b = 0; b < system_.bodies().count(); ++b) {
    if (!system_.bodies().body(b).floats()) continue;  // has no spin of its own
    const int d = system_.bodies().velocity_of(b) + lengths;
    const auto spin = spin_.segment(d, turns);
    if (spin.isZero()) continue;
    const VecX axis = spin.normalized();
    x.segment(d, turns) -= axis * axis.dot(x.segment(d, turns));
  }
}

double Settling::noise(const MatX& K) const {
  // Positions carry the last bit of their own size, or of the mechanism's.
  const auto& bodies = system_.bodies();
  VecX bit(K.rows());
  for (int d = 0; d < bit.size(); ++d) {
    const int body = bodies.owner_of_velocity(d);
    const int place = bodies.position_of(body) + d - bodies.velocity_of(body);
    const double at = bodies.turns(d) ? 1.0 : std::abs(state_.y[place]) + system_.scales().length;
    bit[d] = std::numeric_limits<double>::epsilon() * at;
  }
  const VecX force = K.cwiseAbs() * bit;
  const double heaviest = mass_.diagonal().maxCoeff();
  const VecX a = force.cwiseQuotient(mass_.diagonal().cwiseMax(1e-12 * heaviest).cwiseAbs());
  return 8 * size_of(a);
}

bool Settling::balance(const State& state, const VecX& resistance, VecX& a, VecX& lambda) {
  const int nv = system_.velocity_size(), m = system_.rows();
  const double* y = state.y.data();
  system_.update(state.time, y, state.memory.data());
  VecX x(nv + m);
  system_.applied_forces(state.time, y, state.memory.data(), x.data());
  x.head(nv) -= resistance;
  // What stands still has no acceleration of its own, whatever a drive will do next.
  if (spin_.isZero())
    x.tail(m).setZero();
  else
    x.tail(m) = system_.gamma();
  if (!system_.kkt().factorise()) return false;
  system_.kkt().solve(x.data());
  a = x.head(nv);
  lambda = x.tail(m);
  keep_spins(a);
  return x.allFinite();
}

std::vector<double> Settling::depths(const State& at, const VecX& y) {
  // The events of a contact that is held are others: nothing is held here.
  std::vector<double> out(static_cast<std::size_t>(system_.event_count()));
  std::vector<double> memory = at.memory;
  for (const auto& contact : system_.contacts().list())
    joints::remember(&memory[static_cast<std::size_t>(contact.own_memory())], ContactMemory{});
  if (!out.empty()) system_.event_values(at.time, y.data(), memory.data(), out.data());
  return out;
}

/// Contact is where surfaces overlap, with nothing of an impact to remember. A contact under
/// Newton's law has no force that depends on depth: it is held by a constraint.
void Settling::refresh_contacts(State& state) {
  const auto& contacts = system_.contacts();
  if (contacts.size() == 0) return;
  const std::vector<double> depth = depths(state, state.y);
  std::vector<char> rests(static_cast<std::size_t>(contacts.size()), 0);
  for (int k = 0; k < contacts.size(); ++k) {
    double* own = &state.memory[static_cast<std::size_t>(contacts.list()[k].own_memory())];
    const bool rigid = contacts.element(k).impulse_restitution().has_value();
    const bool rested = joints::recall(own).resting != 0;
    rests[static_cast<std::size_t>(k)] =
        rigid && (depth[static_cast<std::size_t>(k)] >= 0 ||
                  (rested && depth[static_cast<std::size_t>(k)] > -play_[k]));
    joints::remember(own, ContactMemory{});
  }
  system_.note_contacts(state);
  for (int k = 0; k < contacts.size(); ++k) {
    if (!contacts.element(k).impulse_restitution()) continue;
    ContactMemory memory;
    memory.touching = memory.resting = rests[static_cast<std::size_t>(k)];
    joints::remember(&state.memory[static_cast<std::size_t>(contacts.list()[k].own_memory())],
                     memory);
  }
}

/// A rigid contact pushes and never pulls: let go, it must close again by itself, or it opens.
void Settling::release_pulling_rests() {
  const auto& contacts = system_.contacts();
  VecX a, lambda;
  const VecX none = VecX::Zero(system_.velocity_size());
  for (int k = 0; k < contacts.size(); ++k) {
    const auto own = static_cast<std::size_t>(contacts.list()[k].own_memory());
    const ContactMemory held = joints::recall(&state_.memory[own]);
    if (held.resting == 0) continue;
    joints::remember(&state_.memory[own], ContactMemory{});
    bool opens = false;
    if (balance(state_, none, a, lambda)) {
      State moved = state_;
      const double reach = a.cwiseQuotient(displacement_scale(system_)).cwiseAbs().maxCoeff();
      if (reach > 0) {
        const VecX dq = a * (1e-6 * play_[static_cast<std::size_t>(k)] / reach);
        system_.displace(moved.y.data(), dq.data());
      }
      opens = depths(state_, moved.y)[static_cast<std::size_t>(k)] <
              depths(state_, state_.y)[static_cast<std::size_t>(k)];
    }
    if (!opens) joints::remember(&state_.memory[own], held);
  }
}

/// No gap may be overrun by more than a fifth of itself, and no film lose more than two thirds of
/// its thickness, in one go: beyond, the stiffness found here says nothing.
void Settling::limit(const State& from, VecX& dq) {
  const double L = system_.scales().length;
  const double reach = dq.cwiseQuotient(displacement_scale(system_)).cwiseAbs().maxCoeff();
  if (reach > 0.3 * L) dq *= 0.3 * L / reach;
  if (play_.empty()) return;
  const std::vector<double> before = depths(from, from.y);
  for (int halved = 0; halved < 60; ++halved) {
    VecX y = from.y;
    system_.displace(y.data(), dq.data());
    const std::vector<double> after = depths(from, y);
    bool fine = true;
    for (std::size_t k = 0; k < play_.size() && fine; ++k) {
      double allowed = std::max(before[k], 0.0) + 0.2 * play_[k];
      if (oiled_[k] && before[k] < -2e-3 * play_[k]) allowed = before[k] / 3;
      fine = after[k] <= allowed;
    }
    if (fine) return;
    dq *= 0.5;
  }
}

bool Settling::place(State& state, const VecX& dq) {
  system_.displace(state.y.data(), dq.data());
  refresh_contacts(state);
  const int nq = system_.position_size(), nv = system_.velocity_size();
  state.y.segment(nq, nv) = spin_;
  if (!system_.project(state.time, state.y.data(), state.memory.data())) return false;
  if (spin_.isZero()) state.y.tail(state.y.size() - nq).setZero();
  refresh_contacts(state);
  return state.y.allFinite();
}

VecX Settling::moved_to(const State& to) const {
  VecX out(system_.velocity_size());
  system_.bodies().displacement(state_.y.data(), to.y.data(), out.data());
  return out;
}

/// One step of implicit Euler from where it stands, by Newton's method.
bool Settling::step(double sigma, State& to, VecX& displacement) {
  const int nv = system_.velocity_size();
  to = state_;
  displacement = VecX::Zero(nv);
  VecX a = acceleration_, lambda = lambda_, Q(nv);
  const double wanted = 0.05 * imbalance_;
  for (int i = 0; i < 40; ++i) {
    ++iterations_;
    const Linearised at = linearise(system_, to, VecX::Zero(nv), lambda);
    noise_ = noise(at.K);
    system_.applied_forces(to.time, to.y.data(), to.memory.data(), Q.data());
    keep_spins(Q);
    // Joints are closed where it stands, so that the step lies in the motions they allow.
    const MatX B = allowed_motions(at.J, system_);
    const MatX A = B.transpose() * (at.K + sigma * mass_) * B;
    const VecX x = A.fullPivLu().solve(B.transpose() * (Q - sigma * (mass_ * displacement)));
    if (!x.allFinite()) return false;
    VecX dq = B * x;
    keep_spins(dq);
    limit(to, dq);
    if (!place(to, dq)) return false;
    displacement = moved_to(to);
    if (!balance(to, sigma * (mass_ * displacement), a, lambda)) return false;
    const double left = size_of(a);
    if (!std::isfinite(left)) return false;
    if (left <= wanted || left <= noise_) return true;
  }
  return false;
}

bool Settling::settle() {
  const VecX none = VecX::Zero(system_.velocity_size());
  release_pulling_rests();
  if (!balance(state_, none, acceleration_, lambda_)) {
    imbalance_ = kInfinity;
    return false;
  }
  imbalance_ = size_of(acceleration_);
  const double T = system_.scales().time, L = system_.scales().length;
  // The first step goes about as far as the narrowest gap is wide.
  double sigma = std::max(imbalance_ * L / (T * T) / first_step_, 1e-6 / (T * T));
  const double largest = 1e16 * sigma;
  int stagnant = 0;
  while (iterations_ < 6000 && imbalance_ > 1e-12 && stagnant < 4 && !ran_away()) {
    State next;
    VecX moved, a, lambda;
    if (spin_.isZero()) {
      // On a ridge a long step of implicit Euler leads back up to it; one that treats the weakest
      // direction as slowly as it deserves leads down.
      const Linearised at = linearised();
      const double weakest = weakest_motion(at, allowed_motions(at.J, system_)).stiffness;
      if (weakest < 0) sigma = std::max(sigma, -1.5 * weakest);
    }
    if (!step(sigma, next, moved) || !balance(next, none, a, lambda)) {
      sigma *= 8;
      if (sigma > largest) break;
      continue;
    }
    const double now = size_of(a);
    travelled_ += moved.cwiseQuotient(displacement_scale(system_)).cwiseAbs().maxCoeff() / L;
    state_ = std::move(next);
    release_pulling_rests();
    if (!balance(state_, none, a, lambda)) break;
    acceleration_ = a;
    lambda_ = lambda;
    const double last = imbalance_;
    imbalance_ = size_of(acceleration_);
    if (imbalance_ < std::max(1e-8, noise_)) stagnant = now < 0.5 * last ? 0 : stagnant + 1;
    sigma *= std::clamp(imbalance_ / last, 0.01, 0.3);
  }
  return imbalance_ < std::max(1e-8, noise_);
}

void Settling::nudge(const VecX& direction) {
  const double reach = direction.cwiseQuotient(displacement_scale(system_)).cwiseAbs().maxCoeff();
  VecX dq = direction * (0.1 * first_step_ / reach);
  State moved = state_;
  if (place(moved, dq)) state_ = std::move(moved);
}

Linearised Settling::linearised() {
  return linearise(system_, state_, VecX::Zero(system_.velocity_size()), lambda_);
}

}  // namespace freeplay::analysis
