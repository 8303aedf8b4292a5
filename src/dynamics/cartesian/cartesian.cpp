// SPDX-License-Identifier: Apache-2.0
#include "dynamics/cartesian/cartesian.hpp"

#include "core/views.hpp"
#include "dynamics/blocks.hpp"
#include "dynamics/constraints/curve_points.hpp"
#include "dynamics/constraints/projection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace freeplay::dynamics {
namespace {

Pose<double> fixed_pose() {
  Pose<double> pose;
  pose.r = pose.v = pose.w = Vec3::Zero();
  pose.R = Mat3::Identity();
  return pose;
}

}  // namespace

Cartesian::Cartesian(const Model& model, const MakeBody& make)
    : WithBodies{Bodies(model, make)},
      System(bodies_.attached(), kCartesian),
      elements_(model_, *layout_),
      contacts_(elements_.contacts()) {
  body_count_ = model.bodies.size();
  poses_.assign(static_cast<std::size_t>(bodies_.frames()), fixed_pose());
  accelerations_.resize(poses_.size());
  drift_.resize(poses_.size());
  steady_ = VecX::Zero(velocity_size());
  find_light_dofs();

  // Memory: what every system keeps, then the last unwrapped value of every spatial angle.
  angle_slots_.resize(model_.joints.size());
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    for (Coordinate c : coordinates_of(model_.joints[j].type))
      angle_slots_[j].push_back(declare_angle(*layout_, model_, j, c));

  const VecX y = written_state();
  set_poses(y.data());
  resolve_drives();
  std::vector<std::vector<Kkt::Entry>> pattern;
  add_joint_rows(pattern);
  add_coupling_rows(pattern);
  elements_.add_forces(model_, *layout_);
  add_frictions();
  if (model_.simulation.method == Method::moreau)
    step_record_.emplace(model_, contacts_, slips_of_frictions(), *layout_);
  else
    add_holds(pattern);
  if (model_.simulation.baumgarte) drift_work_ = declare_work(*layout_, "stabilisation");
  for (int b = 0; b < bodies_.count(); ++b)
    if (bodies_.body(b).dissipates())
      dampings_.push_back(
          {b, declare_work(*layout_, "bodies/" + model_.bodies[b + 1].name + "/damping")});
  bodies_.declare(scales_, *layout_);
  size_ = layout_->y_size();

  std::vector<Kkt::Block> blocks;
  for (int b = 0; b < bodies_.count(); ++b)
    blocks.push_back({bodies_.body(b).velocities(),
                      [&, b](int i, int k) { return bodies_.body(b).couples(i, k); }});
  std::vector<Kkt::Dof> dofs;
  for (int d = 0; d < velocity_size(); ++d) dofs.push_back({bodies_.turns(d), light_[d]});
  kkt_.build(blocks, std::move(dofs), pattern);
  make_scratch();
  const std::vector<double> memory = written_memory();
  update(model_.simulation.start, y.data(), memory.data());
  use_mass_metric();
}

void Cartesian::prepare(const State& start) {
  redundant_ = start.memory[kRedundantRows] > 0;
  update(start.time, start.y.data(), start.memory.data());
  use_mass_metric();
}

VecX Cartesian::written_state() const {
  VecX y = VecX::Zero(motion_size() + state_size() + work_size());
  bodies_.start(y.data(), y.data() + position_size());
  return y;
}

std::vector<double> Cartesian::written_memory() const {
  return std::vector<double>(memory_size(), 0.0);
}

int Cartesian::angle_slot(int joint, Coordinate coordinate) const {
  const auto list = coordinates_of(model_.joints[joint].type);
  const auto at = std::find(list.begin(), list.end(), coordinate);
  return at == list.end() ? -1 : angle_slots_[joint][at - list.begin()];
}

double Cartesian::written_turns(int joint, Coordinate coordinate) const {
  return model_.planar && is_angle(coordinate) ? planar_turns_[joint] : 0.0;
}

double Cartesian::angle_reference(int joint, Coordinate coordinate, const double* memory) const {
  const int slot = angle_slot(joint, coordinate);
  return slot < 0 ? written_turns(joint, coordinate) : memory[slot];
}

Jet Cartesian::drive_at(const Row& row, double t) const {
  return row.spec.drive < 0 ? Jet{}
                            : freeplay::evaluate(drives_[row.joint][row.spec.drive].motion, t);
}

std::string Cartesian::row_name(int row) const {
  const Row& r = rows_[row];
  if (r.hold >= 0) {
    const Hold& hold = holds_[r.hold];
    const int joint = hold.kind == Hold::Kind::joint_stick ? frictions_[hold.index].element.joint()
                                                           : contacts_.element(hold.index).joint();
    return fmt::format("{} ({})", model_.joints[joint].name, r.spec.label);
  }
  const std::string& owner =
      r.joint >= 0 ? model_.joints[r.joint].name : model_.couplings[r.coupling].name;
  return fmt::format("{} ({})", owner, r.spec.label);
}

void Cartesian::set_poses(const double* y) {
  bodies_.place(y, y + position_size(), poses_);
  motion_ = Eigen::Map<const VecX>(y, motion_size());
  if (bodies_.all_rigid()) return;  // their frames do not drift
  bodies_.accelerate(y, y + position_size(), steady_.data(), poses_, drift_);
}

void Cartesian::update(double t, const double* y, const double* memory) {
  set_poses(y);
  if (bodies_.mass_varies() && metric_is_mass_) set_masses(false);
  evaluate_rows(t, memory);
}

/// The share of a frame's body in a row, from the row's gradient by the motion of the frame. What
/// the frame does without any acceleration of its body's velocities goes to the right-hand side.
void Cartesian::store(int row, int k, FrameIndex frame, const Vec3& v, const Vec3& w) {
  double* g = kkt_.gradient(row, k);
  if (bodies_.deforming(frame)) {
    std::fill_n(g, kkt_.width(row, k), 0.0);
    bodies_.spread(motion_.data(), frame, {v, w}, poses_[frame], g);
    gamma_[row] -= v.dot(drift_[frame].linear) + w.dot(drift_[frame].angular);
  } else if (model_.planar) {
    g[0] = v[0], g[1] = v[1], g[2] = w[2];
  } else {
    vec3(g) = v;
    vec3(g + 3).noalias() = poses_[frame].R.transpose() * w;  // to body axes
  }
}

void Cartesian::evaluate_rows(double t, const double* memory) {
  int current = -1;
  JointPlace<double> g{};
  for (int r = 0; r < kkt_.rows(); ++r) {
    const Row& row = rows_[r];
    if (row.joint < 0) break;  // couplings follow
    const Joint& joint = model_.joints[row.joint];
    const Pose<double>&first = poses_[joint.first.body], &second = poses_[joint.second.body];
    if (row.joint != current) g = place_of(joint, first, second);
    current = row.joint;
    const RowValue<double> value =
        evaluate_row(row.spec, joint, g, drive_at(row, t), model_.planar);
    phi_[r] = value.phi;
    phi_t_[r] = value.phi_t;
    gamma_[r] = value.gamma;
    int k = 0;
    if (joint.first.body != kGround) store(r, k++, joint.first.body, value.v1, value.w1);
    if (joint.second.body != kGround) store(r, k, joint.second.body, value.v2, value.w2);
  }
  for (int r = 0; r < kkt_.rows(); ++r)
    if (rows_[r].coupling >= 0) evaluate_coupling(r, memory);
  if (!holds_.empty()) evaluate_holds(memory);
}

/// second - ratio first = constant, from the gradients of the two coordinates.
void Cartesian::evaluate_coupling(int r, const double* memory) {
  const Row& row = rows_[r];
  const Coupling& coupling = model_.couplings[row.coupling];
  for (int k = 0; k < kkt_.entries(r); ++k) std::fill_n(kkt_.gradient(r, k), kkt_.width(r, k), 0.0);
  phi_[r] = -coupling_offset_[row.coupling];
  phi_t_[r] = gamma_[r] = 0;
  for (const auto& [on, factor] :
       {std::pair{&coupling.second, 1.0}, std::pair{&coupling.first, -coupling.ratio}}) {
    const Joint& joint = model_.joints[on->joint];
    const Pose<double>&first = poses_[joint.first.body], &second = poses_[joint.second.body];
    const JointPlace<double> gj = place_of(joint, first, second);
    const RowValue<double> value =
        evaluate_row(coordinate_row(joint, on->coordinate), joint, gj, {}, model_.planar);
    phi_[r] += factor * coordinate_value(joint, on->coordinate, gj, model_.planar,
                                         angle_reference(on->joint, on->coordinate, memory));
    gamma_[r] += factor * value.gamma;
    const auto add = [&, factor = factor](FrameIndex frame, const Vec3& v, const Vec3& w) {
      if (frame == kGround) return;
      for (int k = 0; k < kkt_.entries(r); ++k) {
        if (kkt_.body(r, k) != bodies_.owner(frame)) continue;
        VecX& share = share_.setZero(kkt_.width(r, k));
        bodies_.spread(motion_.data(), frame, {v, w}, poses_[frame], share.data());
        Eigen::Map<VecX>(kkt_.gradient(r, k), share.size()) += factor * share;
        gamma_[r] -= factor * (v.dot(drift_[frame].linear) + w.dot(drift_[frame].angular));
      }
    };
    add(joint.first.body, value.v1, value.w1);
    add(joint.second.body, value.v2, value.w2);
  }
}

void Cartesian::set_masses(bool all) {
  mass_blocks_.resize(static_cast<std::size_t>(bodies_.count()));
  for (int b = 0; b < bodies_.count(); ++b) {
    const MovingBody& body = bodies_.body(b);
    if (!all && !body.mass_varies()) continue;
    MatX& block = mass_blocks_[static_cast<std::size_t>(b)];
    body.mass(&motion_[bodies_.position_of(b)], block);
    kkt_.set_mass(b, block);
  }
}

void Cartesian::use_mass_metric() {
  metric_is_mass_ = true;
  set_masses(true);
  kkt_.calibrate(redundant_ || has_light_, mass_scale_, inertia_scale_);
}

void Cartesian::use_metric(const VecX& diagonal) {
  metric_is_mass_ = false;
  for (int b = 0; b < bodies_.count(); ++b)
    kkt_.set_mass(
        b, diagonal.segment(bodies_.velocity_of(b), bodies_.body(b).velocities()).asDiagonal());
  kkt_.calibrate(true, mass_scale_, inertia_scale_);
}

void Cartesian::applied_forces(double t, const double* y, const double* memory, double* Q) {
  bodies_.forces(y, y + position_size(), Q);
  const auto add = [&](FrameIndex frame, const Wrench<double>& wrench) {
    add_wrench(frame, wrench, Q);
  };
  const double* z = y + motion_size();
  elements_.evaluate_forces(t, poses_, memory, z, angles(memory));
  elements_.add_force_wrenches(add);
  elements_.evaluate_joints(t, poses_, memory, z);
  elements_.add_joint_wrenches(add);
}

bool Cartesian::solve_accelerations(double t, const double* y, const double* memory) {
  update(t, y, memory);
  right_hand_side(t, y, memory);
  if (!kkt_.factorise()) {
    const int n = velocity_size(), unknown = kkt_.failed_unknown();
    culprit_ = unknown >= n ? "joint " + row_name(unknown - n)
                            : "body " + model_.bodies[bodies_.owner_of_velocity(unknown) + 1].name;
    return false;
  }
  if (!step_record_ && (!frictions_.empty() || !rigid_frictions_.empty()))
    return solve_with_friction(y, memory);
  kkt_.solve(solution_.data());
  lambda_ = solution_.tail(rows());
  return true;
}

/// Applied forces and right-hand sides of the rows, into the solution; update() first.
void Cartesian::right_hand_side(double t, const double* y, const double* memory) {
  applied_forces(t, y, memory, solution_.data());
  kkt_.rates(y + position_size(), row_rate_.data());
  if (model_.simulation.baumgarte) {  // Baumgarte 1972
    const auto [alpha, beta] = *model_.simulation.baumgarte;
    gamma_ -= 2 * alpha * (row_rate_ + phi_t_) + beta * beta * phi_;
  }
  solution_.tail(rows()) = gamma_;
  if (!step_record_) return;  // rigid contacts, friction: the mean forces of the step
  step_record_->add_wrenches(poses_, memory, [&](FrameIndex frame, const Wrench<double>& wrench) {
    add_wrench(frame, wrench, solution_.data());
  });
  recall_frictions(memory, solution_.data());
}

bool Cartesian::finite(const double* f, double) {
  for (int k = 0; k < size_; ++k)
    if (!std::isfinite(f[k])) {
      culprit_ = layout_->owner(k);
      return false;
    }
  return true;
}

bool Cartesian::derivative(double t, const double* y, const double* memory, double* f) {
  if (!solve_accelerations(t, y, memory)) return false;
  const int q = position_size(), n = velocity_size();
  position_rates(y, f);
  std::copy_n(solution_.data(), n, f + q);
  if (elements_.states() > 0) {
    bodies_.accelerate(y, y + q, solution_.data(), poses_, accelerations_);
    elements_.state_rates(t, poses_, accelerations_, memory, y + q + n, f + q + n);
  }
  if (friction_states_) friction_state_rates(t, y, memory, f);
  powers(y + q, lambda_.data(), f + q + n + state_size());
  return finite(f, t);
}

void Cartesian::powers(const double* v, const double* lambda, double* out) {
  kkt_.rates(v, row_rate_.data());
  double drift = 0;
  for (int r = 0; r < rows(); ++r) {
    if (rows_[r].hold >= 0) continue;
    const double p = -lambda[r] * row_rate_[r];  // of the row on the bodies
    if (rows_[r].work >= 0)
      out[rows_[r].work] = p;
    else
      drift += p;
  }
  elements_.force_powers(out);
  elements_.joint_powers(out);
  for (const Friction& friction : frictions_) out[friction.work] = friction.power;
  for (const RigidFriction& friction : rigid_frictions_)
    out[contacts_.list()[friction.contact].friction_work] += friction.power;
  // A hold keeps still what it holds: its power is round-off, booked where it arises.
  for (const Hold& hold : holds_) {
    const int work = hold.kind == Hold::Kind::joint_stick ? frictions_[hold.index].work
                     : hold.kind == Hold::Kind::rest      ? contacts_.list()[hold.index].normal_work
                                                     : contacts_.list()[hold.index].friction_work;
    for (int k = 0; k < hold.count; ++k)
      out[work] -= lambda[hold.row + k] * row_rate_[hold.row + k];
  }
  for (const Damping& damping : dampings_)
    out[damping.work] = bodies_.body(damping.body)
                            .dissipated_power(&motion_[bodies_.position_of(damping.body)],
                                              v + bodies_.velocity_of(damping.body));
  if (drift_work_ >= 0) out[drift_work_] = drift;
}

double Cartesian::violation(double t, const double* y, const double* memory) {
  update(t, y, memory);
  double worst = 0;
  for (int r = 0; r < rows(); ++r) worst = std::max(worst, std::abs(phi_[r]) / rows_[r].spec.scale);
  return worst;
}

bool Cartesian::project(double t, double* y, const double* memory) {
  bodies_.normalise(y);
  if (rows() == 0 || model_.simulation.baumgarte) return true;
  const Projected out = project_onto(
      ProjectedRows<Kkt>{kkt_, phi_, phi_t_, row_rate_, solution_}, y + position_size(),
      [&] { update(t, y, memory); }, [&] { return kkt_.factorise(); },
      [&](const double* x) { displace(y, x); }, [&](int r) { return rows_[r].spec.scale; });
  if (out.culprit >= 0) culprit_ = "joint " + row_name(out.culprit);
  return out.done;
}

void Cartesian::take_up(State& state) {
  if (elements_.watched() == 0) return;
  set_poses(state.y.data());
  elements_.follow(poses_, state.y.data() + motion_size(), angles(state.memory.data()), state);
}

double Cartesian::next_change(const State& state) {
  const bool curves = has_curves(model_);
  if (elements_.watched() == 0 && !curves) return System::next_change(state);
  set_poses(state.y.data());
  const double out =
      elements_.soonest(poses_, state.y.data() + motion_size(), angles(state.memory.data()), state);
  return curves ? std::min(out, next_curve_point(model_, poses_)) : out;
}

void Cartesian::sense(double t, const double* y, const double* memory) {
  set_poses(y);
  elements_.control().sense(t, poses_, memory, y + motion_size(), angles(memory));
}

void Cartesian::accept(State& state) {
  double* y = state.y.data();
  bodies_.normalise(y);
  take_up(state);
  if (step_record_) step_record_->tell(state, y + motion_size() + state_size());
  bool any = dry_events_ > 0;
  for (const auto& slots : angle_slots_)
    for (int slot : slots) any |= slot >= 0;
  if (!any) return;
  set_poses(y);
  if (dry_events_ > 0) refresh_slip(state);
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    const auto list = coordinates_of(joint.type);
    for (std::size_t c = 0; c < list.size(); ++c) {
      const int slot = angle_slots_[j][c];
      if (slot < 0) continue;
      const auto g = place_of(joint, poses_[joint.first.body], poses_[joint.second.body]);
      state.memory[slot] = coordinate_value(joint, list[c], g, model_.planar, state.memory[slot]);
    }
  }
}

}  // namespace freeplay::dynamics
