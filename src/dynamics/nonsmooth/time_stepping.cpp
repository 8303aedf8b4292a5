// SPDX-License-Identifier: Apache-2.0
#include "dynamics/nonsmooth/time_stepping.hpp"

#include "core/views.hpp"
#include "dynamics/constraints/shifts.hpp"
#include "dynamics/elements/joint_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace freeplay::dynamics {
namespace {

/// Rounding of places, in lengths of the mechanism: a gap smaller than this is closed.
constexpr double kClosed = 1e-12;
/// A depth that is none.
constexpr double kOnTheWall = 1e-14;

/// Unit vectors that span the tangent plane of a contact.
void span_tangents(const Vec3& n, bool planar, Vec3* out) {
  if (planar) {
    out[0] = {-n[1], n[0], 0};
    return;
  }
  Eigen::Index least = 0;
  n.cwiseAbs().minCoeff(&least);
  out[0] = n.cross(Vec3(Vec3::Unit(least))).normalized();
  out[1] = n.cross(out[0]);
}

}  // namespace

TimeStepping::TimeStepping(Cartesian& system)
    : system_(system),
      model_(system.model()),
      contacts_(system.contacts()),
      states_(system),
      theta_(model_.simulation.theta) {
  const Bodies& bodies = system.bodies();
  const auto& held = system.elements().joints();
  elements_ = !model_.forces.empty() ||
              std::any_of(held.begin(), held.end(), [](const Elements::Entry& entry) {
                return dynamic_cast<const CushionElement*>(entry.element.get()) != nullptr;
              });
  implicit_ = elements_ || !bodies.all_rigid();
  gyroscopic_ = !model_.planar && !implicit_;
  places_.assign(contacts_.elements().size(), 1);
  const int n = system.velocity_size(), q = system.position_size();
  const VecX scale = system.error_scale();
  weights_ = (scale.segment(q, n) * system.scales().time).cwiseInverse();
  still_ = VecX::Zero(n);
  no_multipliers_ = VecX::Zero(system.rows());
  row_rate_ = row_goal_ = VecX::Zero(system.rows());
  change_ = force_ = mean_ = VecX::Zero(n);
  power_ = VecX::Zero(system.work_size());
  turn_.resize(static_cast<std::size_t>(q));
  depths_.resize(static_cast<std::size_t>(contacts_.size()));
  takers_.reserve(depths_.size());
  lay_out();
}

// ---- the pattern

/// Bodies, rows and places for contacts; all numbers of the masses that stay.
void TimeStepping::lay_out() {
  const Bodies& bodies = system_.bodies();
  const Kkt& kkt = system_.kkt();
  ImpulseProblem::Pattern pattern;
  for (int b = 0; b < bodies.count(); ++b)
    pattern.bodies.push_back({bodies.body(b).velocities(), [&bodies, b, this](int i, int k) {
                                return implicit_ || bodies.body(b).couples(i, k);
                              }});
  pattern.light = system_.light();
  if (implicit_) couple_elements(pattern);
  for (int r = 0; r < kkt.rows(); ++r) {
    ImpulseProblem::Row& row = pattern.rows.emplace_back();
    for (int k = 0; k < kkt.entries(r); ++k) row.bodies.push_back(kkt.body(r, k));
  }
  const auto body_of = [&](FrameIndex frame) {
    return frame == kGround ? -1 : bodies.owner(frame);
  };
  for (std::size_t e = 0; e < contacts_.elements().size(); ++e) {
    const joints::ImperfectJoint& element = contacts_.elements()[e];
    const int tangents = element.dry_friction() ? (model_.planar ? 1 : 2) : 0;
    ImpulseProblem::Surfaces& surfaces = pattern.surfaces.emplace_back();
    surfaces.first = body_of(element.first());
    surfaces.second = body_of(element.second());
    surfaces.tangents = tangents;
    surfaces.places = places_[e];
  }
  for (const Cartesian::Friction& friction : system_.frictions())
    pattern.surfaces.push_back(surfaces_of(friction));
  problem_.build(pattern);
  set_masses();
  std::size_t numbers = 0;
  for (int r = 0; r < kkt.rows(); ++r)
    for (int k = 0; k < kkt.entries(r); ++k) numbers += static_cast<std::size_t>(kkt.width(r, k));
  rates_.assign(numbers, 0.0);
}

void TimeStepping::couple_elements(ImpulseProblem::Pattern& pattern) const {
  const auto couple = [&](const Element& element) {
    if (element.first() == kGround || element.second() == kGround) return;
    const int one = system_.bodies().owner(element.first()),
              two = system_.bodies().owner(element.second());
    if (one != two) pattern.coupled.emplace_back(one, two);
  };
  for (const Elements::Entry& entry : system_.elements().forces()) couple(*entry.element);
  for (const Elements::Entry& entry : system_.elements().joints())
    if (dynamic_cast<const CushionElement*>(entry.element.get())) couple(*entry.element);
}

void TimeStepping::set_masses() {
  const Bodies& bodies = system_.bodies();
  problem_.clear_mass();
  const double* y = y_middle_.size() > 0 ? y_middle_.data() : nullptr;
  VecX written;
  if (!y) written = system_.written_state(), y = written.data();
  for (int b = 0; b < bodies.count(); ++b) {
    bodies.body(b).mass(y + bodies.position_of(b), mass_);
    const int first = bodies.velocity_of(b);
    for (int i = 0; i < mass_.rows(); ++i) {
      for (int k = 0; k < mass_.cols(); ++k)
        if (mass_(i, k) != 0) problem_.add_mass(first + i, first + k, mass_(i, k));
      double own = mass_(i, i);
      if (system_.light()[static_cast<std::size_t>(first + i)]) {
        const double scale = system_.scales().mass *
                             (bodies.turns(first + i) ? std::pow(system_.scales().length, 2) : 1.0);
        problem_.add_mass(first + i, first + i, kLightShift * scale);
        own = scale;
      }
      problem_.set_scale(first + i, own);
    }
  }
}

// ---- joints and smooth forces

/// The gradients of the rows now, as what the rates at the end of the step are.
void TimeStepping::keep_row_rates() {
  const Kkt& kkt = system_.kkt();
  auto out = rates_.begin();
  for (int r = 0; r < kkt.rows(); ++r)
    for (int k = 0; k < kkt.entries(r); ++k)
      out = std::copy_n(kkt.gradient(r, k), kkt.width(r, k), out);
}

void TimeStepping::set_rows() {
  const Kkt& kkt = system_.kkt();
  const double* rate = rates_.data();
  for (int r = 0; r < kkt.rows(); ++r)
    for (int k = 0; k < kkt.entries(r); ++k) {
      problem_.set_row(r, k, kkt.gradient(r, k), rate);
      rate += kkt.width(r, k);
    }
  problem_.scale_rows();
}

/// What forces change with the motion of the step itself, theory/time_stepping (N.6).
void TimeStepping::add_implicit(double t, double h, const double* memory) {
  set_masses();
  const int n = system_.velocity_size(), q = system_.position_size();
  const double* y = y_middle_.data();
  const double rate = theta_ * h, place = rate * rate;
  for (auto& list : turn_) list.clear();
  system_.position_rates_derivative(y, [&](int row, int column, double x) {
    if (column >= q && x != 0) turn_[static_cast<std::size_t>(row)].emplace_back(column - q, x);
  });
  const int last = n + system_.rows() + system_.state_size();
  states_.begin();
  const Sink sink = [&](int row, int column, double x) {
    if (row >= last || x == 0) return;
    if (row >= n) {
      if (row >= n + system_.rows())
        states_.add_rate(row - n - system_.rows(), column, x, place, rate, turn_);
      return;
    }
    if (column >= q + n) return states_.add_force(row, column - q - n, x);
    if (column >= q) {
      problem_.add_mass(row, column - q, rate * x);
      return;
    }
    for (const auto& [velocity, share] : turn_[static_cast<std::size_t>(column)])
      problem_.add_mass(row, velocity, place * share * x);
  };
  if (implicit_)
    system_.residual_derivative(t, y, memory, still_.data(), no_multipliers_.data(), sink);
  else
    system_.bodies().momentum_derivative(y, y + q, still_.data(), sink);
}

// ---- contacts

/// What a force and a moment on a frame do to the velocities of its body.
void TimeStepping::spread(FrameIndex frame, const Vec3& force, const Vec3& moment,
                          double* out) const {
  const Bodies& bodies = system_.bodies();
  const Pose<double>& pose = system_.poses()[static_cast<std::size_t>(frame)];
  if (bodies.deforming(frame)) {
    std::fill_n(out, bodies.body(bodies.owner(frame)).velocities(), 0.0);
    bodies.spread(y_middle_.data(), frame, {force, moment}, pose, out);
  } else if (model_.planar) {
    out[0] = force[0], out[1] = force[1], out[2] = moment[2];
  } else {
    vec3(out) = force;
    vec3(out + 3).noalias() = pose.R.transpose() * moment;
  }
}

void TimeStepping::take(int contact, int place, const joints::ContactPoint<double>& point,
                        const std::vector<double>& memory) {
  const joints::ImperfectJoint& element = contacts_.element(contact);
  const auto& dry = element.dry_friction();
  Taker taker{contact, point, {Vec3::Zero(), Vec3::Zero()}};
  ImpulseProblem::Contact is;
  is.place = place;
  is.restitution = *element.impulse_restitution();
  is.tangents = dry && dry->kinetic > 0 ? (model_.planar ? 1 : 2) : 0;
  span_tangents(point.normal, model_.planar, taker.tangent);
  for (int i = 0; i <= (dry ? (model_.planar ? 1 : 2) : 0); ++i) {
    const Vec3 direction = i == 0 ? Vec3(-point.normal) : taker.tangent[i - 1];
    double* out = problem_.gradient(place, i);
    const Vec3 none = Vec3::Zero();
    if (element.first() != kGround) {
      if (point.couple)
        spread(element.first(), none, -direction, out);
      else
        spread(element.first(), -direction, -point.arm1.cross(direction), out);
      const Bodies& bodies = system_.bodies();
      out += bodies.body(bodies.owner(element.first())).velocities();
    }
    if (element.second() == kGround) continue;
    if (point.couple)
      spread(element.second(), none, direction, out);
    else
      spread(element.second(), direction, point.arm2.cross(direction), out);
  }
  if (dry) is.at_rest = dry->breakaway, is.sliding = dry->kinetic;
  const auto& list = contacts_.list()[static_cast<std::size_t>(contact)];
  const joints::ContactMemory past = joints::recall(&memory[list.own_memory()]);
  is.mode = past.touching == 0                                    ? Mode::open
            : is.tangents > 0 && past.sticking != joints::kSticks ? Mode::slip
                                                                  : Mode::stick;
  problem_.take(is, y_middle_.data() + system_.position_size());
  takers_.push_back(taker);
}

/// Every contact that is closed at the poses of the moment takes part. False when there were not
/// enough places, and now there are: all numbers have to be set again.
bool TimeStepping::gather(const std::vector<double>& memory) {
  problem_.clear_contacts();
  takers_.clear();
  const auto poses = system_.poses();
  contacts_.event_values(poses, depths_.data());
  const double closed = kClosed * system_.scales().length;
  bool enough = true;
  joints::ContactPoint<double> point;
  for (int k = 0; k < contacts_.size(); ++k) {
    if (depths_[static_cast<std::size_t>(k)] < -closed) continue;
    const Contacts::Contact& contact = contacts_.list()[static_cast<std::size_t>(k)];
    const joints::ImperfectJoint& element = contacts_.element(k);
    if (!element.leading(contact.index, poses[static_cast<std::size_t>(element.first())],
                         poses[static_cast<std::size_t>(element.second())], point))
      continue;
    const int place = problem_.place_of(contact.element);
    if (place < 0) {
      ++places_[static_cast<std::size_t>(contact.element)];
      enough = false;
      continue;
    }
    if (enough) take(k, place, point, memory);
  }
  if (!enough) lay_out();
  return enough;
}

// ---- the step

/// The joint of a contact of the impulse problem: those that take part, then friction of joints.
JointIndex TimeStepping::joint_of(int contact) const {
  const auto k = static_cast<std::size_t>(contact);
  return k < takers_.size() ? contacts_.element(takers_[k].contact).joint()
                            : system_.frictions()[k - takers_.size()].element.joint();
}

TimeStepping::Outcome TimeStepping::failed() {
  const int worst = problem_.worst_contact();
  if (worst >= 0) {
    system_.blame("joint " + model_.joints[joint_of(worst)].name);
    return {false,
            fmt::format("no impulses were found that satisfy the laws of contact and friction "
                        "(residual {:.1e})",
                        problem_.residual())};
  }
  const int unknown = problem_.failed_unknown(), n = problem_.dofs();
  if (unknown >= n && unknown < n + problem_.rows())
    system_.blame("joint " + system_.row_name(unknown - n));
  else if (unknown >= 0 && unknown < n)
    system_.blame("body " + model_.bodies[system_.bodies().owner_of_velocity(unknown) + 1].name);
  return {false, "the velocities after the step cannot be determined"};
}

TimeStepping::Outcome TimeStepping::step(double t, double h, const VecX& y,
                                         const std::vector<double>& memory, VecX& y_new,
                                         std::vector<double>& memory_new) {
  const int q = system_.position_size(), n = system_.velocity_size();
  const double* now = memory.data();
  const Eigen::Map<const VecX> v(y.data() + q, n);
  const auto look_at = [&](double share) {
    y_middle_ = y;
    change_ = share * h * v;
    system_.displace(y_middle_.data(), change_.data());
    system_.update(t + share * h, y_middle_.data(), now);
  };
  // Rates of the rows where the step is going to end.
  const bool rows = system_.rows() > 0;
  if (rows) {
    look_at(1);
    keep_row_rates();
    row_goal_ = -system_.phi_t();
  }
  // Forces where the theta method sees them, contacts in the middle.
  const bool apart = implicit_ && theta_ != 0.5;
  look_at(apart ? theta_ : 0.5);
  system_.applied_forces(t + (apart ? theta_ : 0.5) * h, y_middle_.data(), now, force_.data());
  force_ *= h;
  if (implicit_ || gyroscopic_) add_implicit(t + (apart ? theta_ : 0.5) * h, h, now);
  if (!states_.empty() && !states_.condense(system_.elements(), h, theta_, problem_, force_.data()))
    return {false, "the states of elements after the step cannot be determined"};
  if (apart) look_at(0.5);
  if (!gather(memory)) return step(t, h, y, memory, y_new, memory_new);
  take_frictions(h, memory);
  if (rows) {
    set_rows();
    const double* rate = rates_.data();
    const Kkt& kkt = system_.kkt();
    for (int r = 0; r < kkt.rows(); ++r)
      for (int k = 0; k < kkt.entries(r); ++k)
        for (int c = 0; c < kkt.width(r, k); ++c)
          row_goal_[r] -= *rate++ * v[kkt.first_dof(r, k) + c];
  }
  if (!problem_.solve(force_.data(), row_goal_.data())) return failed();
  lessened_ += problem_.lessened() ? 1 : 0;

  const Eigen::Map<const VecX> dv(problem_.change(), n);
  Outcome out;
  out.error = 0.5 * h * dv.cwiseProduct(weights_).cwiseAbs().maxCoeff();
  mean_ = v + 0.5 * dv;
  y_new = y;
  states_.advance(dv.data(), &y_new[system_.motion_size()]);
  book_works(t, h, y, memory, y_new);
  y_new.segment(q, n) += dv;
  change_ = h * (v + theta_ * dv);
  system_.displace(y_new.data(), change_.data());
  memory_new = memory;
  remember(t, h, y.data() + system_.motion_size() + system_.state_size(), memory_new);
  if (!close(t, h, y_new.data(), memory_new)) {
    return {false, "the joints cannot be closed after a step"};
  }
  out.error = std::max(out.error, overlooked());
  if (!y_new.allFinite()) return {false, "the state is no longer finite"};
  return out;
}

/// Back to the joints, and out of the walls in which what presses would still be after another
/// step: theory/time_stepping (N.8).
bool TimeStepping::close(double t, double h, double* y, const std::vector<double>& memory) {
  // Of the scale of each row. What one pass leaves of less than kNear is round-off; beyond kOpen
  // there is no pose to find; beyond kFar it would be another one.
  constexpr double kDone = 1e-14, kNear = 1e-10, kOpen = 1e-9, kFar = 0.1;
  constexpr int kPasses = 6;
  const int rows = system_.rows();
  for (int pass = 0;; ++pass) {
    if (rows > 0)
      system_.update(t + h, y, memory.data());
    else
      static_cast<void>(system_.poses_at(t + h, y));
    double worst = 0;
    int which = -1;
    for (int r = 0; r < rows; ++r) {
      row_goal_[r] = -system_.phi()[r];
      const double open = std::abs(row_goal_[r]) / system_.row_scale(r);
      if (open > worst) worst = open, which = r;
      if (!std::isfinite(open)) return false;
    }
    // Walls once: what they are curved is left to the next step.
    const bool walls = pass == 0 && lies_in_walls(h);
    if (!walls && worst < kDone) return true;
    if (pass == kPasses || !(worst < kFar)) {
      if (worst > kOpen && which >= 0) system_.blame("joint " + system_.row_name(which));
      return worst <= kOpen;
    }
    const bool out = walls && problem_.displace(row_goal_.data(), depths_);
    if (walls && !out && !problem_.let_go()) return false;
    if (!out) problem_.displace(row_goal_.data());
    const Eigen::Map<const VecX> moved(problem_.change(), problem_.dofs());
    if (!(moved.cwiseProduct(weights_).cwiseAbs().maxCoeff() < kFar)) return false;
    system_.displace(y, problem_.change());
    if (worst < kNear && (!walls || rows == 0)) return true;
  }
}

/// How deep each contact of the step lies in its wall, less what it leaves by itself, into depths_;
/// whether any that presses does.
bool TimeStepping::lies_in_walls(double h) {
  const auto poses = system_.poses();
  const auto& contacts = problem_.contacts();
  bool any = false;
  for (std::size_t k = 0; k < takers_.size(); ++k) {
    const joints::ImperfectJoint& element = contacts_.element(takers_[k].contact);
    const auto& list = contacts_.list()[static_cast<std::size_t>(takers_[k].contact)];
    const double leaves = h * std::max(0.0, contacts[k].after[0]);
    depths_[k] = element.depth(list.index, poses[static_cast<std::size_t>(element.first())],
                               poses[static_cast<std::size_t>(element.second())]) -
                 leaves;
    if (contacts[k].mode == Mode::open) depths_[k] = std::min(depths_[k], 0.0);
    any = any || depths_[k] > kOnTheWall * system_.scales().length;
  }
  return any;
}

/// How deep the deepest contact lies in its wall at the end that took no part in the step, in
/// lengths or angles of the mechanism: the next step will find it.
double TimeStepping::overlooked() {
  contacts_.event_values(system_.poses(), depths_.data());
  for (const Taker& taker : takers_) depths_[static_cast<std::size_t>(taker.contact)] = 0;
  double deepest = 0;
  for (int k = 0; k < contacts_.size(); ++k)
    if (const double depth = depths_[static_cast<std::size_t>(k)]; depth > 0)
      deepest = std::max(deepest,
                         depth / (contacts_.element(k).is_angle() ? 1.0 : system_.scales().length));
  return deepest;
}

}  // namespace freeplay::dynamics
