// SPDX-License-Identifier: Apache-2.0
#include "dynamics/cartesian/cartesian.hpp"

#include "core/views.hpp"
#include "dynamics/blocks.hpp"
#include "dynamics/constraints/projection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace freeplay::dynamics {
namespace {

/// Pose of a body from its share of y; velocities of rotation are stored in body axes.
Pose<double> pose_of(bool planar, const double* q, const double* v) {
  Pose<double> pose;
  if (planar) {
    pose.r = {q[0], q[1], 0};
    pose.angle = q[2];
    pose.R = rotation_about_z(q[2]);
    pose.v = {v[0], v[1], 0};
    pose.w = {0, 0, v[2]};
  } else {
    pose.r = {q[0], q[1], q[2]};
    pose.R = rotation_matrix(q[3], q[4], q[5], q[6]);
    pose.v = {v[0], v[1], v[2]};
    pose.w = pose.R * Vec3(v[3], v[4], v[5]);
  }
  return pose;
}

Pose<double> fixed_pose() {
  Pose<double> pose;
  pose.r = pose.v = pose.w = Vec3::Zero();
  pose.R = Mat3::Identity();
  return pose;
}

/// Which local velocities a row can touch: lets the factorisation skip structural zeros.
std::uint8_t columns_of(const RowSpec& row, bool planar) {
  if (planar) {
    if (row.turns()) return 0b100;
    return row.kind == RowSpec::Kind::point ? static_cast<std::uint8_t>(0b100 | 1 << row.component)
                                            : 0b111;
  }
  if (row.turns()) return 0b111000;
  return row.kind == RowSpec::Kind::point ? static_cast<std::uint8_t>(0b111000 | 1 << row.component)
                                          : 0b111111;
}

}  // namespace

Cartesian::Cartesian(const Model& model)
    : System(model, kCartesian),
      elements_(model, *layout_),
      contacts_(elements_.contacts()),
      pieces_(elements_.pieces()) {
  moving_ = static_cast<int>(model.bodies.size()) - 1;
  q_width_ = model.planar ? 3 : 7;
  v_width_ = model.planar ? 3 : 6;
  poses_.assign(model.bodies.size(), fixed_pose());
  accelerations_.resize(model.bodies.size());

  // Mass scales for the shifts of the solver, and the dofs that have no inertia at all.
  mass_scale_ = 0;
  for (const Body& b : model.bodies) mass_scale_ = std::max(mass_scale_, b.mass);
  if (mass_scale_ == 0) mass_scale_ = 1;
  inertia_scale_ = mass_scale_ * scales_.length * scales_.length;
  // Dofs with no inertia worth its name, seen from the body's own joints (point masses, thin rods):
  // they are eliminated last, where the joints give them a pivot.
  VecX arm = VecX::Zero(moving_ + 1);
  for (const Joint& joint : model.joints)
    for (const Frame* f : {&joint.first, &joint.second})
      arm[f->body] = std::max(arm[f->body], f->point.norm());
  light_.assign(static_cast<std::size_t>(moving_) * v_width_, false);
  for (int b = 0; b < moving_; ++b) {
    const Body& body = model.bodies[b + 1];
    const int translations = v_width_ == 6 ? 3 : 2;
    for (int c = 0; c < v_width_; ++c) {
      const bool turn = c >= translations;
      const double m = !turn           ? body.mass
                       : v_width_ == 3 ? body.inertia(2, 2)
                                       : body.inertia(c - 3, c - 3);
      if (m <= (turn ? 1e-6 * body.mass * arm[b + 1] * arm[b + 1] : 0.0))
        light_[b * v_width_ + c] = has_light_ = true;
    }
  }

  // Memory: what every system keeps, then the last unwrapped value of every spatial angle.
  angle_slots_.resize(model.joints.size());
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (Coordinate c : coordinates_of(model.joints[j].type))
      angle_slots_[j].push_back(declare_angle(*layout_, model, j, c));

  // Drives at constant speed take over the coordinate where the file puts it.
  const VecX y = written_state();
  for (int b = 0; b < moving_; ++b)
    poses_[b + 1] = pose_of(model.planar, &y[b * q_width_], &y[position_size() + b * v_width_]);
  planar_turns_.assign(model.joints.size(), 0.0);
  if (model.planar)
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      const Joint& joint = model.joints[j];
      const double raw =
          joint_angle(joint, poses_[joint.first.body], poses_[joint.second.body], model.planar);
      planar_turns_[j] = 2 * M_PI * std::round(raw / (2 * M_PI));
    }
  drives_.resize(model.joints.size());
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    drives_[j] = joint.drives;
    for (Drive& drive : drives_[j]) {
      const auto written = [&] {
        const auto g = geometry(joint, poses_[joint.first.body], poses_[joint.second.body]);
        return coordinate_value(joint, drive.coordinate, g, model.planar,
                                model.planar ? planar_turns_[j] : 0.0);
      };
      if (auto* m = std::get_if<ConstantSpeed>(&drive.motion)) {
        if (m->from_pose) m->start = written();
        m->start -= m->speed * model.simulation.start;
      } else if (auto* input = std::get_if<Input>(&drive.motion); input && input->from_pose) {
        input->start = written();
      }
    }
  }

  // Rows: joint by joint, drives after the joint's own, couplings last.
  std::vector<std::vector<Kkt::Entry>> pattern;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    for (const RowSpec& spec : rows_of(joint, model.planar, scales_.length)) {
      Row row;
      row.spec = spec;
      row.joint = static_cast<int>(j);
      if (spec.drive >= 0) {
        std::string path = "joints/" + joint.name + "/drive";
        if (joint.drives.size() > 1)
          path += "_" + std::string(name_of(joint.drives[spec.drive].coordinate));
        row.work = declare_work(*layout_, path);
      }
      rows_.push_back(row);
      std::vector<Kkt::Entry> entries;
      for (BodyIndex b : {joint.first.body, joint.second.body})
        if (b != kGround) entries.push_back({b - 1, columns_of(spec, model.planar)});
      pattern.push_back(entries);
    }
  }
  for (std::size_t c = 0; c < model.couplings.size(); ++c) {
    const Coupling& coupling = model.couplings[c];
    Row row;
    row.coupling = static_cast<int>(c);
    row.spec.label = "mesh";
    row.spec.scale = is_angle(coupling.second.coordinate) ? 1 : scales_.length;
    rows_.push_back(row);
    std::vector<Kkt::Entry> entries;  // two joints may share a body: one entry each, merged
    for (const JointCoordinate* on : {&coupling.first, &coupling.second}) {
      const Joint& joint = model.joints[on->joint];
      for (BodyIndex b : {joint.first.body, joint.second.body}) {
        if (b == kGround) continue;
        const auto columns = columns_of(coordinate_row(joint, on->coordinate), model.planar);
        const auto known =
            std::find_if(entries.begin(), entries.end(), [&](auto& e) { return e.body == b - 1; });
        if (known == entries.end())
          entries.push_back({b - 1, columns});
        else
          known->columns |= columns;
      }
    }
    pattern.push_back(entries);
    const auto value = [&](const JointCoordinate& on) {
      const Joint& joint = model.joints[on.joint];
      const auto g = geometry(joint, poses_[joint.first.body], poses_[joint.second.body]);
      return coordinate_value(joint, on.coordinate, g, model.planar,
                              model.planar ? planar_turns_[on.joint] : 0.0);
    };
    coupling_offset_.push_back(value(coupling.second) - coupling.ratio * value(coupling.first));
  }

  elements_.add_forces(model, *layout_);
  add_frictions();
  add_holds(pattern);
  if (model.simulation.baumgarte) drift_work_ = declare_work(*layout_, "stabilisation");
  declare_motion();
  size_ = layout_->y_size();

  kkt_.build(moving_, v_width_, pattern, light_);
  const int m = kkt_.rows();
  phi_ = phi_t_ = gamma_ = row_rate_ = lambda_ = VecX::Zero(m);
  solution_ = VecX::Zero(kkt_.size());
  later_ = VecX::Zero(size_);
  later_rates_ = VecX::Zero(position_size());
  later_events_ = VecX::Zero(event_count());
  const std::size_t loaded = frictions_.size() + rigid_frictions_.size();
  at_unit_load_.assign(loaded, VecX::Zero(kkt_.size()));
  pressing_.assign(loaded * (loaded + 1), Vec3::Zero());
  loads_ = load_errors_ = VecX::Zero(static_cast<Eigen::Index>(loaded));
  load_slopes_ = MatX::Identity(loads_.size(), loads_.size());
  const std::vector<double> memory = written_memory();
  update(model.simulation.start, y.data(), memory.data());
  use_mass_metric();
}

void Cartesian::declare_motion() {
  const double L = scales_.length, T = scales_.time;
  using enum BlockKind;
  for (int b = 1; b <= moving_; ++b) {
    const std::string path = "bodies/" + model_.bodies[b].name;
    const int lengths = model_.planar ? 2 : 3;
    layout_->declare({path + "/position", position, lengths, "m", L});
    layout_->declare(model_.planar ? Block{path + "/angle", position, 1, "rad", 1}
                                   : Block{path + "/quaternion", position, 4, "1", 1});
    layout_->declare({path + "/velocity", velocity, lengths, "m/s", L / T});
    layout_->declare({path + "/angular_velocity", velocity, v_width_ - lengths, "rad/s", 1 / T});
  }
}

void Cartesian::prepare(const State& start) {
  redundant_ = start.memory[kRedundantRows] > 0;
  update(start.time, start.y.data(), start.memory.data());
  use_mass_metric();
}

VecX Cartesian::written_state() const {
  VecX y = VecX::Zero(motion_size() + state_size() + work_size());
  for (int b = 0; b < moving_; ++b) {
    const Body& body = model_.bodies[b + 1];
    double* q = &y[b * q_width_];
    double* v = &y[position_size() + b * v_width_];
    const Vec3 velocity = body.velocity.value_or(Vec3::Zero());
    const Vec3 spin = body.angular_velocity.value_or(Vec3::Zero());
    if (model_.planar) {
      q[0] = body.position[0], q[1] = body.position[1], q[2] = body.angle;
      v[0] = velocity[0], v[1] = velocity[1], v[2] = spin[2];
    } else {
      vec3(q) = body.position;
      vec4(q + 3) = body.orientation;
      vec3(v) = velocity;
      vec3(v + 3) = spin;
    }
  }
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

double Cartesian::angle_reference(int joint, Coordinate coordinate, const double* memory) const {
  if (model_.planar) return is_angle(coordinate) ? planar_turns_[joint] : 0.0;
  const int slot = angle_slot(joint, coordinate);
  return slot < 0 ? 0.0 : memory[slot];
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
  for (int b = 0; b < moving_; ++b)
    poses_[b + 1] = pose_of(model_.planar, y + b * q_width_, y + position_size() + b * v_width_);
}

void Cartesian::set_accelerations() {
  for (int b = 0; b < moving_; ++b) {
    const double* a = &solution_[b * v_width_];
    if (model_.planar)
      accelerations_[b + 1] = {{a[0], a[1], 0}, {0, 0, a[2]}};
    else
      accelerations_[b + 1] = {vec3(a), poses_[b + 1].R * vec3(a + 3)};
  }
}

void Cartesian::update(double t, const double* y, const double* memory) {
  set_poses(y);
  evaluate_rows(t, memory);
}

void Cartesian::store(int row, int k, const Vec3& v, const Vec3& w, const Pose<double>& pose) {
  double* g = kkt_.gradient(row, k);
  if (model_.planar) {
    g[0] = v[0], g[1] = v[1], g[2] = w[2];
  } else {
    vec3(g) = v;
    vec3(g + 3).noalias() = pose.R.transpose() * w;  // to body axes
  }
}

void Cartesian::evaluate_rows(double t, const double* memory) {
  int current = -1;
  JointGeometry<double> g{};
  for (int r = 0; r < kkt_.rows(); ++r) {
    const Row& row = rows_[r];
    if (row.joint < 0) break;  // couplings follow
    const Joint& joint = model_.joints[row.joint];
    const Pose<double>&first = poses_[joint.first.body], &second = poses_[joint.second.body];
    if (row.joint != current) g = geometry(joint, first, second);
    current = row.joint;
    const RowValue<double> value =
        evaluate_row(row.spec, joint, g, drive_at(row, t), model_.planar);
    int k = 0;
    if (joint.first.body != kGround) store(r, k++, value.v1, value.w1, first);
    if (joint.second.body != kGround) store(r, k, value.v2, value.w2, second);
    phi_[r] = value.phi;
    phi_t_[r] = value.phi_t;
    gamma_[r] = value.gamma;
  }
  for (int r = 0; r < kkt_.rows(); ++r) {
    const Row& row = rows_[r];
    if (row.coupling < 0) continue;
    // second - ratio first = constant, from the gradients of the two coordinates.
    const Coupling& coupling = model_.couplings[row.coupling];
    for (int k = 0; k < kkt_.entries(r); ++k) std::fill_n(kkt_.gradient(r, k), v_width_, 0.0);
    phi_[r] = -coupling_offset_[row.coupling];
    phi_t_[r] = gamma_[r] = 0;
    for (const auto& [on, factor] :
         {std::pair{&coupling.second, 1.0}, std::pair{&coupling.first, -coupling.ratio}}) {
      const Joint& joint = model_.joints[on->joint];
      const Pose<double>&first = poses_[joint.first.body], &second = poses_[joint.second.body];
      const JointGeometry<double> gj = geometry(joint, first, second);
      const RowValue<double> value =
          evaluate_row(coordinate_row(joint, on->coordinate), joint, gj, {}, model_.planar);
      phi_[r] += factor * coordinate_value(joint, on->coordinate, gj, model_.planar,
                                           angle_reference(on->joint, on->coordinate, memory));
      gamma_[r] += factor * value.gamma;
      const auto add = [&](BodyIndex body, const Vec3& v, const Vec3& w) {
        if (body == kGround) return;
        for (int k = 0; k < kkt_.entries(r); ++k) {
          if (kkt_.body(r, k) != body - 1) continue;
          double* gradient = kkt_.gradient(r, k);
          if (model_.planar) {
            gradient[0] += factor * v[0], gradient[1] += factor * v[1],
                gradient[2] += factor * w[2];
          } else {
            vec3(gradient) += factor * v;
            vec3(gradient + 3) += factor * (poses_[body].R.transpose() * w);
          }
        }
      };
      add(joint.first.body, value.v1, value.w1);
      add(joint.second.body, value.v2, value.w2);
    }
  }
  if (!holds_.empty()) evaluate_holds(memory);
}

void Cartesian::use_mass_metric() {
  for (int b = 0; b < moving_; ++b) {
    const Body& body = model_.bodies[b + 1];
    MatX block = MatX::Zero(v_width_, v_width_);
    if (model_.planar) {
      block.diagonal() << body.mass, body.mass, body.inertia(2, 2);
    } else {
      block.topLeftCorner<3, 3>().diagonal().setConstant(body.mass);
      block.bottomRightCorner<3, 3>() = body.inertia;
    }
    kkt_.set_mass(b, block);
  }
  kkt_.calibrate(redundant_ || has_light_, mass_scale_, inertia_scale_);
}

void Cartesian::use_metric(const VecX& diagonal) {
  for (int b = 0; b < moving_; ++b)
    kkt_.set_mass(b, diagonal.segment(b * v_width_, v_width_).asDiagonal());
  kkt_.calibrate(true, mass_scale_, inertia_scale_);
}

void Cartesian::displace(double* y, const double* increment) const {
  for (int b = 0; b < moving_; ++b) {
    double* q = y + b * q_width_;
    const double* d = increment + b * v_width_;
    if (model_.planar) {
      for (int c = 0; c < 3; ++c) q[c] += d[c];
    } else {
      vec3(q) += vec3(d);
      auto p = vec4(q + 3);
      p = quaternion_product(Vec4(p), quaternion_exp(vec3(d + 3)));
      p.normalize();
    }
  }
}

void Cartesian::applied_forces(double t, const double* y, const double* memory, double* Q) {
  const double* v = y + position_size();
  for (int b = 0; b < moving_; ++b) {
    const Body& body = model_.bodies[b + 1];
    double* out = Q + b * v_width_;
    if (model_.planar) {
      out[0] = body.mass * model_.gravity[0], out[1] = body.mass * model_.gravity[1], out[2] = 0;
    } else {
      vec3(out).noalias() = body.mass * model_.gravity;
      const Vec3 w = vec3(v + b * v_width_ + 3);
      vec3(out + 3).noalias() = -w.cross(body.inertia * w);  // gyroscopic, body axes
    }
  }
  const auto add = [&](BodyIndex body, const Wrench<double>& wrench) {
    add_wrench(body, wrench, Q);
  };
  const double* z = y + motion_size();
  elements_.evaluate_forces(t, poses_, memory, z, [&](const JointCoordinate& on) {
    return angle_reference(on.joint, on.coordinate, memory);
  });
  elements_.add_force_wrenches(add);
  elements_.evaluate_joints(t, poses_, memory, z);
  elements_.add_joint_wrenches(add);
}

void Cartesian::position_rates(const double* y, double* q_dot) const {
  for (int b = 0; b < moving_; ++b) {
    const double* q = y + b * q_width_;
    const double* v = y + position_size() + b * v_width_;
    double* out = q_dot + b * q_width_;
    out[0] = v[0], out[1] = v[1], out[2] = v[2];
    if (model_.planar) continue;
    // p' = L^T w' / 2 (physics 1.1)
    const double e0 = q[3], e1 = q[4], e2 = q[5], e3 = q[6], x = v[3], w = v[4], z = v[5];
    out[3] = 0.5 * (-e1 * x - e2 * w - e3 * z);
    out[4] = 0.5 * (e0 * x - e3 * w + e2 * z);
    out[5] = 0.5 * (e3 * x + e0 * w - e1 * z);
    out[6] = 0.5 * (-e2 * x + e1 * w + e0 * z);
  }
}

void Cartesian::mass_times(const double* a, double* out) const {
  for (int b = 0; b < moving_; ++b) {
    const Body& body = model_.bodies[b + 1];
    const double* x = a + b * v_width_;
    double* o = out + b * v_width_;
    if (model_.planar) {
      o[0] = body.mass * x[0], o[1] = body.mass * x[1], o[2] = body.inertia(2, 2) * x[2];
    } else {
      vec3(o) = body.mass * vec3(x);
      vec3(o + 3).noalias() = body.inertia * vec3(x + 3);
    }
  }
}

bool Cartesian::solve_accelerations(double t, const double* y, const double* memory) {
  update(t, y, memory);
  right_hand_side(t, y, memory);
  if (!kkt_.factorise()) {
    const int n = velocity_size(), unknown = kkt_.failed_unknown();
    culprit_ = unknown >= n ? "joint " + row_name(unknown - n)
                            : "body " + model_.bodies[unknown / v_width_ + 1].name;
    return false;
  }
  if (!frictions_.empty() || !rigid_frictions_.empty()) return solve_with_friction(y, memory);
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
    set_accelerations();
    elements_.state_rates(t, poses_, accelerations_, memory, y + q + n, f + q + n);
  }
  if (state_size() > elements_.states()) friction_state_rates(t, y, memory, f);
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
  if (drift_work_ >= 0) out[drift_work_] = drift;
}

double Cartesian::violation(double t, const double* y, const double* memory) {
  update(t, y, memory);
  double worst = 0;
  for (int r = 0; r < rows(); ++r) worst = std::max(worst, std::abs(phi_[r]) / rows_[r].spec.scale);
  return worst;
}

bool Cartesian::project(double t, double* y, const double* memory) {
  if (!model_.planar)
    for (int b = 0; b < moving_; ++b) vec4(y + b * q_width_ + 3).normalize();
  if (rows() == 0 || model_.simulation.baumgarte) return true;
  const Projected out = project_onto(
      ProjectedRows<Kkt>{kkt_, phi_, phi_t_, row_rate_, solution_}, y + position_size(),
      [&] { update(t, y, memory); }, [&] { return kkt_.factorise(); },
      [&](const double* x) { displace(y, x); }, [&](int r) { return rows_[r].spec.scale; });
  if (out.culprit >= 0) culprit_ = "joint " + row_name(out.culprit);
  return out.done;
}

void Cartesian::take_up(State& state) {
  if (pieces_.size() == 0) return;
  set_poses(state.y.data());
  pieces_.follow(
      poses_, [&](const Force& f) { return angle_reference(f, state.memory.data()); }, state);
}

double Cartesian::next_change(const State& state) {
  if (pieces_.size() == 0) return System::next_change(state);
  set_poses(state.y.data());
  return pieces_.soonest(
      poses_, [&](const Force& f) { return angle_reference(f, state.memory.data()); }, state);
}

void Cartesian::accept(State& state) {
  double* y = state.y.data();
  if (!model_.planar)
    for (int b = 0; b < moving_; ++b) vec4(y + b * q_width_ + 3).normalize();
  take_up(state);
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
      const auto g = geometry(joint, poses_[joint.first.body], poses_[joint.second.body]);
      state.memory[slot] = coordinate_value(joint, list[c], g, model_.planar, state.memory[slot]);
    }
  }
}

}  // namespace freeplay::dynamics
