// SPDX-License-Identifier: Apache-2.0
#include "dynamics/tree.hpp"

#include "core/views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace freeplay::dynamics {

namespace {

/// Rows that close loops: joints outside the tree, drives it cannot prescribe, couplings.
int loop_rows(const Model& model, const Topology& topology) {
  int rows = static_cast<int>(model.couplings.size());
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (holds_by_force(model.joints[j])) continue;
    for (const RowSpec& spec : rows_of(model.joints[j], model.planar, 1))
      if (!topology.in_tree[j] ||
          (spec.drive >= 0 && !topology.prescribes(model, static_cast<int>(j), spec.drive)))
        ++rows;
  }
  return rows;
}

/// Name of a body whose freedom has (almost) no inertia behind it; empty: none. Looked for in the
/// written pose and in a few others, since a thin chain can hide one in line.
template <int Rd>
std::string weightless_freedom(const Model& model, const Topology& topology) {
  TreeKernel<Rd> kernel;
  kernel.build(model, topology);
  // The scale of a single body: its mass and the distance of its joints.
  double mass = 0, arm = 0;
  for (const Body& body : model.bodies) mass = std::max(mass, body.mass);
  for (const Joint& joint : model.joints)
    for (const Frame* f : {&joint.first, &joint.second})
      if (f->body != kGround) arm = std::max(arm, f->point.norm());
  if (arm == 0) arm = scales_of(model).length;
  VecX q(kernel.positions()), v = VecX::Zero(kernel.speeds());
  std::vector<NodeMotion<Rd, double>> motion(kernel.nodes().size());
  for (int pose = 0; pose < 4; ++pose) {
    for (int k = 0; k < q.size(); ++k) q[k] = std::sin(1.0 + 1.7 * k + 2.9 * pose);
    kernel.template move<double>(q.data(), v.data(), motion.data());
    if (!kernel.factorise(motion.data()))
      return model.bodies[kernel.nodes()[kernel.failed_node()].body].name;
    // chosen: far below the thinnest rod anybody models, far above round-off
    if (kernel.least_pivot(mass, arm) < 1e-11) return "a body";
  }
  return {};
}

}  // namespace

std::string tree_misfit(const Model& model) {
  if (model.simulation.analysis == Analysis::kinematic)
    return "a kinematic analysis follows the constraints of every joint";
  if (model.simulation.baumgarte)
    return "Baumgarte's terms belong to the constraints of every joint";
  if (model.simulation.method == Method::ida) return "ida integrates the constrained equations";
  for (const Joint& joint : model.joints)
    if (joint.friction)
      return fmt::format("the friction of the ideal joint '{}' loads itself by its reaction",
                         joint.name);
  int memory = 0;
  std::vector<Worker> workers;
  const Contacts contacts(model, memory, workers);
  for (const auto& element : contacts.elements())
    if (element.dry_friction() || element.impulse_restitution())
      return fmt::format("contacts of '{}' come to rest by constraints",
                         model.joints[element.joint()].name);
  const Topology topology = span_tree(model);
  // With every motion prescribed only work would be left under error control, and a drive that sets
  // in between two steps could be overlooked.
  if (std::all_of(topology.nodes.begin(), topology.nodes.end(), [](const TreeNode& node) {
        const auto* end = node.column.begin() + node.columns;
        return node.kind != TreeKind::free && node.kind != TreeKind::ball &&
               std::all_of(node.column.begin(), end,
                           [](const TreeColumn& column) { return column.drive >= 0; });
      }))
    return "every motion is prescribed, so there is nothing to integrate";
  const std::string weightless = model.planar ? weightless_freedom<1>(model, topology)
                                              : weightless_freedom<3>(model, topology);
  if (!weightless.empty())
    return weightless + " has a freedom without inertia once the loops are cut";
  return {};
}

bool tree_is_faster(const Model& model) {
  // Where play, oil or rubber opens every loop, nothing is left to be kept closed. Elsewhere
  // Cartesian coordinates are as fast, and their multipliers give the reactions.
  return std::any_of(model.joints.begin(), model.joints.end(), holds_by_force) &&
         loop_rows(model, span_tree(model)) == 0;
}

template <int Rd>
Tree<Rd>::Tree(const Model& model)
    : TreeSystem(model),
      written_(model),
      topology_(span_tree(model)),
      contacts_(model, memory_size_ = kFirstFreeMemory, workers_) {
  kernel_.build(model, topology_);
  const std::size_t count = kernel_.nodes().size();
  motion_.resize(count);
  applied_.resize(count);
  transmitted_.resize(count);
  node_acceleration_.resize(count);
  poses_ = written_.poses;
  accelerations_.resize(model.bodies.size());
  force_out_.resize(model.forces.size());

  // Memory as in the Cartesian formulation: a state keeps it when it changes hands.
  angle_slots_.resize(model.joints.size());
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (Coordinate c : coordinates_of(model.joints[j].type)) {
      angle_slots_[j].push_back(is_angle(c) && !model.planar ? memory_size_++ : -1);
      if (angle_slots_[j].back() >= 0 && !topology_.in_tree[j]) loose_angles_ = true;
    }

  // Rows: joints that close loops, drives that no column of the tree can take, couplings.
  drive_worker_.assign(kernel_.prescribed().size(), -1);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (holds_by_force(joint)) continue;
    for (const RowSpec& spec : rows_of(joint, model.planar, scales_.length)) {
      int worker = -1;
      if (spec.drive >= 0) {
        worker = static_cast<int>(workers_.size());
        std::string path = "joints/" + joint.name + "/drive";
        if (joint.drives.size() > 1)
          path += "_" + std::string(name_of(joint.drives[spec.drive].coordinate));
        workers_.push_back({path});
        const auto& list = kernel_.prescribed();
        for (std::size_t d = 0; d < list.size(); ++d)
          if (list[d].joint == static_cast<int>(j) && list[d].drive == spec.drive)
            drive_worker_[d] = worker;
      }
      if (topology_.in_tree[j] &&
          (spec.drive < 0 || topology_.prescribes(model, static_cast<int>(j), spec.drive)))
        continue;
      Row row;
      Share share;
      share.spec = spec;
      share.joint = static_cast<JointIndex>(j);
      row.shares.push_back(share);
      row.worker = worker;
      row.scale = spec.scale;
      row.name = fmt::format("{} ({})", joint.name, spec.label);
      rows_.push_back(row);
    }
  }
  for (std::size_t c = 0; c < model.couplings.size(); ++c) {
    const Coupling& coupling = model.couplings[c];
    Row row;
    row.coupling = static_cast<int>(c);
    row.scale = is_angle(coupling.second.coordinate) ? 1 : scales_.length;
    row.name = fmt::format("{} (mesh)", coupling.name);
    for (const auto& [on, factor] :
         {std::pair{&coupling.second, 1.0}, std::pair{&coupling.first, -coupling.ratio}}) {
      Share share;
      share.spec = coordinate_row(model.joints[on->joint], on->coordinate);
      share.joint = on->joint;
      share.coordinate = on->coordinate;
      share.factor = factor;
      row.shares.push_back(share);
    }
    rows_.push_back(row);
  }
  for (const freeplay::Force& force : model.forces) {
    force_worker_.push_back(does_work(force) ? static_cast<int>(workers_.size()) : -1);
    if (does_work(force)) workers_.push_back({"forces/" + force.name});
  }
  size_ = positions() + speeds() + contacts_.states() + work_size();

  // Where every visited pair and every visited dof of a row goes.
  const int n = speeds(), driven = static_cast<int>(kernel_.prescribed().size());
  effort_ = VecX::Zero(driven);
  bias_ = VecX::Zero(n + driven);
  angle_reference_.assign(rows_.size(), {0, 0});
  phi_ = phi_t_ = gamma_ = row_rate_ = lambda_ = VecX::Zero(rows());
  solution_ = VecX::Zero(n + rows());
  {
    VecX q = VecX::Zero(positions()), v = VecX::Zero(n);
    State start;
    start.y = VecX::Zero(static_cast<Eigen::Index>(model.bodies.size() - 1) * (Rd == 3 ? 13 : 6));
    for (std::size_t b = 1; b < model.bodies.size(); ++b) {
      double* at = &start.y[static_cast<Eigen::Index>(b - 1) * (Rd == 3 ? 7 : 3)];
      if constexpr (Rd == 3) {
        vec3(at) = model.bodies[b].position;
        vec4(at + 3) = model.bodies[b].orientation;
      } else {
        at[0] = model.bodies[b].position[0], at[1] = model.bodies[b].position[1];
        at[2] = model.bodies[b].angle;
      }
    }
    start.memory.assign(memory_size_, 0.0);
    start.time = model.simulation.start;
    start.y = from_cartesian(start);
    move(start.time, start.y.data());
    set_poses();

    // Quaternions of bodies whose orientation is not in y follow the joints, continuously, from the
    // sign written in the file.
    inner_turn_.assign(count, Vec4(1, 0, 0, 0));
    outer_turn_ = inner_turn_;
    if constexpr (Rd == 3) {
      for (std::size_t i = 0; i < count; ++i) {
        const auto& node = kernel_.nodes()[i];
        if (node.absolute()) continue;
        inner_turn_[i] = quaternion_of(node.inner);
        outer_turn_[i] = quaternion_of(node.outer);
        std::vector<Vec4> now;
        quaternions(start.y.data(), now);
        if (now[node.body].dot(model.bodies[node.body].orientation) < 0)
          inner_turn_[i] = -inner_turn_[i];
      }
    }
  }
  if (rows_.empty()) return;
  std::vector<std::pair<int, int>> pairs;
  kernel_.mass_matrix(motion_.data(), [&](int i, int j, double) {
    if (i < n && j < n) {
      mass_place_.push_back(static_cast<int>(pairs.size()));
      pairs.emplace_back(i, j);
    } else {
      mass_place_.push_back(-1 - static_cast<int>(driven_pairs_.size()));
      driven_pairs_.emplace_back(i, j);
    }
  });
  driven_mass_.assign(driven_pairs_.size(), 0.0);
  std::vector<std::vector<int>> pattern;
  for (Row& row : rows_) {
    std::vector<int> dofs;
    row.driven.assign(driven, 0.0);
    for (Share& share : row.shares) {
      const Joint& joint = model.joints[share.joint];
      for (BodyIndex b : {joint.first.body, joint.second.body}) {
        if (b == kGround) continue;
        kernel_.template walk_up<double>(
            motion_.data(), topology_.node_of[b], {}, [&](int d, double) {
              if (d >= n) {
                share.place.push_back(-1 - (d - n));
                return;
              }
              const auto known = std::find(dofs.begin(), dofs.end(), d);
              share.place.push_back(static_cast<int>(known - dofs.begin()));
              if (known == dofs.end()) dofs.push_back(d);
            });
      }
    }
    pattern.push_back(dofs);
  }
  kkt_.build(n, pairs, pattern);
}

template <int Rd>
void Tree<Rd>::prepare(const State& start) {
  redundant_ = start.memory[kRedundantRows] > 0;
  move(start.time, start.y.data());
  set_poses();
  if (rows_.empty()) return;
  note_references(start.y.data(), start.memory.data());
  evaluate_rows(start.time, false);
  update_mass();
  kkt_.calibrate(redundant_);
}

template <int Rd>
void Tree<Rd>::set_time(double t) {
  for (auto& p : kernel_.prescribed()) {
    const Jet jet = freeplay::evaluate(written_.drives[p.joint][p.drive].motion, t);
    p.jet = {p.sign * jet.x, p.sign * jet.dx, p.sign * jet.ddx};
  }
}

template <int Rd>
void Tree<Rd>::move(double t, const double* y) {
  set_time(t);
  kernel_.template move<double>(y, y + positions(), motion_.data());
}

template <int Rd>
void Tree<Rd>::set_poses() {
  const auto& nodes = kernel_.nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    poses_[nodes[i].body] = kernel_.template pose<double>(motion_[i]);
}

template <int Rd>
int Tree<Rd>::angle_slot(JointIndex joint, Coordinate coordinate) const {
  const auto list = coordinates_of(model_.joints[joint].type);
  const auto at = std::find(list.begin(), list.end(), coordinate);
  return at == list.end() ? -1 : angle_slots_[joint][at - list.begin()];
}

/// What an angle is measured from: its own coordinate where the tree has one (it never wraps),
/// otherwise its last unwrapped value, or in the plane the turns the file was written with.
template <int Rd>
double Tree<Rd>::angle_reference(JointIndex j, Coordinate c, const double* y,
                                 const double* memory) const {
  if (!is_angle(c)) return 0;
  if (model_.planar) return written_.planar_turns[j];
  if (topology_.in_tree[j]) {
    const Joint& joint = model_.joints[j];
    int i = joint.second.body == kGround ? -1 : topology_.node_of[joint.second.body];
    if (i < 0 || topology_.nodes[i].joint != j) i = topology_.node_of[joint.first.body];
    const TreeNode& node = topology_.nodes[i];
    for (int k = 0; k < node.columns; ++k)
      if (node.column[k].named && node.column[k].coordinate == c) {
        const auto& own = kernel_.nodes()[i];
        return node.column[k].sign * (own.at_drive[k] >= 0
                                          ? kernel_.prescribed()[own.at_drive[k]].jet.x
                                          : y[own.at_q[k]]);
      }
  }
  const int slot = angle_slot(j, c);
  return slot < 0 ? 0.0 : memory[slot];
}

template <int Rd>
void Tree<Rd>::evaluate_forces(double t, const double* y, const double* memory) {
  for (std::size_t k = 0; k < model_.forces.size(); ++k) {
    const freeplay::Force& force = model_.forces[k];
    const auto [first, second] = bodies_of(force, model_);
    const JointCoordinate* on = coordinate_of(force);
    const double reference = on ? angle_reference(on->joint, on->coordinate, y, memory) : 0.0;
    force_out_[k] = evaluate_force(force, model_, poses_[first], poses_[second], t, reference);
  }
}

template <int Rd>
void Tree<Rd>::apply_forces(double t, const double* y, const double* memory) {
  for (auto& w : applied_) {
    w.n.setZero();
    w.f.setZero();
  }
  const auto add = [&](BodyIndex body, const Wrench<double>& wrench) {
    if (body == kGround) return;
    const int i = topology_.node_of[body];
    const auto w = Kernel::template about_joint<double>(wrench, motion_[i]);
    applied_[i].n += w.n;
    applied_[i].f += w.f;
  };
  evaluate_forces(t, y, memory);
  for (std::size_t k = 0; k < model_.forces.size(); ++k) {
    const auto [first, second] = bodies_of(model_.forces[k], model_);
    add(first, force_out_[k].on_first);
    add(second, force_out_[k].on_second);
  }
  if (contacts_.empty()) return;
  contacts_.evaluate(poses_, memory, y + positions() + speeds());
  contacts_.add_wrenches(add);
}

/// Rows at the present motion; with `accelerating`, gamma for the free accelerations alone: what
/// velocities and drives bring along is in accelerations_.
template <int Rd>
void Tree<Rd>::evaluate_rows(double t, bool accelerating) {
  const int driven = static_cast<int>(kernel_.prescribed().size());
  for (int r = 0; r < rows(); ++r) {
    Row& row = rows_[r];
    double* gradient = kkt_.gradient(r);
    std::fill_n(gradient, kkt_.gradient_size(r), 0.0);
    std::fill(row.driven.begin(), row.driven.end(), 0.0);
    phi_[r] = row.coupling >= 0 ? -written_.coupling_offset[row.coupling] : 0.0;
    phi_t_[r] = gamma_[r] = 0;
    for (const Share& share : row.shares) {
      const Joint& joint = model_.joints[share.joint];
      const BodyIndex b1 = joint.first.body, b2 = joint.second.body;
      const auto g = geometry(joint, poses_[b1], poses_[b2]);
      const Jet drive =
          share.spec.drive < 0
              ? Jet{}
              : freeplay::evaluate(written_.drives[share.joint][share.spec.drive].motion, t);
      const auto value = evaluate_row(share.spec, joint, g, drive, model_.planar);
      phi_[r] +=
          row.coupling < 0
              ? value.phi
              : share.factor * coordinate_value(joint, share.coordinate, g, model_.planar,
                                                angle_reference_[r][&share - &row.shares[0]]);
      phi_t_[r] += share.factor * value.phi_t;
      gamma_[r] += share.factor * value.gamma;
      if (accelerating)
        gamma_[r] -=
            share.factor *
            (value.v1.dot(accelerations_[b1].linear) + value.w1.dot(accelerations_[b1].angular) +
             value.v2.dot(accelerations_[b2].linear) + value.w2.dot(accelerations_[b2].angular));
      const int* place = share.place.data();
      const auto add = [&](BodyIndex body, const Vec3& v, const Vec3& w) {
        if (body == kGround) return;
        const int i = topology_.node_of[body];
        Wrench<double> covector;
        covector.force = share.factor * v;
        covector.moment = share.factor * w;
        kernel_.template walk_up<double>(motion_.data(), i,
                                         Kernel::template about_joint<double>(covector, motion_[i]),
                                         [&](int, double x) {
                                           if (*place >= 0)
                                             gradient[*place] += x;
                                           else
                                             row.driven[-1 - *place] += x;
                                           ++place;
                                         });
      };
      add(b1, value.v1, value.w1);
      add(b2, value.v2, value.w2);
    }
    for (int d = 0; d < driven; ++d) phi_t_[r] += row.driven[d] * kernel_.prescribed()[d].jet.dx;
  }
}

template <int Rd>
void Tree<Rd>::update_mass() {
  std::size_t visit = 0;
  kernel_.mass_matrix(motion_.data(), [&](int, int, double x) {
    const int place = mass_place_[visit++];
    if (place >= 0)
      kkt_.mass(place) = x;
    else
      driven_mass_[-1 - place] = x;
  });
}

/// Accelerations of the bodies from those of the nodes.
template <int Rd>
void Tree<Rd>::set_accelerations(const Acceleration<double>* a) {
  const auto& nodes = kernel_.nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Motion<double>& m = motion_[i];
    const Acceleration<double>& x = a[i];
    BodyAcceleration& out = accelerations_[nodes[i].body];
    const typename S::template Lin<double> centre =
        x.l + S::template cross<double>(x.r, m.c) +
        S::template cross<double>(m.w, S::template cross<double>(m.w, m.c));
    out.linear = S::template in_space<double>(centre);
    out.angular = S::template rotation_in_space<double>(x.r);
  }
}

template <int Rd>
bool Tree<Rd>::solve_accelerations(double t, const double* y, const double* memory) {
  move(t, y);
  set_poses();
  apply_forces(t, y, memory);
  const int n = speeds(), driven = static_cast<int>(kernel_.prescribed().size());
  if (rows_.empty()) {
    if (!kernel_.factorise(motion_.data())) {
      culprit_ = "body " + model_.bodies[kernel_.nodes()[kernel_.failed_node()].body].name;
      return false;
    }
    kernel_.forward(motion_.data(), applied_.data(), solution_.data());
    for (int d = 0; d < driven; ++d)
      effort_[d] = kernel_.effort(motion_.data(), kernel_.prescribed()[d]);
    return true;
  }
  // What it takes to hold the free accelerations at zero.
  kernel_.template accelerate<double>(motion_.data(), nullptr, node_acceleration_.data());
  kernel_.template inverse<double>(motion_.data(), node_acceleration_.data(), applied_.data(),
                                   transmitted_.data());
  set_accelerations(node_acceleration_.data());
  typename S::template Rot<double> turn;
  typename S::template Lin<double> slide;
  for (std::size_t i = 0; i < kernel_.nodes().size(); ++i) {
    const auto& node = kernel_.nodes()[i];
    for (int k = 0; k < node.dofs; ++k) {
      kernel_.template column<double>(static_cast<int>(i), motion_[i], k, turn, slide);
      bias_[node.dof[k]] = turn.dot(transmitted_[i].n) + slide.dot(transmitted_[i].f);
    }
  }
  note_references(y, memory);
  evaluate_rows(t, true);
  update_mass();
  solution_.head(n) = -bias_.head(n);
  solution_.tail(rows()) = gamma_;
  if (!kkt_.factorise()) {
    const int unknown = kkt_.failed_unknown();
    culprit_ = unknown >= n ? "joint " + rows_[unknown - n].name : body_of_dof(unknown);
    return false;
  }
  kkt_.solve(solution_.data());
  lambda_ = solution_.tail(rows());
  for (int d = 0; d < driven; ++d) {
    effort_[d] = bias_[n + d];
    for (int r = 0; r < rows(); ++r) effort_[d] += rows_[r].driven[d] * lambda_[r];
  }
  for (std::size_t e = 0; e < driven_pairs_.size(); ++e) {
    const auto [i, j] = driven_pairs_[e];
    if (i >= n && j < n) effort_[i - n] += driven_mass_[e] * solution_[j];
    if (j >= n && i < n) effort_[j - n] += driven_mass_[e] * solution_[i];
  }
  return true;
}

template <int Rd>
std::string Tree<Rd>::body_of_dof(int dof) const {
  for (const auto& node : kernel_.nodes())
    for (int k = 0; k < node.dofs; ++k)
      if (node.dof[k] == dof) return "body " + model_.bodies[node.body].name;
  return {};
}

template <int Rd>
void Tree<Rd>::note_references(const double* y, const double* memory) {
  for (int r = 0; r < rows(); ++r) {
    if (rows_[r].coupling < 0) continue;
    for (std::size_t s = 0; s < rows_[r].shares.size(); ++s)
      angle_reference_[r][s] =
          angle_reference(rows_[r].shares[s].joint, rows_[r].shares[s].coordinate, y, memory);
  }
}

template <int Rd>
bool Tree<Rd>::derivative(double t, const double* y, const double* memory, double* f) {
  if (!solve_accelerations(t, y, memory)) return false;
  const int nq = positions(), nv = speeds(), nz = contacts_.states();
  kernel_.template position_rates<double>(y, y + nq, f);
  std::copy_n(solution_.data(), nv, f + nq);
  if (nz > 0) {
    find_body_accelerations();
    contacts_.state_rates(poses_, accelerations_, memory, y + nq + nv, f + nq + nv);
  }
  powers(y, f + nq + nv + nz);
  return finite(f);
}

/// Accelerations of the bodies after solve_accelerations().
template <int Rd>
void Tree<Rd>::find_body_accelerations() {
  kernel_.template accelerate<double>(motion_.data(), solution_.data(), node_acceleration_.data());
  set_accelerations(node_acceleration_.data());
}

template <int Rd>
void Tree<Rd>::powers(const double* y, double* out) {
  for (std::size_t d = 0; d < drive_worker_.size(); ++d)
    out[drive_worker_[d]] = effort_[d] * kernel_.prescribed()[d].jet.dx;
  if (!rows_.empty()) {
    bool any = false;
    for (const Row& row : rows_) any |= row.worker >= 0;
    if (any) {
      row_rate(y + positions());
      for (int r = 0; r < rows(); ++r)
        if (rows_[r].worker >= 0) out[rows_[r].worker] = -lambda_[r] * row_rate_[r];
    }
  }
  for (std::size_t k = 0; k < force_out_.size(); ++k)
    if (force_worker_[k] >= 0) out[force_worker_[k]] = force_out_[k].power;
  contacts_.powers(out);
}

/// Rates of the rows, driven speeds included.
template <int Rd>
void Tree<Rd>::row_rate(const double* v) {
  kkt_.rates(v, row_rate_.data());
  for (int r = 0; r < rows(); ++r)
    for (std::size_t d = 0; d < rows_[r].driven.size(); ++d)
      row_rate_[r] += rows_[r].driven[d] * kernel_.prescribed()[d].jet.dx;
}

template <int Rd>
bool Tree<Rd>::finite(const double* f) {
  double sum = 0;  // any infinity or NaN shows in it
  for (int k = 0; k < size_; ++k) sum += 0 * f[k];
  if (sum == 0) return true;
  culprit_ = "the work of a force";
  const int motion = positions() + speeds();
  for (int k = positions(); k < size_; ++k)
    if (!std::isfinite(f[k])) {
      culprit_ = k < motion                        ? body_of_dof(k - positions())
                 : k < motion + contacts_.states() ? "friction of a clearance joint"
                                                   : workers_[k - motion - contacts_.states()].path;
      break;
    }
  return false;
}

template <int Rd>
double Tree<Rd>::violation(double t, const double* y, const double* memory) {
  if (rows_.empty()) return 0;
  move(t, y);
  set_poses();
  note_references(y, memory);
  evaluate_rows(t, false);
  double worst = 0;
  for (int r = 0; r < rows(); ++r) worst = std::max(worst, std::abs(phi_[r]) / rows_[r].scale);
  return worst;
}

template <int Rd>
void Tree<Rd>::normalise(double* y) const {
  if constexpr (Rd == 3)
    for (const auto& node : kernel_.nodes())
      if (node.absolute()) vec4(y + node.q + (node.kind == TreeKind::free ? 3 : 0)).normalize();
}

template <int Rd>
void Tree<Rd>::displace(double* y, const double* increment) const {
  for (const auto& node : kernel_.nodes()) {
    if (!node.absolute()) {
      for (int k = 0; k < node.columns; ++k)
        if (node.at_drive[k] < 0) y[node.at_q[k]] += increment[node.at_v[k]];
      continue;
    }
    double* q = y + node.q;
    const double* d = increment + node.v;
    if (node.kind == TreeKind::free)
      for (int k = 0; k < S::Ld; ++k) *q++ += *d++;
    if constexpr (Rd == 3) {
      auto p = vec4(q);
      p = quaternion_product(Vec4(p), quaternion_exp(vec3(d)));
      p.normalize();
    } else {
      *q += *d;
    }
  }
}

template <int Rd>
bool Tree<Rd>::project(double t, double* y, const double* memory) {
  normalise(y);
  if (rows_.empty()) return true;
  const int n = speeds(), m = rows();
  // As in the Cartesian formulation: Newton in the mass metric.
  bool factored = false;
  double moved = 0;
  for (int pass = 0; pass < 8; ++pass) {
    const double worst = violation(t, y, memory);
    moved = std::max(moved, worst);
    if (!(worst < 0.1)) return false;  // NaN included
    if (worst < 1e-15) break;
    if (!factored || worst > 1e-6) {
      update_mass();
      if (!kkt_.factorise()) return false;
      factored = true;
    }
    solution_.head(n).setZero();
    solution_.tail(m) = -phi_;
    kkt_.solve(solution_.data());
    displace(y, solution_.data());
    if (worst < 1e-8) break;  // what is left is of order worst^2
  }
  if (!(violation(t, y, memory) < 1e-9)) {  // beyond a dead point there is no pose to find
    int worst = 0;
    for (int r = 1; r < m; ++r)
      if (std::abs(phi_[r]) / rows_[r].scale > std::abs(phi_[worst]) / rows_[worst].scale)
        worst = r;
    culprit_ = "joint " + rows_[worst].name;
    return false;
  }
  if (!factored) {
    update_mass();
    if (!kkt_.factorise()) return false;
  }
  double* v = y + positions();
  for (int pass = 0; pass < (moved > 1e-8 ? 3 : 1); ++pass) {
    kkt_.rates(v, row_rate_.data());
    solution_.head(n).setZero();
    solution_.tail(m) = -(row_rate_ + phi_t_);
    kkt_.solve(solution_.data());
    for (int k = 0; k < n; ++k) v[k] += solution_[k];
  }
  return std::isfinite(solution_.sum());
}

template <int Rd>
VecX Tree<Rd>::error_scale() const {
  VecX scale(size_);
  const double L = scales_.length, T = scales_.time;
  for (std::size_t i = 0; i < kernel_.nodes().size(); ++i) {
    const auto& node = kernel_.nodes()[i];
    if (node.absolute()) {
      const int lengths = node.kind == TreeKind::free ? S::Ld : 0;
      for (int k = 0; k < lengths + Kernel::kOrientation; ++k)
        scale[node.q + k] = k < lengths ? L : 1;
      for (int k = 0; k < lengths + Rd; ++k)
        scale[positions() + node.v + k] = (k < lengths ? L : 1) / T;
      continue;
    }
    for (int k = 0; k < node.columns; ++k) {
      if (node.at_drive[k] >= 0) continue;
      const double size = is_angle(topology_.nodes[i].column[k].coordinate) ? 1 : L;
      scale[node.at_q[k]] = size;
      scale[positions() + node.at_v[k]] = size / T;
    }
  }
  contacts_.state_scale(scale.data() + positions() + speeds());
  scale.tail(work_size()).setConstant(energy_scale_);
  return scale;
}

template <int Rd>
void Tree<Rd>::accept(State& state) {
  normalise(state.y.data());
  if (model_.planar) return;
  set_time(state.time);
  if (loose_angles_) {
    move(state.time, state.y.data());
    set_poses();
  }
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    const auto list = coordinates_of(joint.type);
    for (std::size_t c = 0; c < list.size(); ++c) {
      const int slot = angle_slots_[j][c];
      if (slot < 0) continue;
      if (topology_.in_tree[j])
        state.memory[slot] = angle_reference(static_cast<JointIndex>(j), list[c], state.y.data(),
                                             state.memory.data());
      else
        state.memory[slot] = coordinate_value(
            joint, list[c], geometry(joint, poses_[joint.first.body], poses_[joint.second.body]),
            false, state.memory[slot]);
    }
  }
}

template <int Rd>
void Tree<Rd>::event_values(double t, const double* y, const double*, double* g) {
  move(t, y);
  set_poses();
  contacts_.event_values(poses_, g);
}

template <int Rd>
bool Tree<Rd>::event_rates(double t, const double* y, const double*, double* g, double* rate) {
  move(t, y);
  set_poses();
  return contacts_.event_rates(poses_, g, rate);
}

template <int Rd>
bool Tree<Rd>::peaks_possible(double t0, const double* y0, double t1, const double* y1,
                              const State& state) {
  for (const auto& [t, y] : {std::pair{t0, y0}, std::pair{t1, y1}}) {
    move(t, y);
    set_poses();
    if (contacts_.near_peak(poses_, t, state.memory.data())) return true;
  }
  return false;
}

template <int Rd>
bool Tree<Rd>::factorise_for_response(const State& state) {
  move(state.time, state.y.data());
  set_poses();
  if (rows_.empty()) return kernel_.factorise(motion_.data());
  note_references(state.y.data(), state.memory.data());
  evaluate_rows(state.time, false);
  update_mass();
  return kkt_.factorise();
}

template <int Rd>
bool Tree<Rd>::apply_event(int which, bool upward, State& state) {
  const bool factored = factorise_for_response(state);
  double* z = state.y.data() + positions() + speeds();
  contacts_.apply(
      which, upward, poses_, state, z, z + contacts_.states(),
      [&](int element, const auto& point) { return factored ? mobility(element, point) : 0.0; });
  return false;
}

template <int Rd>
double Tree<Rd>::mobility(int element, const joints::ContactPoint<double>& point) {
  const joints::ImperfectJoint& joint = contacts_.elements()[element];
  // h: generalised force of a unit push apart; the answer is the normal acceleration it causes.
  const int n = speeds();
  VecX x = VecX::Zero(n + rows());
  Wrench<double> on_first, on_second;
  joints::push<double>(point, point.normal, on_first, on_second);
  const auto share = [&](BodyIndex body, const Wrench<double>& wrench) {
    if (body == kGround) return;
    const int i = topology_.node_of[body];
    kernel_.template walk_up<double>(motion_.data(), i,
                                     Kernel::template about_joint<double>(wrench, motion_[i]),
                                     [&](int d, double value) {
                                       if (d < n) x[d] += value;
                                     });
  };
  share(joint.first(), on_first);
  share(joint.second(), on_second);
  const VecX h = x.head(n);
  if (rows_.empty())
    kernel_.solve(motion_.data(), x.data());
  else
    kkt_.solve(x.data());
  return h.dot(x.head(n));
}

template <int Rd>
bool Tree<Rd>::wants_samples(const State& state) const {
  return contacts_.any_touching(state.memory.data());
}

template <int Rd>
Peak Tree<Rd>::sample(double t, const double* y, State& state) {
  move(t, y);
  set_poses();
  return contacts_.sample_peaks(poses_, state);
}

template class Tree<1>;
template class Tree<3>;

std::unique_ptr<TreeSystem> make_tree(const Model& model) {
  if (model.planar) return std::make_unique<Tree<1>>(model);
  return std::make_unique<Tree<3>>(model);
}

}  // namespace freeplay::dynamics
