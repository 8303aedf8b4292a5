// SPDX-License-Identifier: Apache-2.0
#include "dynamics/blocks.hpp"
#include "dynamics/cartesian/cartesian.hpp"

#include <algorithm>

// The parts of a Cartesian system that follow from the model alone: rows, drives, which velocities
// have no inertia.
namespace freeplay::dynamics {
namespace {

/// Which local velocities of a rigid body a row can touch: lets the factorisation skip structural
/// zeros.
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

/// Mass scales for the shifts of the solver, and the dofs that have no inertia worth its name, seen
/// from the body's own joints (point masses, thin rods): they are eliminated last, where the joints
/// give them a pivot.
void Cartesian::find_light_dofs() {
  // chosen: a thin rod turns about its axis with 1e-7 of what its joints give it
  constexpr double kLight = 1e-6;
  mass_scale_ = 0;
  for (const Body& b : model_.bodies) mass_scale_ = std::max(mass_scale_, b.mass);
  if (mass_scale_ == 0) mass_scale_ = 1;
  inertia_scale_ = mass_scale_ * scales_.length * scales_.length;
  VecX arm = VecX::Zero(bodies_.frames());
  for (const Joint& joint : model_.joints)
    for (const Frame* f : {&joint.first, &joint.second})
      arm[f->body] = std::max(arm[f->body], f->point.norm());
  light_.assign(static_cast<std::size_t>(velocity_size()), false);
  const VecX y = written_state();
  MatX block;
  for (int b = 0; b < bodies_.count(); ++b) {
    const MovingBody& body = bodies_.body(b);
    const double mass = model_.bodies[b + 1].mass;
    body.mass(y.data() + bodies_.position_of(b), block);
    for (int c = 0; c < body.velocities(); ++c) {
      const double least = body.turns(c) ? kLight * mass * arm[b + 1] * arm[b + 1] : 0.0;
      if (block(c, c) <= least) light_[bodies_.velocity_of(b) + c] = has_light_ = true;
    }
  }
}

/// Drives at constant speed take over the coordinate where the file puts it.
void Cartesian::resolve_drives() {
  planar_turns_.assign(model_.joints.size(), 0.0);
  if (model_.planar)
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      const Joint& joint = model_.joints[j];
      const double raw =
          joint_angle(joint, poses_[joint.first.body], poses_[joint.second.body], model_.planar);
      planar_turns_[j] = 2 * M_PI * std::round(raw / (2 * M_PI));
    }
  drives_.resize(model_.joints.size());
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    drives_[j] = joint.drives;
    for (Drive& drive : drives_[j]) {
      const auto written = [&] {
        const auto g = place_of(joint, poses_[joint.first.body], poses_[joint.second.body]);
        return coordinate_value(joint, drive.coordinate, g, model_.planar,
                                written_turns(static_cast<int>(j), drive.coordinate));
      };
      if (auto* m = std::get_if<ConstantSpeed>(&drive.motion)) {
        if (m->from_pose) m->start = written();
        m->start -= m->speed * model_.simulation.start;
      } else if (auto* input = std::get_if<Input>(&drive.motion); input && input->from_pose) {
        input->start = written();
      }
    }
  }
}

Kkt::Entry Cartesian::entry_of(FrameIndex frame, std::uint8_t columns) const {
  return {bodies_.owner(frame), bodies_.deforming(frame) ? Kkt::kAllColumns : columns};
}

/// Joint by joint, drives after the joint's own.
void Cartesian::add_joint_rows(std::vector<std::vector<Kkt::Entry>>& pattern) {
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    for (const RowSpec& spec : rows_of(joint, model_.planar, scales_.length)) {
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
      for (FrameIndex f : {joint.first.body, joint.second.body})
        if (f != kGround) entries.push_back(entry_of(f, columns_of(spec, model_.planar)));
      pattern.push_back(entries);
    }
  }
}

void Cartesian::add_coupling_rows(std::vector<std::vector<Kkt::Entry>>& pattern) {
  for (std::size_t c = 0; c < model_.couplings.size(); ++c) {
    const Coupling& coupling = model_.couplings[c];
    const auto value = [&](const JointCoordinate& on) {
      const Joint& joint = model_.joints[on.joint];
      const auto g = place_of(joint, poses_[joint.first.body], poses_[joint.second.body]);
      return coordinate_value(joint, on.coordinate, g, model_.planar,
                              written_turns(on.joint, on.coordinate));
    };
    coupling_offset_.push_back(value(coupling.second) - coupling.ratio * value(coupling.first));
    if (coupling.teeth) continue;  // a force
    Row row;
    row.coupling = static_cast<int>(c);
    row.spec.label = "mesh";
    row.spec.scale = is_angle(coupling.second.coordinate) ? 1 : scales_.length;
    rows_.push_back(row);
    std::vector<Kkt::Entry> entries;  // two joints may share a body: one entry each, merged
    for (const JointCoordinate* on : {&coupling.first, &coupling.second}) {
      const Joint& joint = model_.joints[on->joint];
      for (FrameIndex f : {joint.first.body, joint.second.body}) {
        if (f == kGround) continue;
        const Kkt::Entry entry =
            entry_of(f, columns_of(coordinate_row(joint, on->coordinate), model_.planar));
        const auto known = std::find_if(entries.begin(), entries.end(),
                                        [&](auto& e) { return e.body == entry.body; });
        if (known == entries.end())
          entries.push_back(entry);
        else
          known->columns |= entry.columns;
      }
    }
    pattern.push_back(entries);
  }
}

void Cartesian::make_scratch() {
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
}

}  // namespace freeplay::dynamics
