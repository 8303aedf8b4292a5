// SPDX-License-Identifier: Apache-2.0
#include "dynamics/tree/tree.hpp"

#include "core/views.hpp"
#include "dynamics/constraints/curve_points.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace freeplay::dynamics {
namespace {

/// The square of a unit quaternion may be off by so much: what normalising it leaves.
constexpr double kUnitSquare = 1e-15;

}  // namespace

template <int Rd>
void Tree<Rd>::prepare(const State& start) {
  redundant_ = start.memory[kRedundantRows] > 0;
  place(start.time, start.y.data());
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

/// The end of a step is looked at by many: only the first of them has to work it out.
template <int Rd>
void Tree<Rd>::place(double t, const double* y) {
  const std::size_t count = static_cast<std::size_t>(positions()) + speeds();
  if (t == placed_time_ && std::memcmp(y, placed_.data(), count * sizeof(double)) == 0) return;
  placed_time_ = t;
  if (program_) program_->forget();
  std::copy_n(y, count, placed_.data());
  set_time(t);
  kernel_.template move<double>(y, y + positions(), motion_.data());
  for (const int i : watched_) set_pose(i);
}

template <int Rd>
void Tree<Rd>::place_all(double t, const double* y) {
  place(t, y);
  for (int i = 0; i < static_cast<int>(motion_.size()); ++i) set_pose(i);
}

template <int Rd>
void Tree<Rd>::set_pose(int node) {
  poses_[kernel_.nodes()[node].body] = kernel_.template pose<double>(motion_[node]);
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
  if (model_.planar && is_angle(c)) return written_.planar_turns[j];
  if (is_angle(c) && topology_.in_tree[j]) {
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
  elements_.evaluate_forces(t, poses_, memory, y + positions() + speeds(), angles(y, memory));
}

template <int Rd>
void Tree<Rd>::apply_forces(double t, const double* y, const double* memory) {
  for (const int i : watched_) wrenches_[kernel_.nodes()[i].body] = {};
  const auto add = [&](FrameIndex frame, const Wrench<double>& wrench) {
    wrenches_[frame].force += wrench.force;
    wrenches_[frame].moment += wrench.moment;
  };
  gather_wrenches(t, y, memory, true, add);
  for (const int i : watched_)  // nothing ever acts on the others
    applied_[i] =
        Kernel::template about_joint<double>(wrenches_[kernel_.nodes()[i].body], motion_[i]);
}

template <int Rd>
void Tree<Rd>::update_mass() {
  std::size_t visit = 0;
  bodies_.mass_matrix(motion_.data(), [&](int, int, double x) {
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
    const Moving<double>& m = motion_[i];
    const Acceleration<double>& x = a[i];
    FrameAcceleration& out = accelerations_[nodes[i].body];
    const typename S::template Lin<double> centre =
        x.l + S::template cross<double>(x.r, m.c) +
        S::template cross<double>(m.w, S::template cross<double>(m.w, m.c));
    out.linear = S::template in_space<double>(centre);
    out.angular = S::template rotation_in_space<double>(x.r);
  }
}

template <int Rd>
bool Tree<Rd>::solve_accelerations(double t, const double* y, const double* memory) {
  place(t, y);
  apply_forces(t, y, memory);
  const int n = speeds(), driven = static_cast<int>(kernel_.prescribed().size());
  if (rows_.empty()) {
    if (!bodies_.forward(motion_.data(), applied_.data(), solution_.data())) {
      culprit_ = "body " + model_.bodies[kernel_.nodes()[bodies_.failed_node()].body].name;
      return false;
    }
    for (int d = 0; d < driven; ++d)
      effort_[d] = bodies_.effort(motion_.data(), kernel_.prescribed()[d]);
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
bool Tree<Rd>::interpret(double t, const double* y, const double* memory, double* f) {
  if (!solve_accelerations(t, y, memory)) return false;
  const int nq = positions(), nv = speeds(), nz = elements_.states();
  kernel_.template position_rates<double>(y, y + nq, f);
  std::copy_n(solution_.data(), nv, f + nq);
  if (nz > 0) {
    find_body_accelerations();
    elements_.state_rates(t, poses_, accelerations_, memory, y + nq + nv, f + nq + nv);
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
  for (std::size_t d = 0; d < drive_work_.size(); ++d)
    out[drive_work_[d]] = effort_[d] * kernel_.prescribed()[d].jet.dx;
  if (!rows_.empty()) {
    bool any = false;
    for (const Row& row : rows_) any |= row.work >= 0;
    if (any) {
      row_rate(y + positions());
      for (int r = 0; r < rows(); ++r)
        if (rows_[r].work >= 0) out[rows_[r].work] = -lambda_[r] * row_rate_[r];
    }
  }
  element_powers(true, out);
}

/// Of what gather_wrenches() has evaluated.
template <int Rd>
void Tree<Rd>::element_powers(bool contacts, double* out) const {
  elements_.force_powers(out);
  if (contacts) elements_.joint_powers(out);
}

template <int Rd>
bool Tree<Rd>::finite(const double* f) {
  double sum = 0;
  for (int k = 0; k < size_; ++k) sum += f[k];
  if (std::isfinite(sum)) return true;  // all of them are
  culprit_ = "the work of a force";
  for (int k = positions(); k < size_; ++k)
    if (!std::isfinite(f[k])) {
      culprit_ = k < positions() + speeds() ? body_of_dof(k - positions()) : layout_->owner(k);
      break;
    }
  return false;
}

template <int Rd>
void Tree<Rd>::normalise(double* y) const {
  if constexpr (Rd == 3)
    for (const auto& node : kernel_.nodes())
      if (node.absolute()) {
        // Once normalised it stays as it is, to the last bit.
        auto p = vec4(y + node.q + (node.kind == TreeKind::free ? 3 : 0));
        if (const double square = p.squaredNorm(); std::abs(square - 1) > kUnitSquare)
          p /= std::sqrt(square);
      }
}

template <int Rd>
void Tree<Rd>::take_up(State& state) {
  if (elements_.watched() == 0) return;
  const double* y = state.y.data();
  place_contacts(state.time, y);
  elements_.follow(poses_, y + positions() + speeds(), angles(y, state.memory.data()), state);
}

template <int Rd>
double Tree<Rd>::next_change(const State& state) {
  const bool curves = has_curves(model_);
  if (elements_.watched() == 0 && !curves) return System::next_change(state);
  const double* y = state.y.data();
  if (curves)
    place_all(state.time, y);
  else
    place_contacts(state.time, y);
  const double out =
      elements_.soonest(poses_, y + positions() + speeds(), angles(y, state.memory.data()), state);
  return curves ? std::min(out, next_curve_point(model_, poses_)) : out;
}

template <int Rd>
void Tree<Rd>::sense(double t, const double* y, const double* memory) {
  place_contacts(t, y);
  elements_.control().sense(t, poses_, memory, y + positions() + speeds(), angles(y, memory));
}

template <int Rd>
void Tree<Rd>::accept(State& state) {
  normalise(state.y.data());
  take_up(state);
  if (model_.planar && !loose_angles_) return;
  if (loose_angles_)
    place_all(state.time, state.y.data());
  else
    place(state.time, state.y.data());
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
            joint, list[c], place_of(joint, poses_[joint.first.body], poses_[joint.second.body]),
            model_.planar, state.memory[slot]);
    }
  }
}

template class Tree<1>;
template class Tree<3>;

std::unique_ptr<TreeSystem> make_tree(const Model& model) {
  if (model.planar) return std::make_unique<Tree<1>>(model);
  return std::make_unique<Tree<3>>(model);
}

}  // namespace freeplay::dynamics
