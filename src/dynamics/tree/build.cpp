// SPDX-License-Identifier: Apache-2.0
#include "core/views.hpp"
#include "dynamics/blocks.hpp"
#include "dynamics/tree/tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

// From a model to its tree: blocks of its state, rows, and where every entry of the matrices goes.
namespace freeplay::dynamics {

template <int Rd>
Tree<Rd>::Tree(const Model& model)
    : TreeSystem(model, kTree),
      written_(model),
      topology_(span_tree(model)),
      kernel_(model, topology_),
      bodies_(kernel_),
      elements_(model, *layout_),
      contacts_(elements_.contacts()) {
  const std::size_t count = kernel_.nodes().size();
  motion_.resize(count);
  applied_.assign(count, {S::template Rot<double>::Zero(), S::template Lin<double>::Zero()});
  transmitted_.resize(count);
  node_acceleration_.resize(count);
  poses_ = written_.poses;
  accelerations_.resize(model.bodies.size());
  wrenches_.resize(model.bodies.size());

  // Memory as in the Cartesian formulation: a state keeps it when it changes hands.
  angle_slots_.resize(model.joints.size());
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (Coordinate c : coordinates_of(model.joints[j].type)) {
      angle_slots_[j].push_back(declare_angle(*layout_, model, j, c));
      if (angle_slots_[j].back() >= 0 && !topology_.in_tree[j]) loose_angles_ = true;
    }

  list_rows();
  elements_.add_forces(model, *layout_);
  declare_motion();
  size_ = layout_->y_size();

  const int driven = static_cast<int>(kernel_.prescribed().size());
  effort_ = VecX::Zero(driven);
  bias_ = VecX::Zero(speeds() + driven);
  angle_reference_.assign(rows_.size(), {0, 0});
  phi_ = phi_t_ = gamma_ = row_rate_ = lambda_ = VecX::Zero(rows());
  solution_ = VecX::Zero(speeds() + rows());
  list_watched();
  take_written_turns();
  if (!rows_.empty()) lay_out_matrices();
}

/// A body that stands free or on a ball has coordinates of its own, the others those of their
/// joint.
template <int Rd>
void Tree<Rd>::declare_motion() {
  const double L = scales_.length, T = scales_.time;
  // The kernel numbered them before; both go through the nodes in order.
  const auto declare = [&](int place, const std::string& path, BlockKind kind, int size,
                           const char* unit, double scale) {
    if (layout_->declare({path, kind, size, unit, scale}) != place)
      throw std::logic_error("tree: " + path + " is declared out of order");
  };
  using enum BlockKind;
  for (std::size_t i = 0; i < kernel_.nodes().size(); ++i) {
    const auto& node = kernel_.nodes()[i];
    if (node.absolute()) {
      const std::string path = "bodies/" + model_.bodies[node.body].name;
      const int lengths = node.kind == TreeKind::free ? S::Ld : 0;
      if (lengths > 0) {
        declare(node.q, path + "/position", position, lengths, "m", L);
        declare(node.v, path + "/velocity", velocity, lengths, "m/s", L / T);
      }
      declare(node.q + lengths, path + (Rd == 3 ? "/quaternion" : "/angle"), position,
              Kernel::kOrientation, Rd == 3 ? "1" : "rad", 1);
      declare(node.v + lengths, path + "/angular_velocity", velocity, Rd, "rad/s", 1 / T);
      continue;
    }
    const TreeNode& own = topology_.nodes[i];
    for (int k = 0; k < node.columns; ++k) {
      if (node.at_drive[k] >= 0) continue;
      const Coordinate c = own.column[k].coordinate;
      const std::string path =
          fmt::format("joints/{}/{}", model_.joints[own.joint].name, name_of(c));
      const bool angle = is_angle(c);
      declare(node.at_q[k], path, position, 1, angle ? "rad" : "m", angle ? 1 : L);
      declare(node.at_v[k], path + "_rate", velocity, 1, angle ? "rad/s" : "m/s",
              (angle ? 1 : L) / T);
    }
  }
}

/// Rows: joints that close loops, drives that no column of the tree can take, couplings.
template <int Rd>
void Tree<Rd>::list_rows() {
  drive_work_.assign(kernel_.prescribed().size(), -1);
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    for (const RowSpec& spec : rows_of(joint, model_.planar, scales_.length)) {
      int work = -1;
      if (spec.drive >= 0) {
        std::string path = "joints/" + joint.name + "/drive";
        if (joint.drives.size() > 1)
          path += "_" + std::string(name_of(joint.drives[spec.drive].coordinate));
        work = declare_work(*layout_, path);
        const auto& list = kernel_.prescribed();
        for (std::size_t d = 0; d < list.size(); ++d)
          if (list[d].joint == static_cast<int>(j) && list[d].drive == spec.drive)
            drive_work_[d] = work;
      }
      if (topology_.in_tree[j] &&
          (spec.drive < 0 || topology_.prescribes(model_, static_cast<JointIndex>(j), spec.drive)))
        continue;
      Row row;
      Share share;
      share.spec = spec;
      share.joint = static_cast<JointIndex>(j);
      row.shares.push_back(share);
      row.work = work;
      row.scale = spec.scale;
      row.name = fmt::format("{} ({})", joint.name, spec.label);
      rows_.push_back(row);
    }
  }
  for (std::size_t c = 0; c < model_.couplings.size(); ++c) {
    const Coupling& coupling = model_.couplings[c];
    if (coupling.teeth) continue;  // a force
    Row row;
    row.coupling = static_cast<int>(c);
    row.scale = is_angle(coupling.second.coordinate) ? 1 : scales_.length;
    row.name = fmt::format("{} (mesh)", coupling.name);
    for (const auto& [on, factor] :
         {std::pair{&coupling.second, 1.0}, std::pair{&coupling.first, -coupling.ratio}}) {
      Share share;
      share.spec = coordinate_row(model_.joints[on->joint], on->coordinate);
      share.joint = on->joint;
      share.coordinate = on->coordinate;
      share.factor = factor;
      row.shares.push_back(share);
    }
    rows_.push_back(row);
  }
}

template <int Rd>
void Tree<Rd>::list_watched() {
  placed_.resize(static_cast<std::size_t>(positions()) + speeds());
  std::vector<bool> seen(model_.bodies.size(), false);
  for (const auto* list : {&elements_.forces(), &elements_.joints()})
    for (const auto& entry : *list)
      seen[entry.element->first()] = seen[entry.element->second()] = true;
  for (const Row& row : rows_)
    for (const Share& share : row.shares) {
      const Joint& joint = model_.joints[share.joint];
      seen[joint.first.body] = seen[joint.second.body] = true;
    }
  elements_.meshes().each_joint(
      [&](const Joint& joint) { seen[joint.first.body] = seen[joint.second.body] = true; });
  for (const Reading& r : elements_.control().readings()) seen[r.first] = seen[r.second] = true;
  for (std::size_t i = 0; i < kernel_.nodes().size(); ++i)
    if (seen[kernel_.nodes()[i].body]) watched_.push_back(static_cast<int>(i));
}

/// Quaternions of bodies whose orientation is not in y follow the joints, continuously, from the
/// sign written in the file. Leaves the kernel in the written pose.
template <int Rd>
void Tree<Rd>::take_written_turns() {
  State start;
  start.y = VecX::Zero(static_cast<Eigen::Index>(model_.bodies.size() - 1) * (Rd == 3 ? 13 : 6));
  for (std::size_t b = 1; b < model_.bodies.size(); ++b) {
    double* at = &start.y[static_cast<Eigen::Index>(b - 1) * (Rd == 3 ? 7 : 3)];
    if constexpr (Rd == 3) {
      vec3(at) = model_.bodies[b].position;
      vec4(at + 3) = model_.bodies[b].orientation;
    } else {
      at[0] = model_.bodies[b].position[0], at[1] = model_.bodies[b].position[1];
      at[2] = model_.bodies[b].angle;
    }
  }
  start.memory.assign(memory_size(), 0.0);
  start.time = model_.simulation.start;
  start.y = from_cartesian(start);
  place_all(start.time, start.y.data());

  inner_turn_.assign(kernel_.nodes().size(), Vec4(1, 0, 0, 0));
  outer_turn_ = inner_turn_;
  if constexpr (Rd == 3) {
    for (std::size_t i = 0; i < kernel_.nodes().size(); ++i) {
      const auto& node = kernel_.nodes()[i];
      if (node.absolute()) continue;
      inner_turn_[i] = quaternion_of(kernel_.frames(i).inner);
      outer_turn_[i] = quaternion_of(kernel_.frames(i).outer);
      std::vector<Vec4> now;
      quaternions(start.y.data(), now);
      if (now[node.body].dot(model_.bodies[node.body].orientation) < 0)
        inner_turn_[i] = -inner_turn_[i];
    }
  }
}

/// Where every visited pair of the mass matrix and every visited dof of a row goes.
template <int Rd>
void Tree<Rd>::lay_out_matrices() {
  const int n = speeds(), driven = static_cast<int>(kernel_.prescribed().size());
  std::vector<std::pair<int, int>> pairs;
  bodies_.mass_matrix(motion_.data(), [&](int i, int j, double) {
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
      const Joint& joint = model_.joints[share.joint];
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

template Tree<1>::Tree(const Model&);
template Tree<3>::Tree(const Model&);

}  // namespace freeplay::dynamics
